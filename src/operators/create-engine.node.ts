/** The engine, with the parts that are specific to Node. */
import { adviseHugePages, openCuda } from '../backends/cuda/status.node.js';
import { availableCores } from '../execution/cores.node.js';
import { createPool } from '../execution/pool.node.js';
import { compileKernels } from '../kernels/compile.node.js';
import { createEngineOn, type EngineOptions, type Platform } from './create-engine.js';
import type { Engine } from './engine.js';
import { loadTuning } from './tuning.node.js';

/** Creates an engine on this machine. @throws as `createEngineOn` */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return createEngineOn(platformOfNode(), options);
}

export function platformOfNode(): Platform {
  return { compileKernels, createPool, cores: availableCores(), openGpus: openCuda, adviseHugePages, loadTuning };
}
