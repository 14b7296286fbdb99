/** Two ways to compute a product: the same bits, and the first products decide between them. */
import { expect, test } from 'vitest';
import { trialOf } from '#dist/backends/team/trial.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { createEngine, gallery } from '#dist/index.node.js';

/** Entries of a large matrix. */
const WORK = 2 ** 22;

/** Spins for some milliseconds. */
function pass(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** A matrix of which only `alternate` is used, and the way that is selected. */
function twoWays(): { matrix: StoredMatrix; isOn: () => boolean } {
  let way = false;
  const alternate = (isOn: boolean) => {
    way = isOn;
  };
  return { matrix: { alternate } as StoredMatrix, isOn: () => way };
}

test.each([
  [true, 2, 0.5],
  [false, 0.5, 2],
])('the faster way is kept (two places: %s)', (expected, one, two) => {
  const { matrix, isOn } = twoWays();
  const trial = trialOf(matrix, WORK)!;
  const ways: boolean[] = [];
  for (let k = 0; k < 20; k++) {
    trial.run(() => {
      ways.push(isOn());
      pass(isOn() ? two : one);
    });
  }
  expect(new Set(ways.slice(0, 10))).toEqual(new Set([false, true]));
  expect(new Set(ways.slice(10))).toEqual(new Set([expected]));
});

test('a small matrix, or one with one way, has no trial', () => {
  expect(trialOf(twoWays().matrix, 1000)).toBeUndefined();
  expect(trialOf({} as StoredMatrix, WORK)).toBeUndefined();
});

test.each(['csr', 'csrk', 'csrk?index=16'])('%s: both ways have the same bits', async (format) => {
  await using engine = await createEngine({ threads: 3 });
  for (const [name, options] of [
    ['laplace3d27', { nx: 20, ny: 21, nz: 23, values: 'real' }],
    ['rmat', { scale: 12, edgeFactor: 16 }],
  ] as const) {
    using A = engine.operator(gallery(name, options), { format });
    using x = engine.vector(Float64Array.from({ length: A.cols }, (_, j) => Math.sin(j)));
    const product = (isOn: boolean) => {
      (A.matrix as StoredMatrix).alternate!(isOn);
      using y = engine.vector(new Float64Array(A.rows).fill(Number.NaN));
      A.apply(x, y);
      return Buffer.from(y.toArray().buffer);
    };
    expect(product(true).equals(product(false))).toBe(true);
  }
});

test('short rows, and rows that parts share, have one way', async () => {
  await using engine = await createEngine({ threads: 1 });
  using short = engine.operator(gallery('laplace2d5', { nx: 9, ny: 9 }), { format: 'csr' });
  expect((short.matrix as StoredMatrix).alternate).toBeUndefined();
  using shared = engine.operator(gallery('laplace3d27', { nx: 9, ny: 9, nz: 9 }), { format: 'csr?partition=merge' });
  expect((shared.matrix as StoredMatrix).alternate).toBeUndefined();
});
