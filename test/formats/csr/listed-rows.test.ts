/** Matrices of which many rows have no entries: `csr` computes the others by a list, with the bits of `csrk`, which computes all. */
import { afterAll, describe, expect, it } from 'vitest';
import { DTYPES } from '#dist/core/types.js';
import { CSR_HEADER, type StoredCsr } from '#dist/formats/csr/csr.js';
import { CsrBuilder, createEngine, gallery, type MatrixOperator } from '#dist/index.node.js';
import { placeOf } from '#dist/memory/header.js';

const engine = await createEngine({ threads: 3 });
afterAll(() => engine.dispose());

/** Returns 32 pseudo-random bits for an index. */
const bitsOf = (i: number) => Math.imul(i ^ (i >>> 15), 0x2c1b3c6d) >>> 0;

/** Each function returns the length of a row. */
const LENGTHS: Readonly<Record<string, (i: number) => number>> = {
  'each second one at random': (i) => (bitsOf(i) & 64 ? 0 : 1 + (bitsOf(i) & 15)),
  'long runs, at both ends too': (i) => (i < 4000 || (i > 9000 && i < 15_000) || i > 18_000 ? 0 : bitsOf(i) & 7),
  'all but one': (i) => (i === 7777 ? 5 : 0),
  all: () => 0,
};
const ROWS = 20_000;
const COLS = 900;

/** Each pair is α and β of a product. */
const FACTORS = [
  [1, 0],
  [-0.3, 0],
  [2, -1.7],
] as const;

/** Each line says how values are stored, which parameters ask for it, and what the value of an entry is. */
const VALUES = [
  ['in full', '', (i: number, k: number) => Math.sin(i + 20 * k)],
  ['in a table', '?values=table', (i: number, k: number) => 1 / (1 + ((i + k) % 5))],
  ['not at all', '', () => 1],
] as const;

function matrixOf(lengthOf: (i: number) => number, valueAt: (i: number, k: number) => number = VALUES[0][2]) {
  const builder = new CsrBuilder(ROWS, COLS, { field: valueAt === VALUES[2][2] ? 'pattern' : 'real' });
  for (let i = 0; i < ROWS; i++)
    for (let k = 0; k < lengthOf(i); k++) builder.add(i, (bitsOf(i) + 37 * k) % COLS, valueAt(i, k));
  return builder.build();
}

describe.each(Object.entries(LENGTHS))('rows without entries: %s', (_, lengthOf) => {
  describe.each(VALUES)('values %s', (_, parameters, valueAt) => {
    const matrix = matrixOf(lengthOf, valueAt);

    it.each(DTYPES)('%s: the bits of csrk in both ways, on any number of parts', (dtype) => {
      const type = { dtype: dtype === 'f32' ? 'f32' : 'f64' } as const;
      const numbers = Float64Array.from({ length: COLS }, (_, j) => Math.cos(j));
      using x = engine.vector(numbers, type);
      const product = (A: MatrixOperator, alpha: number, beta: number) => {
        const before = (i: number) => (beta === 0 ? Number.NaN : Math.sin(3 * i));
        using y = engine.vector(
          Float64Array.from({ length: ROWS }, (_, i) => before(i)),
          type,
        );
        A.apply(x, y, alpha, beta);
        return Buffer.from(y.toArray().buffer);
      };
      using all = engine.operator(matrix, { format: `csrk${parameters}`, dtype });
      for (const parts of [1, 2, 7, 64]) {
        using some = engine.operator(matrix, { format: `csr${parameters}`, dtype, parts });
        const stored = some.matrix as StoredCsr;
        const filled = matrix.rowPtr.filter((end, i) => i > 0 && end > matrix.rowPtr[i - 1]!);
        expect(stored.nonEmpty).toHaveLength(filled.length);
        expect(stored.ways).toHaveLength(2);
        for (const way of stored.ways) {
          way();
          for (const [alpha, beta] of FACTORS)
            expect(product(some, alpha, beta).equals(product(all, alpha, beta))).toBe(true);
        }
      }
    });
  });
});

describe('a list is made', () => {
  const hasList = (lengthOf: (i: number) => number) => {
    using A = engine.operator(matrixOf(lengthOf), { format: 'csr' });
    const { header, nonEmpty } = A.matrix as StoredCsr;
    const word = engine.heap.view(Uint32Array, header, Object.keys(CSR_HEADER).length)[
      placeOf(CSR_HEADER, 'nonEmpty')
    ]!;
    expect(word !== 0).toBe(nonEmpty !== undefined);
    return nonEmpty !== undefined;
  };

  it('where more than a fifth of the rows, and more than 3000, have no entries', () => {
    expect(hasList((i) => Number(i % 4 > 0))).toBe(true);
    expect(hasList((i) => Number(i % 6 > 0))).toBe(false);
  });

  it('not of a small matrix, whose rows the processor remembers', () => {
    using A = engine.operator(gallery('rmat', { scale: 12 }), { format: 'csr' });
    expect((A.matrix as StoredCsr).nonEmpty).toBeUndefined();
  });

  it('not along the merge path', () => {
    using A = engine.operator(matrixOf(LENGTHS.all!), { format: 'csr?partition=merge' });
    expect((A.matrix as StoredCsr).nonEmpty).toBeUndefined();
  });
});
