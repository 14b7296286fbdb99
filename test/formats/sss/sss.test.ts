/** SSS by hand; the requirements of every format are in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { runOnTeam } from '#dist/backends/team/run-loop.js';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { SparlaneError } from '#dist/core/errors.js';
import type { Dtype, Symmetry } from '#dist/core/types.js';
import { toCsr } from '#dist/formats/format.js';
import type { StoredSss } from '#dist/formats/sss/sss.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { expectConformance } from '../conforms.js';
import { kernelsOf } from '../kernels-of.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix, dtype: Dtype = 'f64'): StoredSss {
  return storeMatrix(engine.heap, matrix, spec, dtype) as StoredSss;
}

/** By the kernels of the conversion, which read a matrix in the heap. */
function storeByKernels(spec: string, matrix: CsrMatrix, dtype: Dtype = 'f64'): StoredSss {
  const { heap, context } = engine;
  using scope = heap.scope();
  const values = scope.copy<CsrMatrix['values']>(
    matrix.values instanceof Float32Array ? Float32Array : Float64Array,
    matrix.values,
  );
  const arrays = {
    rowPtr: scope.copy(Uint32Array, matrix.rowPtr),
    colIdx: scope.copy(Uint32Array, matrix.colIdx),
    values,
  };
  return storeMatrix(heap, { ...matrix, ...arrays }, spec, dtype, { runLoop: runOnTeam(context) }) as StoredSss;
}

type Entries = readonly (readonly [row: number, col: number, value: number])[];

function matrixOf(rows: number, cols: number, entries: Entries, symmetry: Symmetry = 'general'): CsrMatrix {
  const builder = new CsrBuilder(rows, cols, { symmetry });
  for (const [row, col, value] of entries) builder.add(row, col, value);
  return builder.build();
}

/** [10 0 0 40; 0 0 0 50; 0 0 30 60; 40 50 60 0] */
function example(): CsrMatrix {
  const lower: Entries = [
    [0, 0, 10],
    [2, 2, 30],
    [3, 0, 40],
    [3, 1, 50],
    [3, 2, 60],
  ];
  return matrixOf(4, 4, lower, 'symmetric');
}

function refusal(attempt: () => unknown): SparlaneError {
  try {
    attempt();
  } catch (error) {
    return error as SparlaneError;
  }
  throw new Error('accepted');
}

describe('the example [10 0 0 40; 0 0 0 50; 0 0 30 60; 40 50 60 0] in two blocks', () => {
  it('is laid out as the header of the format draws it', () => {
    using stored = store('sss?blocks=2', example());
    expect(stored.diagonal).toEqual(Float64Array.of(10, 0, 30, 0));
    expect(stored.absent).toEqual(Uint32Array.of(1, 3));
    expect(stored.rowPtr).toEqual(Uint32Array.of(0, 0, 0, 0, 3));
    expect(stored.colIdx).toEqual(Uint16Array.of(-3, -2, -1));
    expect(stored.values).toEqual(Float64Array.of(40, 50, 60));
    expect(stored.blockPtr).toEqual(Uint32Array.of(0, 3, 4));
    expect(stored.haloBegin).toEqual(Uint32Array.of(0, 0));
    expect(stored.haloPtr).toEqual(Uint32Array.of(0, 0, 3));
    const { spec, nnz, storedEntries, multipliesPadding, warnings } = stored;
    expect({ spec, nnz, storedEntries, multipliesPadding, warnings }).toEqual({
      spec: 'sss?blocks=2',
      nnz: 8,
      storedEntries: 10,
      multipliesPadding: true,
      warnings: [],
    });
  });

  it('has two stages over one header of sizes, sign and addresses', () => {
    using stored = store('sss?blocks=2', example());
    const [triangle, halos] = stored.stages.spmv;
    expect(kernelsOf(stored)).toEqual(['sss16_spmv', 'sss_add_halos']);
    expect(triangle).toMatchObject({ units: 2 });
    expect(halos).toMatchObject({ units: 2, adds: true, header: triangle!.header });
    expect([0, 1, 2].map((unit) => triangle!.workBefore(unit))).toEqual([0, 3, 10]);
    expect([0, 1, 2].map((unit) => halos!.workBefore(unit))).toEqual([0, 3, 3]);
    const { rowPtr, colIdx, values, diagonal, blockPtr, haloBegin, haloPtr, halos: buffer } = stored;
    const arrays = [rowPtr, colIdx, values, diagonal, blockPtr, haloBegin, haloPtr, buffer];
    const words = [4, 2, 1, ...arrays.map((array) => array.byteOffset)];
    expect([...engine.heap.view(Uint32Array, triangle!.header, 11)]).toEqual(words);
  });

  it('costs its arrays, x and y', () => {
    using stored = store('sss?blocks=2', example(), 'mixed');
    const rows = 4 * 5 + 4 * 4;
    const entries = 3 * (2 + 4);
    const blocks = 4 * 3 + 4 * 2 + 4 * 3;
    expect(stored.cost()).toEqual({ bytes: rows + entries + blocks + 8 * 3 + 8 * 8, flops: 16 });
  });

  it('has columns of 32 bits where they are asked for', () => {
    using stored = store('sss?blocks=2&index=32', example());
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 1, 2));
    expect(kernelsOf(stored)[0]).toBe('sss_spmv');
    expect(stored.spec).toBe('sss?blocks=2&index=32');
  });
});

describe('blocks', () => {
  it('are one in a small matrix, with neither halo nor second stage', () => {
    using stored = store('sss', gallery('laplace2d5', { nx: 50, ny: 50 }));
    expect(stored.spec).toBe('sss?blocks=1');
    expect(stored.stages.spmv.length).toBe(1);
    expect(stored.halos.length).toBe(0);
  });

  it('are 16 of equal work where threads share, with halos as wide as the bandwidth', () => {
    using stored = store('sss', gallery('laplace2d5', { nx: 150, ny: 150 }));
    expect(stored.spec).toBe('sss?blocks=16');
    expect([...stored.haloBegin]).toEqual([...stored.blockPtr.slice(0, 16)].map((row) => Math.max(row - 150, 0)));
    expect(stored.halos.length).toBe(15 * 150);
  });

  it('may be more than there are rows, and empty', () => {
    using stored = store('sss?blocks=6', example());
    expect(stored.blockPtr.length).toBe(7);
    expect(stored.blockPtr[0]).toBe(0);
    expect(stored.blockPtr[6]).toBe(4);
  });

  it.each(['sss?blocks=2', 'sss?blocks=40&index=32'])('conform: %s', (spec) => expectConformance(spec));

  it('give the same bits on one thread and on two', async () => {
    const matrix = gallery('laplace3d27', { nx: 25, ny: 25, nz: 25 });
    await using alone = await createEngine({ threads: 1 });
    const [one, two] = [alone, engine].map((of) => {
      using operator = of.operator(matrix, { format: 'sss' });
      using x = of.vector(matrix.cols).set(Float64Array.from({ length: matrix.cols }, (_, j) => 1 / (j + 3)));
      using y = of.vector(matrix.rows);
      operator.apply(x, y, 1.1);
      return y.data.slice();
    });
    expect(two).toEqual(one);
  });
});

describe('columns', () => {
  const far = 70_000;
  const wide = matrixOf(far + 1, far + 1, [[far, 0, 1]], 'symmetric');

  it('keep 32 bits if the bandwidth needs them, with a warning', () => {
    using stored = store('sss', wide);
    expect(stored.spec).toBe('sss?blocks=1&index=32');
    expect(stored.warnings).toEqual(['index=16: expected a bandwidth of at most 65536, got 70000; kept 32 bits']);
    expect(stored.colIdx).toEqual(Uint32Array.of(0));
  });

  it('have 16 bits up to a bandwidth of 65536', () => {
    const edge = matrixOf(
      65_537,
      65_537,
      [
        [65_536, 0, 3],
        [65_536, 65_535, 4],
      ],
      'symmetric',
    );
    using stored = store('sss?blocks=2', edge);
    expect(stored.warnings).toEqual([]);
    expect(stored.colIdx).toEqual(Uint16Array.of(0, 65_535));
    const findings = new Findings();
    checkStored(findings, engine, stored, edge, 'wasm', 'integer');
    expect(findings.failures).toEqual([]);
  });
});

describe('matrices that are not symmetric are refused', () => {
  it.each<[string, Entries, string]>([
    ['no image of an upper entry', [[0, 2, 5]], 'A[0, 2]: expected its mirror image A[2, 0], got none'],
    ['no image of a lower entry', [[2, 0, 5]], 'A[2, 0]: expected its mirror image A[0, 2], got none'],
    [
      'no image of a lower entry before one that has',
      [
        [2, 0, 5],
        [1, 2, 6],
        [2, 1, 6],
      ],
      'A[2, 0]: expected its mirror image A[0, 2], got none',
    ],
    [
      'another value',
      [
        [0, 1, 5],
        [1, 0, 6],
      ],
      'A[1, 0]: expected 5 to mirror A[0, 1], got 6',
    ],
    [
      'another zero',
      [
        [0, 1, 0],
        [1, 0, -0],
      ],
      'A[1, 0]: expected 0 to mirror A[0, 1], got −0',
    ],
  ])('%s', (_, entries, message) => {
    for (const by of [store, storeByKernels]) {
      const error = refusal(() => by('sss', matrixOf(3, 3, entries)));
      expect(error.code).toBe('structure');
      expect(error.message).toBe(message);
    }
  });

  it('not square', () => {
    expect(refusal(() => store('sss', matrixOf(3, 4, []))).code).toBe('shape');
  });

  it('unless values are equal as they are stored', () => {
    const nearly: Entries = [
      [0, 1, 0.1],
      [1, 0, Math.fround(0.1)],
    ];
    for (const by of [store, storeByKernels]) {
      expect(refusal(() => by('sss', matrixOf(2, 2, nearly))).code).toBe('structure');
      using stored = by('sss', matrixOf(2, 2, nearly), 'f32');
      expect(stored.values).toEqual(Float32Array.of(0.1));
    }
  });

  it.each([
    [Number.NaN, Number.NaN, true],
    [Number.NaN, 1, false],
    [Number.POSITIVE_INFINITY, Number.NaN, false],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, true],
    [-0, -0, true],
  ])('%f and %f, not always', (upper, below, taken) => {
    const matrix = matrixOf(2, 2, [
      [0, 1, upper],
      [1, 0, below],
    ]);
    for (const by of [store, storeByKernels]) {
      if (!taken) expect(refusal(() => by('sss', matrix)).code).toBe('structure');
      else {
        using stored = by('sss', matrix);
        expect(stored.values).toEqual(Float64Array.of(below));
      }
    }
  });
});

describe('skew-symmetric matrices', () => {
  const lower: Entries = [
    [1, 0, 2],
    [3, 1, -5],
    [3, 2, 0],
    [4, 0, 7],
  ];

  it('are taken where the source says so', () => {
    const matrix = matrixOf(5, 5, lower, 'skew-symmetric');
    const findings = new Findings();
    for (const spec of ['sss', 'sss?blocks=3']) {
      using stored = store(spec, matrix);
      expect(toCsr(stored).values).toEqual(matrix.values);
      checkStored(findings, engine, stored, matrix, 'threads', 'integer');
    }
    expect(findings.failures).toEqual([]);
    expect(refusal(() => store('sss', { ...matrix, symmetry: 'general' })).code).toBe('structure');
  });
});

describe('halos', () => {
  it('that are vast are refused with the factor and the limit', () => {
    const n = 40_000;
    const matrix = matrixOf(
      n,
      n,
      Array.from({ length: n / 2 }, (_, i) => [n - 1 - i, i, 1] as const),
      'symmetric',
    );
    const error = refusal(() => store('sss?blocks=8', matrix));
    expect(error.code).toBe('fill-in');
    expect(error.message).toMatch(/^sss: expected halos of at most 0.5 elements per entry, got \d/);
    expect(error.detail).toMatchObject({ maxHalo: 0.5, nnz: n });
    using asked = store('sss?blocks=8&maxHalo=100', matrix);
    expect(asked.halos.length / n).toBeCloseTo(error.detail.halo as number);
    using alone = store('sss', matrix);
    expect(alone.halos.length).toBe(0);
  });
});
