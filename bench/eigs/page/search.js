/** What `npx bench eigs/page` does in the page: a search with a matrix that it is served. */
import { createEngine, eigs, svds } from '../../../dist/index.browser.js';

const TYPES = { rowPtr: Uint32Array, colIdx: Uint32Array, values: Float64Array };

async function matrixAt(path, { rows, cols }) {
  const arrays = Object.entries(TYPES).map(async ([name, type]) => {
    const response = await fetch(`${path}/${name}`);
    return [name, new type(await response.arrayBuffer())];
  });
  return { rows, cols, ...Object.fromEntries(await Promise.all(arrays)) };
}

/** Resolves to the time of the search in ms, and the values that it found. */
globalThis.search = async ({ A, B, k, which, isSingularValues, tolerance, threads }) => {
  const [matrix, mass] = await Promise.all([matrixAt('/A', A), B && matrixAt('/B', B)]);
  const engine = await createEngine({ threads });
  const begin = performance.now();
  const found = isSingularValues
    ? svds(engine, matrix, k, { which, tolerance })
    : eigs(engine, matrix, k, { which, tolerance, ...(mass && { B: mass }) });
  const ms = performance.now() - begin;
  const values = [...found.values];
  await engine.dispose();
  return { ms, values };
};
