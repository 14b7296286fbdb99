/** A suite that cannot fail is a defect: matrices broken on purpose, each in one way, must be noticed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkFormat, checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { withRealValues, workedExample } from '#dist/conformance/matrices.js';
import type { BackendName } from '#dist/conformance/product-checks.js';
import type { Engine } from '#dist/engine/engine.js';
import type { StoredCsr } from '#dist/formats/csr/csr.js';
import type { Stage, Stages, StoredMatrix } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { createEngine } from '#dist/index.node.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

type Changes = Partial<StoredMatrix & Stage>;

interface Mutation {
  readonly name: string;
  /** Changes a matrix in place, or returns another one. */
  readonly break: (stored: StoredCsr) => Changes | undefined;
  readonly notices: string;
}

/** All stages changed; and the properties of the matrix. */
function altered(stored: StoredCsr, changes: Changes): StoredMatrix {
  const { spmv, spmv_t } = stored.stages;
  const change = (stage: Stage) => ({ ...stage, ...changes });
  return withMembers(stored, { ...changes, stages: { spmv: spmv.map(change), spmv_t: spmv_t!.map(change) } });
}

/** The overridden properties; the rest is delegated. */
function withMembers(stored: StoredCsr, members: Partial<StoredMatrix>): StoredMatrix {
  const bound = (key: PropertyKey) => {
    const value = Reflect.get(stored, key, stored);
    return typeof value === 'function' ? value.bind(stored) : value;
  };
  return new Proxy(stored, {
    get: (_, key) => (key in members ? members[key as keyof StoredMatrix] : bound(key)),
  });
}

const MUTATIONS: readonly Mutation[] = [
  {
    name: 'one value',
    break: (stored) => void stored.values.set([40.0001], 3),
    notices: 'round trip: entries',
  },
  { name: 'one column', break: (stored) => void stored.colIdx.set([1], 0), notices: 'round trip: entries' },
  { name: 'one row pointer', break: (stored) => void stored.rowPtr.set([1], 1), notices: 'round trip: rows' },
  { name: 'nnz', break: () => ({ nnz: 7 }), notices: 'sizes' },
  { name: 'storedEntries', break: () => ({ storedEntries: 5 }), notices: 'stored entries' },
  { name: 'padding', break: () => ({ multipliesPadding: true }), notices: 'padding' },
  { name: 'header', break: (stored) => ({ header: stored.header + 4 }), notices: 'header on a cache line' },
  { name: 'work', break: () => ({ workBefore: (unit: number) => 3 - unit }), notices: 'work ascends from 0' },
  { name: 'no work', break: () => ({ workBefore: () => 0 }), notices: 'entries are work' },
  { name: 'flops', break: () => ({ cost: () => ({ bytes: 100, flops: 1 }) }), notices: 'flops' },
  { name: 'cost', break: () => ({ cost: () => ({ bytes: 1e6, flops: 12 }) }), notices: 'bytes moved' },
];

it.each(MUTATIONS)('notices a change of $name', ({ break: change, notices }) => {
  expect(found((stored) => altered(stored, change(stored) ?? {}), 'reference')).toContain(notices);
});

/** Words of the header, `CsrHeader` in assembly/csr/csr.ts. */
const ROW_PTR = 4;
const COL_IDX = 5;
const VALUES = 6;

/** Points a word of the header at another array: the format, and so the reference, continue with the right one. */
function forKernels(stored: StoredCsr, word: number, array: Uint32Array | Float64Array): undefined {
  const bytes = array.byteLength + 64; // kernels may read past the end
  const copy = engine.heap.alloc(bytes); // lost when the engine is disposed
  engine.heap.view(Uint8Array, copy, bytes).fill(0).set(new Uint8Array(array.buffer));
  engine.heap.view(Uint32Array, stored.header, VALUES + 1)[word] = copy;
}

/** Wrong for the kernels only: the format's own view is right. */
const KERNEL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a value',
    break: (stored) =>
      forKernels(
        stored,
        VALUES,
        Float64Array.from(stored.values, (value, k) => value * (k === 4 ? 1.5 : 1)),
      ),
    notices: 'y[3] is',
  },
  {
    name: 'a column',
    break: (stored) => forKernels(stored, COL_IDX, Uint32Array.of(0, 2, 1, 0, 1, 2)),
    notices: 'y[2] is',
  },
  {
    name: 'a row pointer',
    break: (stored) => forKernels(stored, ROW_PTR, Uint32Array.of(0, 2, 3, 3, 6)),
    notices: 'y[1] is',
  },
  { name: 'a row forgotten', break: (stored) => ({ units: stored.units - 1 }), notices: 'y[3] is' },
  {
    name: 'a row too many',
    break: (stored) => {
      forKernels(stored, ROW_PTR, Uint32Array.of(0, 2, 2, 3, 6, 6));
      return { units: 5, workBefore: (unit) => unit };
    },
    notices: 'memory around y has changed',
  },
];

it.each(KERNEL_MUTATIONS)('notices $name', ({ break: change, notices }) => {
  const broken = (stored: StoredCsr) => altered(stored, change(stored) ?? {});
  expect(found(broken, 'reference')).toBe('');
  expect(found(broken, 'threads')).toContain(notices);
});

it('notices a row that only the transposed product forgets', () => {
  const broken = (stored: StoredCsr) => {
    const { spmv, spmv_t } = stored.stages;
    return withMembers(stored, { stages: { spmv, spmv_t: spmv_t!.map((stage) => ({ ...stage, units: 3 })) } });
  };
  expect(
    found(broken, 'threads')
      .split('\n')
      .every((line) => line.startsWith('Aᵀ, ')),
  ).toBe(true);
  expect(found(broken, 'threads')).toContain('y[0] is');
});

it.each([
  ['a column', { colIdx: Uint32Array.of(0, 1, 2, 0, 1, 2) }, 'transposed: structure'],
  ['a value', { values: Float64Array.of(10, 20, 30, 40, 51, 60) }, 'transposed: values'],
])('notices %s that is transposed wrongly', (_, wrong, notices) => {
  const broken = (stored: StoredCsr) => withMembers(stored, { entries: { ...stored.entries!, ...wrong } });
  expect(found(broken, 'threads')).toContain(notices);
});

/** Wrong for block products only. */
const BLOCK_MUTATIONS: readonly {
  readonly name: string;
  readonly verb: 'spmm' | 'spmm_fast';
  readonly changes: Partial<Stage>;
  readonly notices: string;
}[] = [
  { name: 'a row forgotten', verb: 'spmm', changes: { units: 3 }, notices: 'Y[3][0] is' },
  { name: 'a row forgotten', verb: 'spmm_fast', changes: { units: 3 }, notices: 'Y[3][0] is' },
  {
    name: 'values ignored',
    verb: 'spmm_fast',
    changes: { kernel: { base: 'csr', values: 'pattern', verb: 'spmm' } },
    notices: 'Y[0][0] is',
  },
  {
    name: 'values ignored',
    verb: 'spmm',
    changes: { kernel: { base: 'csr', values: 'pattern', verb: 'spmm' } },
    notices: 'Y[0][0] is',
  },
];

it.each(BLOCK_MUTATIONS)('notices $name in block products by $verb', ({ verb, changes, notices }) => {
  const broken = (stored: StoredCsr) => {
    const [stage] = stored.stages[verb]!;
    const stages: Stages = { ...stored.stages, [verb]: [{ ...stage!, ...changes }] };
    return new Proxy(altered(stored, {}), {
      get: (target, key) => (key === 'stages' ? stages : Reflect.get(target, key)),
    });
  };
  expect(found(broken, 'reference')).toBe('');
  expect(found(broken, 'threads')).toContain(notices);
});

it('notices a matrix that is not freed', async () => {
  const { heap } = engine;
  const kept: number[] = [];
  const free = heap.free.bind(heap);
  heap.free = (address) => {
    if (kept.length === 0) kept.push(address);
    else free(address);
  };
  const named = [{ name: 'worked example', matrix: workedExample() }];
  const findings = await checkFormat(engine, { spec: 'csr', dtype: 'f64', backend: 'reference' }, named);
  heap.free = free;
  for (const address of kept) free(address);
  expect(findings.failures.map(({ check }) => check)).toContain('memory given back');
});

it('gives every conversion memory full of garbage, so that an array left uninitialized is noticed', async () => {
  const { heap } = engine;
  const build = heap.build.bind(heap);
  const before: number[] = [];
  heap.build = (make) => {
    const address = heap.alloc(8);
    before.push(heap.view(Float64Array, address, 1)[0]!, heap.view(Float32Array, address, 1)[0]!);
    heap.free(address);
    return build(make);
  };
  const named = [{ name: 'worked example', matrix: workedExample() }];
  await checkFormat(engine, { spec: 'csr', dtype: 'f64', backend: 'reference' }, named);
  heap.build = build;
  expect(before.length).toBeGreaterThan(0);
  expect(before.every(Number.isNaN)).toBe(true);
});

it('notices threads that never start', async () => {
  const get = (_: Engine, key: keyof Engine) => {
    const value = Reflect.get(engine, key, engine);
    return typeof value === 'function' ? value.bind(engine) : value;
  };
  const alone = new Proxy(engine, { get: (_, key) => (key === 'threads' ? 3 : get(_, key as keyof Engine)) });
  const findings = await checkFormat(alone, { spec: 'csr', dtype: 'f64', backend: 'threads' }, []);
  expect(findings.failures.map(({ check }) => check)).toContain('every thread computes');
});

it('finds nothing if nothing is broken', () => {
  for (const backend of ['reference', 'threads'] as const) expect(found((stored) => stored, backend)).toBe('');
});

/** The suite's findings on the worked example after it was broken, with integer and with real values. */
function found(broken: (stored: StoredCsr) => StoredMatrix, backend: BackendName): string {
  const findings = new Findings();
  for (const kind of ['integer', 'real'] as const) {
    const matrix = kind === 'integer' ? workedExample() : withRealValues(workedExample());
    using stored = storeMatrix(engine.heap, matrix, 'csr', 'f64') as StoredCsr;
    findings.attempt(kind, () => checkStored(findings, engine, broken(stored), matrix, backend, kind));
  }
  return findings.failures.map(({ check, message }) => `${check}: ${message}`).join('\n');
}
