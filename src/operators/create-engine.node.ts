/** The engine with what Node does differently. */
import { availableParallelism } from 'node:os';
import { openCuda } from '../backends/cuda.node.js';
import { createPool } from '../execution/pool.node.js';
import { compileKernels } from '../kernels/compile.node.js';
import { createEngineOn, type Engine, type EngineOptions } from './engine.js';
import { loadTuning } from './tuning.node.js';

/** Makes an engine on this machine. @throws as `createEngineOn` */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return createEngineOn(
    { compileKernels, createPool, cores: availableParallelism(), openDevices: openCuda, loadTuning },
    options,
  );
}
