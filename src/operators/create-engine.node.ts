/** The engine, with the parts that are specific to Node. */
import { availableParallelism } from 'node:os';
import { type CudaStatus, openCuda } from '../backends/cuda.node.js';
import { createPool } from '../execution/pool.node.js';
import { compileKernels } from '../kernels/compile.node.js';
import { createEngineOn, type EngineOptions } from './create-engine.js';
import type { Engine } from './engine.js';
import { Gpus } from './gpus.js';
import { loadTuning } from './tuning.node.js';

/** Creates an engine on this machine. @throws as `createEngineOn` */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const cores = availableParallelism();
  return createEngineOn({ compileKernels, createPool, cores, openGpus, loadTuning }, options);
}

async function openGpus(count: number): Promise<{ status: CudaStatus; gpus: Gpus }> {
  const { status, devices } = await openCuda(count);
  return { status, gpus: new Gpus(devices) };
}
