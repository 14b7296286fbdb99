/** Engines on devices that are none. */
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import type { CudaDevice } from '#dist/backends/cuda/device.js';
import { Engine } from '#dist/engine/engine.js';
import { createEngine } from '#dist/index.node.js';

/** An engine of one thread that computes on these devices. */
export async function engineOn(...devices: readonly CudaDevice[]): Promise<Engine> {
  const { context } = await createEngine({ threads: 1, tuning: 'built-in', complex: true });
  const gpus = devices.map((device) => createCudaBackend(device, context.heap));
  return new Engine({ context, gpus, device: 'cuda', onHint: () => {} });
}
