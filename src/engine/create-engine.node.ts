/** The engine, with the parts that are specific to Node. */
import { adviseHugePages, openCuda, openCudaOfRank } from '../backends/cuda/status.node.js';
import { availableCores } from '../execution/cores.node.js';
import { createPool } from '../execution/pool.node.js';
import { compileKernels } from '../kernels/compile.node.js';
import type { Ranks } from '../memory/space.js';
import { MemoriesOfNode } from '../operators/memories.node.js';
import type { Engine } from './engine.js';
import { type EngineOptions, type Platform, startEngine } from './start-engine.js';
import { loadTuning } from './tuning.node.js';

/** Creates an engine on this machine. @throws as `startEngine` */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return startEngine(platformOfNode(), options);
}

/** @param rank of an engine that is one rank's: the others, and its place among those of this machine */
export function platformOfNode(rank?: { readonly ranks: Ranks; readonly place: number }): Platform {
  const otherMemories: Platform['otherMemories'] = (parts) => new MemoriesOfNode(parts);
  const platform = { compileKernels, createPool, cores: availableCores(), adviseHugePages, loadTuning, otherMemories };
  if (rank === undefined) return { ...platform, openGpus: openCuda };
  const { ranks, place } = rank;
  return { ...platform, ranks, openGpus: (_, heap) => openCudaOfRank(place, ranks, heap) };
}
