/**
 * Bad input, by public function. Each case is a possible mistake of an untyped caller. `validation.ts` checks the
 * error.
 */
import type { CsrInput } from '../core/csr.js';
import type { ErrorCode } from '../core/errors.js';
import type { VectorLike } from '../operators/operator.js';
import type { Subject, ValidationCase } from './validation.js';

/** A module without imports: valid WebAssembly, but not one of this library. */
const FOREIGN_WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

export const validationCases: readonly ValidationCase[] = [
  ...matrixCases(),
  ...operatorOptionCases(),
  ...vectorCases(),
  ...productCases(),
  ...engineCases(),
];

/** Values that the types forbid and JavaScript allows. */
// biome-ignore lint/suspicious/noExplicitAny: the purpose of these cases
type Untyped = any;

/** The worked example with some of its arrays replaced by invalid ones. */
function matrixCase(name: string, code: ErrorCode, argument: string, worse: () => Untyped): ValidationCase {
  return { name, code, argument, attempt: ({ engine }) => engine.operator({ ...example(), ...worse() }) };
}

function example(): CsrInput {
  return { rows: 4, cols: 3, rowPtr: [0, 2, 2, 3, 6], colIdx: [0, 2, 2, 0, 1, 2], values: [10, 20, 30, 40, 50, 60] };
}

function detached<T extends ArrayBufferView<ArrayBuffer>>(view: T): T {
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

function matrixCases(): ValidationCase[] {
  return [
    matrixCase('rows negative', 'argument', 'rows', () => ({ rows: -1 })),
    matrixCase('rows fractional', 'argument', 'rows', () => ({ rows: 3.5 })),
    matrixCase('rows beyond 32 bits', 'argument', 'rows', () => ({ rows: 2 ** 32 })),
    matrixCase('rows as text', 'argument', 'rows', () => ({ rows: '4' })),
    matrixCase('cols NaN', 'argument', 'cols', () => ({ cols: NaN })),
    matrixCase('cols missing', 'argument', 'cols', () => ({ cols: undefined })),
    matrixCase('rowPtr too short', 'shape', 'rowPtr', () => ({ rowPtr: [0, 2, 2, 3] })),
    matrixCase('rowPtr too long', 'shape', 'rowPtr', () => ({ rowPtr: [0, 2, 2, 3, 6, 6] })),
    matrixCase('rowPtr missing', 'argument', 'rowPtr', () => ({ rowPtr: undefined })),
    matrixCase('rowPtr a number', 'argument', 'rowPtr', () => ({ rowPtr: 5 })),
    matrixCase('rowPtr not from 0', 'structure', 'rowPtr[0]', () => ({ rowPtr: [1, 2, 2, 3, 6] })),
    matrixCase('rowPtr decreases', 'structure', 'rowPtr[3]', () => ({ rowPtr: [0, 2, 4, 3, 6] })),
    matrixCase('rowPtr ends early', 'structure', 'rowPtr[4]', () => ({ rowPtr: [0, 2, 2, 3, 5] })),
    matrixCase('rowPtr ends late', 'structure', 'rowPtr[4]', () => ({ rowPtr: [0, 2, 2, 3, 7] })),
    matrixCase('rowPtr negative', 'argument', 'rowPtr[1]', () => ({ rowPtr: new Int32Array([0, -2, 2, 3, 6]) })),
    matrixCase('rowPtr fractional', 'argument', 'rowPtr[2]', () => ({ rowPtr: [0, 2, 2.5, 3, 6] })),
    matrixCase('rowPtr NaN', 'argument', 'rowPtr[2]', () => ({ rowPtr: Float64Array.of(0, 2, NaN, 3, 6) })),
    matrixCase('nnz beyond 2³² − 1', 'argument', 'rowPtr[4]', () => ({ rowPtr: [0, 2, 2, 3, 2 ** 32] })),
    matrixCase('rowPtr of bigints', 'argument', 'rowPtr[0]', () => ({ rowPtr: [0n, 2n, 2n, 3n, 6n] })),
    matrixCase('rowPtr of 64 bits, negative', 'argument', 'rowPtr[1]', () => ({
      rowPtr: BigInt64Array.of(0n, -2n, 2n, 3n, 6n),
    })),
    matrixCase('a mixture of layouts', 'argument', 'matrix', () => ({ rowIdx: [0, 0, 2, 3, 3, 3] })),
    matrixCase('rowPtr detached', 'argument', 'rowPtr', () => ({ rowPtr: detached(new Uint32Array(5)) })),
    matrixCase('column = cols', 'structure', 'colIdx[2]', () => ({ colIdx: [0, 2, 3, 0, 1, 2] })),
    matrixCase('column far out', 'structure', 'colIdx[5]', () => ({ colIdx: [0, 2, 2, 0, 1, 4294967295] })),
    matrixCase('column negative', 'argument', 'colIdx[0]', () => ({ colIdx: new Int32Array([-1, 2, 2, 0, 1, 2]) })),
    matrixCase('column fractional', 'argument', 'colIdx[4]', () => ({ colIdx: [0, 2, 2, 0, 1.5, 2] })),
    matrixCase('column as text', 'argument', 'colIdx[0]', () => ({ colIdx: ['0', 2, 2, 0, 1, 2] })),
    matrixCase('column missing', 'argument', 'colIdx[5]', () => ({ colIdx: [0, 2, 2, 0, 1, undefined] })),
    matrixCase('colIdx detached', 'argument', 'colIdx', () => ({ colIdx: detached(new Int32Array(6)) })),
    matrixCase('values too short', 'shape', 'values', () => ({ values: [1, 2, 3] })),
    matrixCase('values too long', 'shape', 'values', () => ({ values: new Float64Array(7) })),
    matrixCase('a value as text', 'argument', 'values[1]', () => ({ values: [1, '2', 3, 4, 5, 6] })),
    matrixCase('values of bigints', 'argument', 'values[0]', () => ({ values: new BigInt64Array(6) })),
    matrixCase('values null', 'argument', 'values', () => ({ values: null })),
    matrixCase('values detached', 'argument', 'values', () => ({ values: detached(new Float64Array(6)) })),
    matrixCase('field misspelt', 'argument', 'field', () => ({ field: 'reel' })),
    matrixCase('symmetry misspelt', 'argument', 'symmetry', () => ({ symmetry: 'symetric' })),
    matrixCase('symmetric but not square', 'shape', 'symmetry', () => ({ symmetry: 'symmetric' })),
    { name: 'no matrix', code: 'argument', argument: 'matrix', attempt: operatorOf(undefined) },
    { name: 'a matrix that is a number', code: 'argument', argument: 'matrix', attempt: operatorOf(7) },
  ];
}

function operatorOf(matrix: Untyped): (subject: Subject) => unknown {
  return ({ engine }) => engine.operator(matrix);
}

function optionCase(name: string, argument: string, options: Untyped): ValidationCase {
  return { name, code: 'argument', argument, attempt: ({ engine }) => engine.operator(example(), options) };
}

function operatorOptionCases(): ValidationCase[] {
  return [
    optionCase('an option misspelt', 'options', { fromat: 'csr' }),
    optionCase('options null', 'options', null),
    optionCase('an unknown format', 'format', { format: 'crs' }),
    optionCase('a format that is a number', 'format', { format: 5 }),
    optionCase('an unknown parameter', 'csrk', { format: 'csrk?superRow=8' }),
    optionCase('a parameter where there is none', 'csr', { format: 'csr?k=2' }),
    optionCase('a parameter without a value', 'format', { format: 'csrk?k' }),
    optionCase('a parameter out of range', 'csrk k', { format: 'csrk?k=4' }),
    optionCase('a fractional parameter', 'csrk superRowSize', { format: 'csrk?superRowSize=1.5' }),
    optionCase('an empty parameter', 'csrk superRowSize', { format: 'csrk?superRowSize=' }),
    optionCase('an unknown dtype', 'dtype', { dtype: 'f16' }),
    optionCase('an unknown device', 'device', { device: 'gpu' }),
    optionCase('no parts', 'parts', { parts: 0 }),
    optionCase('negative parts', 'parts', { parts: -2 }),
    optionCase('fractional parts', 'parts', { parts: 1.5 }),
    optionCase('parts NaN', 'parts', { parts: NaN }),
    optionCase('too many parts', 'parts', { parts: 100_000 }),
  ];
}

function vectorCase(name: string, code: ErrorCode, argument: string, ...args: Untyped[]): ValidationCase {
  return { name, code, argument, attempt: ({ engine }) => (engine.vector as Untyped)(...args) };
}

function vectorCases(): ValidationCase[] {
  return [
    vectorCase('a vector of negative length', 'argument', 'length', -1),
    vectorCase('a vector of fractional length', 'argument', 'length', 2.5),
    vectorCase('a vector of length NaN', 'argument', 'length', NaN),
    vectorCase('a vector beyond 32 bits', 'argument', 'length', 2 ** 32),
    vectorCase('a vector beyond the memory', 'heap', 'heap', 2 ** 32 - 1),
    vectorCase('a vector of text', 'argument', 'source', '3'),
    vectorCase('a vector of texts', 'argument', 'source[1]', [1, '2']),
    vectorCase('a vector of nothing', 'argument', 'source'),
    vectorCase('a vector of an unknown dtype', 'argument', 'dtype', 3, { dtype: 'f16' }),
    vectorCase('a vector with a word for options', 'argument', 'options', 3, 'f32'),
    vectorCase('a vector with an unknown option', 'argument', 'options', 3, { type: 'f32' }),
    vectorCase('a vector of a device that is none', 'argument', 'device', 3, { device: 'gpu' }),
    vectorCase('a vector of an absent device', 'backend', 'engine', 3, { device: 'cuda' }),
    {
      name: 'a vector used after its disposal',
      code: 'argument',
      argument: 'vector',
      attempt: ({ engine }) => {
        const vector = engine.vector(3);
        vector.dispose();
        vector.fill(1);
      },
    },
    {
      name: 'more numbers than the vector holds',
      code: 'shape',
      argument: 'source',
      attempt: ({ x }) => x.set([1, 2, 3, 4]),
    },
    {
      name: 'a block freed that is none',
      code: 'argument',
      argument: 'address',
      attempt: ({ engine }) => engine.heap.free(8),
    },
    {
      name: 'a block beyond 4 GiB',
      code: 'heap',
      argument: 'heap',
      attempt: ({ engine }) => engine.heap.alloc(2 ** 33),
    },
  ];
}

function productCase(
  name: string,
  code: ErrorCode,
  argument: string,
  attempt: (subject: Subject, apply: Untyped) => unknown,
): ValidationCase {
  return {
    name,
    code,
    argument,
    attempt: (subject) => attempt(subject, subject.operator.apply.bind(subject.operator)),
  };
}

function productCases(): ValidationCase[] {
  return [
    productCase('x too short', 'shape', 'x', ({ y }, apply) => apply(new Float64Array(2), y)),
    productCase('x too long', 'shape', 'x', ({ y }, apply) => apply(y, new Float64Array(4))),
    productCase('y too short', 'shape', 'y', ({ x }, apply) => apply(x, new Float64Array(3))),
    productCase('y of f32', 'argument', 'y', ({ x }, apply) => apply(x, new Float32Array(4))),
    productCase('x of integers', 'argument', 'x', ({ y }, apply) => apply(new Int32Array(3), y)),
    productCase('x of words', 'argument', 'x[0]', ({ y }, apply) => apply(['1', '2', '3'], y)),
    productCase('y a plain array', 'argument', 'y', ({ x }, apply) => apply(x, [1, 2, 3, 4])),
    productCase('x missing', 'argument', 'x', (_, apply) => apply()),
    productCase('y missing', 'argument', 'y', ({ x }, apply) => apply(x)),
    productCase('y null', 'argument', 'y', ({ x }, apply) => apply(x, null)),
    productCase('x detached', 'argument', 'x', ({ y }, apply) => apply(detached(new Float64Array(3)), y)),
    productCase('y detached', 'argument', 'y', ({ x }, apply) => apply(x, detached(new Float64Array(4)))),
    productCase('x disposed', 'argument', 'vector', ({ engine, y }, apply) => apply(disposedVector(engine, 3), y)),
    productCase('y disposed', 'argument', 'vector', ({ engine, x }, apply) => apply(x, disposedVector(engine, 4))),
    productCase('x and y overlap in the heap', 'argument', 'y', ({ y }, apply) => apply(y.data.subarray(1), y)),
    productCase('x and y overlap elsewhere', 'argument', 'y', (_, apply) => {
      const shared = new Float64Array(6);
      apply(shared.subarray(0, 3), shared.subarray(2));
    }),
    productCase('α NaN', 'argument', 'alpha', ({ x, y }, apply) => apply(x, y, NaN)),
    productCase('α infinite', 'argument', 'alpha', ({ x, y }, apply) => apply(x, y, Infinity)),
    productCase('α a text', 'argument', 'alpha', ({ x, y }, apply) => apply(x, y, '1')),
    productCase('β NaN', 'argument', 'beta', ({ x, y }, apply) => apply(x, y, 1, NaN)),
    productCase('β infinite', 'argument', 'beta', ({ x, y }, apply) => apply(x, y, 1, -Infinity)),
    productCase('β null', 'argument', 'beta', ({ x, y }, apply) => apply(x, y, 1, null)),
    productCase('a disposed operator', 'argument', 'operator', ({ engine, x, y }) => {
      const operator = engine.operator(example());
      operator.dispose();
      operator.apply(x, y);
    }),
  ];
}

function disposedVector(engine: Subject['engine'], length: number): VectorLike {
  const vector = engine.vector(length);
  vector.dispose();
  return vector;
}

function engineCase(name: string, code: ErrorCode, argument: string, options: Untyped): ValidationCase {
  return { name, code, argument, attempt: ({ createEngine }) => createEngine(options) };
}

function engineCases(): ValidationCase[] {
  return [
    engineCase('an engine option misspelt', 'argument', 'options', { thread: 2 }),
    engineCase('an engine without threads', 'argument', 'threads', { threads: 0 }),
    engineCase('half a thread', 'argument', 'threads', { threads: 1.5 }),
    engineCase('too many threads', 'argument', 'threads', { threads: 100_000 }),
    engineCase('threads as text', 'argument', 'threads', { threads: '2' }),
    engineCase('an unknown binary', 'argument', 'binary', { threads: 1, binary: 'avx512' }),
    engineCase('a signal that is none', 'argument', 'signal', { threads: 1, signal: 5 }),
    engineCase('a listener that is none', 'argument', 'onHint', { threads: 1, onHint: 5 }),
    engineCase('a tuning that is none', 'argument', 'tuning', { threads: 1, tuning: 'builtin' }),
    engineCase('a tuning of another version', 'argument', 'tuning.version', { threads: 1, tuning: { version: 0 } }),
    engineCase('too little memory', 'argument', 'maximumBytes', { threads: 1, maximumBytes: 1000 }),
    engineCase('a foreign wasm module', 'kernel', 'wasm', { threads: 1, wasm: new WebAssembly.Module(FOREIGN_WASM) }),
    engineCase('a wasm URL that is none', 'argument', 'wasm', { threads: 1, wasm: 'not a URL' }),
    engineCase('a member URL that is none', 'argument', 'member', { threads: 1, member: 'not a URL' }),
    {
      name: 'an engine used after its disposal',
      code: 'argument',
      argument: 'engine',
      attempt: async ({ createEngine }) => {
        const engine = await createEngine({ threads: 1 });
        await engine.dispose();
        engine.operator(example());
      },
    },
  ];
}
