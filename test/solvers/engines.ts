/** Engines for the tests of solvers. */
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import { createEngine } from '#dist/index.node.js';
import { Engine } from '#dist/operators/engine.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';

export async function onFakeDevice(): Promise<Engine> {
  const { context } = await createEngine({ threads: 1, tuning: 'built-in' });
  const gpus = [createCudaBackend(fakeCsrDevice().device, context.heap)];
  return new Engine({ context, gpus, device: 'cuda', onHint: () => {} });
}

/** The space keeps memory for the sums of as many dot products as were ever asked for at once. */
export function useSums(engine: Engine, n = 1): void {
  using x = engine.vector(n);
  using sum = engine.scalar();
  x.dots(new Array(16).fill(x), new Array(16).fill(sum));
}
