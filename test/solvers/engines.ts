/** Engines for the tests of solvers. */

import type { Engine } from '#dist/engine/engine.js';
import { createEngine } from '#dist/index.node.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';

export async function onFakeDevice(): Promise<Engine> {
  return engineOn(fakeCsrDevice().device);
}

/** Where every solver is tested. */
export const SPACES = [
  ['in the heap', () => createEngine({ threads: 2 })],
  ['on a device that is none', onFakeDevice],
] as const;

/** The space keeps memory for the sums of as many dot products as were ever asked for at once. */
export function useSums(engine: Engine, n = 1): void {
  using x = engine.vector(n);
  using sum = engine.scalar();
  x.dots(new Array(16).fill(x), new Array(16).fill(sum));
}
