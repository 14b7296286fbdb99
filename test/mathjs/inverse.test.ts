/** `inv` of @sparlane/mathjs. */
import { accelerate, sparseMatrix } from '@sparlane/mathjs';
import { createEngine, gallery } from 'sparlane';
import { afterAll, describe, expect, it } from 'vitest';
import { EXAMPLE, newInstance, refuse } from './instances.js';

const plain = newInstance();
const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());
const math = newInstance();
refuse(math, 'inv');
accelerate(math, engine, { minEntries: 0 });

describe('inv', () => {
  // More columns than are solved together, and not a multiple.
  it.each([
    ['convection2d', { nx: 7, ny: 7 }],
    ['laplace2d5', { nx: 6, ny: 6 }],
  ] as const)('%s: as mathjs', (name, size) => {
    const matrix = gallery(name, size);
    const inverse = math.inv(sparseMatrix(math, matrix));
    expect([inverse.type, ...inverse.size()]).toEqual(['SparseMatrix', matrix.rows, matrix.rows]);
    const expected = plain.inv(sparseMatrix(plain, matrix)).toArray() as number[][];
    const scale = Math.max(...expected.flat().map(Math.abs));
    (inverse.toArray() as number[][]).forEach((row, i) => {
      row.forEach((value, j) => {
        expect(Math.abs(value - expected[i]![j]!)).toBeLessThan(1e-12 * scale);
      });
    });
  });

  it('stores no zeros', () => {
    const inverse = math.inv(
      math.sparse([
        [0, 2, 0],
        [4, 0, 0],
        [0, 0, 8],
      ]),
    );
    expect(inverse.toJSON()).toEqual(
      plain
        .sparse([
          [0, 0.25, 0],
          [0.5, 0, 0],
          [0, 0, 0.125],
        ])
        .toJSON(),
    );
  });

  it('leaves matrices of up to two rows, singular ones, other shapes and dense ones to mathjs', () => {
    const singular = [
      [1, 1, 0],
      [1, 1, 0],
      [0, 0, 1],
    ];
    for (const S of [
      math.sparse([[2]]),
      math.sparse([
        [1, 2],
        [3, 4],
      ]),
      math.sparse(singular),
      math.sparse(EXAMPLE),
    ])
      expect(() => math.inv(S)).toThrow('left to mathjs');
    expect(() =>
      math.inv(
        math.matrix([
          [2, 0, 0],
          [0, 2, 0],
          [0, 0, 2],
        ]),
      ),
    ).toThrow('left to mathjs');
    const own = newInstance();
    using _ = accelerate(own, engine, { minEntries: 0 });
    expect(() => own.inv(own.sparse(singular))).toThrow('Cannot calculate inverse, determinant is zero');
    expect(() => own.inv(own.sparse(EXAMPLE))).toThrow('Matrix must be square');
  });
});
