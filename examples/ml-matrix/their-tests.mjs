/**
 * Runs the tests of ml-matrix with `solve` and `inverse` by sparlane, whatever the size of the matrix. Of its 257 tests of June 2026 one calls each, with
 * `useSVD`, which is left to ml-matrix: results by factors are tested in `test/libraries/ml-matrix.test.ts`.
 *
 * usage: node examples/ml-matrix/their-tests.mjs CHECKOUT
 *   CHECKOUT   of github.com/mljs/matrix, after `npm install`
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';

const root = resolve(process.argv[2] ?? '.');
const urlOf = (name) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
const REPLACED = '\0decompositions';

/** This module stands in the place of `src/decompositions.js`. */
const replacement = `
import { createEngine } from ${urlOf('sparlane')};
import { sparseSolve } from ${urlOf('./sparse-solve.mjs')};
import * as own from '${root}/src/decompositions.js';
import Matrix from '${root}/src/matrix.js';
import WrapperMatrix2D from '${root}/src/wrap/WrapperMatrix2D.js';

const engine = await createEngine({ threads: 1 });
const all = { minRows: 0, maxDensity: 1 };
export const solve = sparseSolve(engine, { Matrix, solve: own.solve }, all);
const inverseOf = sparseSolve(engine, { Matrix, solve: (A) => own.inverse(A) }, all);
export function inverse(matrix, useSVD = false) {
  const A = WrapperMatrix2D.checkMatrix(matrix);
  return useSVD ? own.inverse(A, true) : inverseOf(A, Matrix.eye(A.rows));
}
`;

const plugin = {
  name: 'solve-by-sparlane',
  enforce: 'pre',
  resolveId: (source, importer) =>
    importer !== REPLACED && /(^|\/)decompositions(\.js)?$/.test(source) ? REPLACED : undefined,
  load: (id) => (id === REPLACED ? replacement : undefined),
};

const vitest = await startVitest('test', [], { root, watch: false, config: false }, { plugins: [plugin] });
await vitest.close();
