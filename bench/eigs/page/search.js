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

/** Resolves to the time of each round in ms, and the values that were found. */
globalThis.search = async ({ A, B, k, which, isSingularValues, tolerance, threads, rounds }) => {
  const [matrix, mass] = await Promise.all([matrixAt('/A', A), B && matrixAt('/B', B)]);
  const engine = await createEngine({ threads });
  const times = [];
  let values;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    const found = isSingularValues
      ? svds(engine, matrix, k, { which, tolerance })
      : eigs(engine, matrix, k, { which, tolerance, ...(mass && { B: mass }) });
    times.push(performance.now() - begin);
    values = [...found.values];
    for (const block of [found.vectors, found.U, found.V]) block?.dispose();
  }
  await engine.dispose();
  return { times, values };
};
