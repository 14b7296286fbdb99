/** Operators of Aᵀ: their products, who owns them, and what they refuse. Every format × dtype: the conformance suite. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { transposeMatrix } from '#dist/algebra/transpose.js';
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import type { Decision } from '#dist/choice/choose.js';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { sampleVector, workedExample } from '#dist/conformance/matrices.js';
import { csrMatrix } from '#dist/core/csr.js';
import { Engine } from '#dist/engine/engine.js';
import type { StoredCsr } from '#dist/formats/csr/csr.js';
import { type MatrixInfo, toCsr } from '#dist/formats/format.js';
import { FORMATS } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import type { MatrixOperator } from '#dist/operators/matrix-operator.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice, fakeCsrDevices } from '../backends/fake-csr.js';
import { smallMatrix } from '../gallery/arbitrary.js';

const engine = await createEngine({ threads: 2, tuning: 'built-in' });
afterAll(() => engine.dispose());

const RMAT = gallery('rmat', { scale: 9 });
const LAPLACE = gallery('laplace2d5', { nx: 9, ny: 8 });
const RECTANGLE = csrMatrix({ rows: 2, cols: 5, rowPtr: [0, 3, 5], colIdx: [0, 3, 4, 1, 3], values: [1, 2, 3, 4, 5] });
const SKEW = csrMatrix({
  rows: 2,
  cols: 2,
  rowPtr: [0, 1, 2],
  colIdx: [1, 0],
  values: [3, -3],
  symmetry: 'skew-symmetric',
});

/** Checks y ← α Aᵀ x + β y, with copied vectors. */
function expectProduct(operator: MatrixOperator, transposed: ReturnType<typeof csrMatrix>): void {
  const { rows, cols, vectorType } = operator;
  const { dtype } = operator.matrix;
  expect([rows, cols]).toEqual([transposed.rows, transposed.cols]);
  const x = vectorType.from(sampleVector(cols, 'real', 1));
  for (const [alpha, beta] of [
    [1, 0],
    [-2, 0.5],
  ] as const) {
    const before = vectorType.from(sampleVector(rows, 'real', 2)).fill(beta === 0 ? Number.NaN : 3);
    const y = vectorType.from(before);
    operator.apply(x, y, alpha, beta);
    expect(compareProduct(expectedProduct(transposed, dtype, x, before, alpha, beta), y).firstWrong).toBe(-1);
  }
}

const arraysOf = (matrix: MatrixInfo) => {
  const { rows, cols, rowPtr, colIdx, values } = toCsr(matrix);
  return { rows, cols, rowPtr, colIdx, values };
};

test.each(FORMATS.map(({ name }) => name))('%s: the entries and the product are those of the transpose', (format) => {
  const property = fc.property(
    smallMatrix({ max: 24, square: format === 'pkt' }),
    fc.constantFrom('f64', 'f32', 'mixed'),
    (matrix, dtype) => {
      const { bytesInUse } = engine.heap;
      const symmetric = format === 'sss' ? LAPLACE : matrix;
      {
        using operator = engine.operator(symmetric, { format, dtype });
        const transposed = operator.transposed();
        const expected = transposeMatrix(symmetric);
        const { rows, cols, rowPtr, colIdx } = expected;
        expect(arraysOf(transposed.matrix)).toMatchObject({ rows, cols, rowPtr, colIdx });
        expect(transposed.matrix.dtype).toBe(dtype);
        expectProduct(transposed, expected);
      }
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    },
  );
  fc.assert(property, { numRuns: 20 });
});

test('the entries of an operator, and of its transpose, as CSR', () => {
  using operator = engine.operator(RMAT, { format: 'sell' });
  expect(operator.toCsr()).toMatchObject({ rowPtr: RMAT.rowPtr, colIdx: RMAT.colIdx, values: RMAT.values });
  const { rowPtr, colIdx, values } = transposeMatrix(RMAT);
  for (const memory of ['own', 'shared'] as const)
    expect(operator.transposed({ memory }).toCsr()).toMatchObject({ rowPtr, colIdx, values });
});

describe('options', () => {
  test('the format is chosen for Aᵀ, or named; the products are those of A unless given', () => {
    using operator = engine.operator(RMAT, { format: 'auto', products: 7, padding: false });
    expect(operator.transposed().decision).toMatchObject({ products: 7, multipliesPadding: false });
    expect(operator.transposed({ products: 'many' }).decision!.products).toBe('many');
    expect(operator.transposed({ format: 'coo' }).format).toBe('coo');
    expect(operator.transposed({ format: 'csr' }).decision).toBeUndefined();
  });

  test('after trials of A the format of Aᵀ is chosen by what they have shown if both are akin, without trials', () => {
    const graph = gallery('rmat', { scale: 12 });
    const wide = gallery('rowlengths', { rows: 300, cols: 40_000, distribution: 'constant', mean: 200 });
    using other = engine.operator(wide, { products: 'many' });
    expect(other.decision!.chosen.measuredMs).toBeGreaterThan(0);
    expect(other.transposed().decision!.chosen.measuredMs).toBeGreaterThan(0);
    using operator = engine.operator(graph, { products: 'many' });
    expect(operator.decision!.chosen.measuredMs).toBeGreaterThan(0);
    const { decision, plan } = operator.transposed();
    expect(decision!.tuneMs).toBe(0);
    expect(decision!.ranking.every(({ measuredMs }) => measuredMs === undefined)).toBe(true);
    expect(plan.parts).toBe(decision!.chosen.threads === 1 ? 1 : plan.parts);
    if (operator.plan.parts > 1) expect(plan.parts).toBeGreaterThan(1);
    expectProduct(operator.transposed(), transposeMatrix(graph));
    using plain = engine.operator(graph, { products: 'many', tune: false });
    expect(plain.transposed().decision!.tuneMs).toBe(0);
    // The doubts of Aᵀ are errors that were measured with A, so they differ from the doubts of a matrix without trials.
    const doubts = (ranking: Decision['ranking']) => new Map(ranking.map(({ spec, doubt = 1 }) => [spec, doubt]));
    expect(doubts(decision!.ranking)).not.toEqual(doubts(plain.transposed().decision!.ranking));
  });

  test('a format of A with options of its own does not restrict Aᵀ', () => {
    const groups = { superRowPtr: Uint32Array.of(0, 200, 512), superSuperRowPtr: undefined };
    using operator = engine.operator(RMAT, { format: 'csrk', groups, parts: 3 });
    expect(operator.transposed().plan.parts).toBe(3);
    using permuted = engine.operator(RMAT, { allowPermutation: true, products: 'many' });
    expect(permuted.transposed().nnz).toBe(RMAT.nnz);
  });

  test('shared memory: no second copy of the entries', () => {
    using operator = engine.operator(RMAT, { format: 'csr', parts: 1 });
    const { bytesInUse } = engine.heap;
    const shared = operator.transposed({ memory: 'shared' });
    expect(engine.heap.bytesInUse - bytesInUse).toBeLessThan(1000);
    expect(shared.plan.setupBytes).toBeGreaterThan(0);
    expectProduct(shared, transposeMatrix(RMAT));
    expect(arraysOf(shared.matrix)).toEqual(arraysOf(operator.transposed().matrix));
    expect(String(shared)).toBe(
      'MatrixOperator (512 × 512, 5954 entries, csr, f64, threads)'.replace('5954', String(RMAT.nnz)),
    );
  });

  test('shared memory has as many parts as pay off: a private element per four entries', () => {
    const wide = gallery('rowlengths', { rows: 40_000, cols: 60_000, distribution: 'constant', mean: 4 });
    const dense = gallery('dense', { rows: 3000, cols: 50 });
    for (const [matrix, parts] of [
      [wide, 1],
      [dense, 2],
    ] as const) {
      using operator = engine.operator({ ...matrix, symmetry: 'general' }, { format: 'csr' });
      expect(operator.transposed({ memory: 'shared' }).plan.parts).toBe(parts);
      expectProduct(operator.transposed({ memory: 'shared' }), transposeMatrix(matrix));
    }
  });

  test.each(['csr', 'csrk', 'csrk?index=16', 'coo', 'sell', 'sell?index=16', 'hyb', 'bsr?blockSize=2'])(
    'shared memory, %s: parts of a band have private elements for the columns that they reach only',
    (format) => {
      const band = gallery('laplace2d5', { nx: 400, ny: 200 });
      using operator = engine.operator({ ...band, symmetry: 'general' }, { format });
      const { bytesInUse } = engine.heap;
      const shared = operator.transposed({ memory: 'shared' });
      expect(shared.plan.parts).toBe(2);
      expect(engine.heap.bytesInUse - bytesInUse).toBeLessThan(1.2 * 8 * band.cols);
      expectProduct(shared, transposeMatrix(band));
    },
  );

  test.each([
    [{ memory: 'none' }, "memory: expected own | shared, got 'none'"],
    [{ memory: 'shared', format: 'csr' }, "format: expected no value (only valid with memory 'own'), got 'csr'"],
    [{ memory: 'shared', products: 5 }, "products: expected no value (only valid with memory 'own'), got 5"],
    [{ format: 'csr', products: 5 }, "products: expected no value (only valid with format 'auto'), got 5"],
    [{ layout: 'csr' }, "options: expected only the options format, products, memory, got 'layout'"],
    [{ format: 'nonesuch' }, 'format: expected csr'],
    [
      { memory: 'shared' },
      "memory: expected 'own' with dia; only csr, csrk, coo, ell, sell, hyb, sss, bsr scatter, got 'shared'",
    ],
  ])('refuses %j', (options, message) => {
    const { bytesInUse } = engine.heap;
    {
      using operator = engine.operator(workedExample(), { format: 'dia' });
      expect(() => operator.transposed(options as object)).toThrow(message);
      expect(() => operator.transposed(null as unknown as object)).toThrow('options: expected an object');
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

describe('ownership', () => {
  test('one object for the same options; the transpose of the transpose is the operator', () => {
    using operator = engine.operator(RMAT);
    const transposed = operator.transposed();
    expect(operator.transposed({})).toBe(transposed);
    expect(operator.transposed({ memory: 'own' })).toBe(transposed);
    expect(operator.transposed({ format: 'csr' })).not.toBe(transposed);
    expect(transposed.transposed()).toBe(operator);
    expectProduct(transposed.transposed({ format: 'coo' }), RMAT);
  });

  test('disposed with its owner, or before, and then made again', () => {
    const { bytesInUse } = engine.heap;
    const operator = engine.operator(RMAT, { format: 'csr' });
    const first = operator.transposed();
    first.dispose();
    const second = operator.transposed();
    expect(second).not.toBe(first);
    expectProduct(second, transposeMatrix(RMAT));
    const shared = operator.transposed({ memory: 'shared', ...{} });
    operator.dispose();
    for (const one of [second, shared]) {
      expect(one.disposed).toBe(true);
      expect(() => one.apply(new Float64Array(512), new Float64Array(512))).toThrow('a disposed operator');
      one.dispose();
    }
    expect(() => operator.transposed()).toThrow('operator: expected one that is in use, got');
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test.each(['csr', 'sss', 'dia', 'auto'])(
    'a symmetric matrix in %s uses its own entries, and outlives the result',
    (format) => {
      using operator = engine.operator(LAPLACE, { format });
      const { bytesInUse } = engine.heap;
      {
        using transposed = operator.transposed();
        expect(engine.heap.bytesInUse).toBe(bytesInUse);
        expect(transposed.matrix).toBe(operator.matrix);
        expect(operator.transposed()).toBe(transposed);
        expectProduct(transposed, LAPLACE);
      }
      expectProduct(operator, LAPLACE);
    },
  );

  test('sss knows that the matrix is symmetric, even if its source does not', () => {
    using operator = engine.operator({ ...LAPLACE, symmetry: 'general' }, { format: 'sss' });
    expect(operator.transposed({ memory: 'shared' }).matrix).toBe(operator.matrix);
  });

  test.each(['csr', 'sss'])('a skew-symmetric matrix in %s is multiplied with −α', (format) => {
    using operator = engine.operator(SKEW, { format });
    const { bytesInUse } = engine.heap;
    const transposed = operator.transposed();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
    expectProduct(transposed, transposeMatrix(SKEW));
    expect(arraysOf(transposed.matrix).values).toEqual(transposeMatrix(SKEW).values);
  });
});

test('a product of Aᵀ can be recorded', () => {
  using operator = engine.operator(RMAT, { format: 'csr' });
  using x = engine.vector(sampleVector(RMAT.rows, 'integer', 1));
  using y = engine.vector(RMAT.cols);
  for (const memory of ['own', 'shared'] as const) {
    const transposed = operator.transposed({ memory });
    using recording = engine.record(() => transposed.apply(x, y));
    y.fill(0);
    recording.launch();
    const expected = expectedProduct(transposeMatrix(RMAT), 'f64', x.data, y.data, 1, 0);
    expect(compareProduct(expected, y.data).firstWrong).toBe(-1);
  }
});

test('the reference multiplies with Aᵀ, and scatters in every format', () => {
  using operator = engine.operator(RMAT, { format: 'coo', device: 'reference' });
  expectProduct(operator.transposed(), transposeMatrix(RMAT));
  expect(operator.transposed().plan.backend).toBe('reference');
  expectProduct(operator.transposed({ memory: 'shared' }), transposeMatrix(RMAT));
});

describe('on devices', () => {
  test.each([1, 3])('%i devices that are none multiply with the transposed entries', async (count) => {
    const devices = fakeCsrDevices(count, true);
    await using several = await engineOn(...devices.map(({ device }) => device));
    using operator = several.operator(RMAT, { format: 'csr' });
    const transposed = operator.transposed({ format: 'csr' });
    expect(transposed.plan).toMatchObject({ backend: 'cuda', parts: count });
    expectProduct(transposed, transposeMatrix(RMAT));
  });

  test('a device transposes, and lends its copy to the plan of a layout that keeps the arrays', async () => {
    const { device, objects } = fakeCsrDevice();
    await using one = await engineOn(device);
    using operator = one.operator(RMAT, { format: 'csr' });
    const lent: number[] = [];
    device.addon.lend = (_, offset) => lent.push(offset);
    const transposed = operator.transposed({ format: 'csr' });
    const { rowPtr, colIdx, values } = transposed.matrix as StoredCsr;
    expect(lent).toEqual([rowPtr, colIdx, values].map(({ byteOffset }) => byteOffset));
    // The plans of A and of its transpose.
    expect(objects()).toBe(2);
    expect(operator.transposed({ format: 'csrk' }).toCsr()).toEqual(transposed.toCsr());
  });

  test('a device without room leaves the transposition to the team', async () => {
    const { device, objects } = fakeCsrDevice();
    await using one = await engineOn(device);
    using operator = one.operator(RMAT, { format: 'csr' });
    const { bytesInUse } = one.heap;
    let calls = 0;
    device.addon.transpose = () => {
      calls++;
      throw Object.assign(new Error('device memory: full'), { code: 'heap' });
    };
    {
      using transposed = operator.transposed({ format: 'csr' });
      // The plans of A and of its transpose.
      expect([calls, objects()]).toEqual([1, 2]);
      expectProduct(transposed, transposeMatrix(RMAT));
    }
    expect(one.heap.bytesInUse).toBe(bytesInUse);
    device.addon.transpose = () => {
      throw Object.assign(new Error('device lost'), { code: 'backend' });
    };
    expect(() => operator.transposed({ format: 'csr' })).toThrow('device lost');
    expect([one.heap.bytesInUse, objects()]).toEqual([bytesInUse, 1]);
  });

  test('one device scatters with its copy of the entries; the formats that it has no such kernel for are refused, and several devices', async () => {
    const { context } = await createEngine({ threads: 1, tuning: 'built-in' });
    const operate = (count: number, format: string) => {
      const gpus = fakeCsrDevices(count, true).map(({ device }) => createCudaBackend(device, context.heap));
      return new Engine({ context, gpus, device: 'cuda', onHint: () => {} }).operator(RECTANGLE, {
        format,
      });
    };
    using operator = operate(1, 'csr');
    const shared = operator.transposed({ memory: 'shared' });
    expect(shared.plan).toMatchObject({ backend: 'cuda', methods: [''] });
    expect(shared.matrix.bitsDependOn).toBe('chance');
    expectProduct(shared, transposeMatrix(RECTANGLE));
    using other = operate(1, 'csrk');
    expect(() => other.transposed({ memory: 'shared' }).transposed()).not.toThrow();
    using cut = operate(1, 'csrk?index=16');
    expect(() => cut.transposed({ memory: 'shared' })).toThrow(
      "memory: expected 'own' with csrk?index=16; only csr, csrk scatter, got 'shared'",
    );
    using divided = operate(2, 'csr');
    expect(() => divided.transposed({ memory: 'shared' })).toThrow(
      "memory: expected 'own' on several devices, got 'shared'",
    );
  });

  test('a plan without kernels for the verb is refused', async () => {
    const { context } = await createEngine({ threads: 1, tuning: 'built-in' });
    using gpu = createCudaBackend(fakeCsrDevice().device, context.heap);
    using operator = engine.operator(RMAT, { format: 'coo' });
    expect(() => gpu.plan(operator.matrix as never, 'spmv_t')).toThrow(
      'format: expected one with CUDA kernels for spmv_t, got',
    );
    using dia = engine.operator(workedExample(), { format: 'dia' });
    expect(() => engine.cpu.plan(dia.matrix as never, 'spmv_t')).toThrow(
      "format: expected one with kernels for spmv_t, got 'dia'",
    );
  });
});
