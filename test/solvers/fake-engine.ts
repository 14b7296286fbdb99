/** An engine on a device that is none. */
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import { createEngine } from '#dist/index.node.js';
import { Engine } from '#dist/operators/engine.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';

export async function onFakeDevice(): Promise<Engine> {
  const { context } = await createEngine({ threads: 1, tuning: 'built-in' });
  const gpus = [createCudaBackend(fakeCsrDevice().device, context.heap)];
  return new Engine({ context, gpus, device: 'cuda', onHint: () => {} });
}
