/**
 * Starts an engine: checks its options, compiles the kernels, opens devices and starts threads. The code is the same for Node and for a page's
 * worker. A `Platform` supplies the differences.
 */
import type { DeviceBackend } from '../backends/backend.js';
import type { AdviseHugePages, TeamContext } from '../backends/team/backend.js';
import { abortSignal, absoluteUrl, boolean, callback, integer, knownKeys, oneOf } from '../core/checks.js';
import { SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import { type CreatePool, startEarly } from '../execution/pool.js';
import { Team } from '../execution/team.js';
import type { KernelBinary } from '../kernels/abi.js';
import { describeModules } from '../kernels/module.js';
import { probeBinary } from '../kernels/probe.js';
import { Heap } from '../memory/heap.js';
import type { Ranks } from '../memory/space.js';
import type { CreateMemories } from '../operators/operator-maker.js';
import type { Device } from '../operators/operator-options.js';
import { Engine } from './engine.js';

/** The differences between Node and a page. */
export interface Platform {
  readonly compileKernels: (binary: KernelBinary, url?: URL) => Promise<WebAssembly.Module>;
  readonly createPool: CreatePool;
  /** Cores this process may use. */
  readonly cores: number;
  /** Time that a thread spins before it sleeps. Default: that of `Team`. */
  readonly spinMs?: number;
  /** The reason why threads are not available; undefined if they are. */
  readonly singleThreaded?: Hint;
  /**
   * Opens the first `count` GPUs, or all if there are fewer, with the CUDA status. Undefined on platforms without GPUs.
   */
  readonly openGpus?: (count: number, heap: Heap) => Promise<{ status: { message: string }; gpus: DeviceBackend[] }>;
  /** Asks the system for large pages for a heap that is still small, and returns what asks for another heap. Undefined where nothing can ask. */
  readonly adviseHugePages?: (heap: Heap) => Promise<AdviseHugePages | undefined>;
  /**
   * The tuning that `sparlane tune` stored on this machine for these kernels. Undefined on platforms without `tune`.
   */
  readonly loadTuning?: (binary: KernelBinary, onHint: (hint: Hint) => void) => Promise<Tuning | undefined>;
  /** Of an engine that is a rank's: the others. */
  readonly ranks?: Ranks | undefined;
  /** Makes memories beyond the first. Undefined on platforms where operators have only one. */
  readonly otherMemories?: CreateMemories;
}

/** `createEngine` takes these options. */
export interface EngineOptions {
  /** Threads, the caller's included: 1 to 256. Default: the cores this process may use. */
  threads?: number;
  /**
   * The device that computes products. `cuda`: the first NVIDIA GPU (Node with `@sparlane/cuda`). `auto`: the GPU if
   * there is one, else the CPU, with the hint `no-device`. `hybrid`: the GPU and the CPU at once, each with a share of
   * the rows. The shares are measured for each matrix, so creating an operator takes as long as a few conversions.
   * Default `cpu`.
   */
  device?: DeviceChoice;
  /** GPUs of this machine that share every product: 1 to 64. Default 1. */
  gpus?: number;
  /** The build of the kernels. Default: the better one that this machine validates. */
  binary?: KernelBinary;
  /** The kernels: a URL or a compiled module. For bundlers that do not find them. */
  wasm?: URL | string | WebAssembly.Module;
  /** Whether it computes with complex matrices (`complexOperator`): their kernels are loaded, too. Default false. */
  complex?: boolean;
  /** URL of the threads' script (`sparlane/member`). For bundlers that do not find it. */
  member?: URL | string;
  /**
   * Maximum size of the shared memory in bytes. Default and limit: 4 GiB. With less, an operator has its rows in other memories, of this size
   * each, only if it is asked for them (`memories`).
   */
  maximumBytes?: number;
  /**
   * Measured constants. Default: in Node the ones that `sparlane tune` stored on this machine, else the built-in ones.
   * Given parameters of a format have precedence.
   */
  tuning?: Tuning | 'built-in';
  /** Disposes the engine when it aborts. */
  signal?: AbortSignal;
  /** Receives messages for the caller; see `Hint`. The library itself never writes to a console. */
  onHint?: (hint: Hint) => void;
}

/** Where an engine computes; `auto`: on a GPU if there is one, else on the CPU. */
export type DeviceChoice = Device | 'auto';

export const MAX_THREADS = 256;
const MAX_GPUS = 64;

/** The default of `threads`. */
function threadCount(platform: Platform, options: EngineOptions, onHint: (hint: Hint) => void): number {
  const threads = integer('threads', options.threads ?? Math.min(platform.cores, MAX_THREADS), 1, MAX_THREADS);
  if (threads > 1 && platform.singleThreaded !== undefined) {
    const { name, message } = platform.singleThreaded;
    onHint({ name, message: `one thread instead of ${threads}: ${message}` });
    return 1;
  }
  if (threads > platform.cores) {
    onHint({
      name: 'oversubscribed',
      message: `${threads} threads on ${platform.cores} cores: they sleep instead of spinning`,
    });
  }
  return threads;
}

const ENGINE_OPTIONS = {
  threads: true,
  device: true,
  gpus: true,
  binary: true,
  wasm: true,
  complex: true,
  member: true,
  maximumBytes: true,
  tuning: true,
  signal: true,
  onHint: true,
} satisfies Record<keyof EngineOptions, true>;

/**
 * Starts an engine: reads the tuning and compiles the kernels while the threads start, and waits until these stand by, or for 100 ms after the
 * first does. The others join when they have started.
 *
 * @throws SparlaneError `argument` for an unknown or wrong option; `backend` if WebAssembly or its SIMD is missing, if
 *   threads are forbidden or do not start, or if the device does not exist; `heap` if the system has no room for the
 *   shared memory; `kernel` if the WebAssembly module cannot be loaded or is not one of this library; the signal's
 *   reason on abort
 */
export async function startEngine(platform: Platform, options: EngineOptions = {}): Promise<Engine> {
  knownKeys('options', options, ENGINE_OPTIONS);
  const onHint = options.onHint === undefined ? () => {} : callback('onHint', options.onHint);
  const signal = options.signal === undefined ? undefined : abortSignal('signal', options.signal);
  const threads = threadCount(platform, options, onHint);
  const choice = oneOf('device', options.device ?? 'cpu', ['cpu', 'cuda', 'hybrid', 'auto']);
  const gpuCount = integer('gpus', options.gpus ?? 1, 1, choice === 'hybrid' ? 1 : MAX_GPUS);
  const member = options.member === undefined ? undefined : absoluteUrl('member', options.member);
  const complex = boolean('complex', options.complex ?? false);
  const binary = await probeBinary(options.binary);
  signal?.throwIfAborted();
  const heap = new Heap(options.maximumBytes === undefined ? {} : { maximumBytes: options.maximumBytes });
  const { cores, spinMs, otherMemories } = platform;
  const early = threads === 1 ? undefined : startEarly(platform.createPool, threads - 1, member);
  let gpus: readonly DeviceBackend[] = [];
  try {
    const [tuning, modules] = await Promise.all([
      chooseTuning(platform, options.tuning, binary, onHint),
      compileModules(platform, binary, options.wasm, complex),
    ]);
    const kernels = describeModules(modules, binary);
    const advised = platform.adviseHugePages?.(heap);
    if (choice !== 'cpu') gpus = await openGpus(platform, choice, gpuCount, heap, onHint);
    const device = gpus.length === 0 ? 'cpu' : choice === 'hybrid' ? 'hybrid' : 'cuda';
    const { createPool } = early ?? platform;
    const team = await Team.create(heap, kernels, { threads, cores, spinMs, createPool, member, onHint });
    const context: TeamContext = { kernels, own: team.own, team, heap, warm: new Set(), advise: await advised };
    const engine = new Engine({ context, gpus, device, onHint, tuning, ranks: platform.ranks, otherMemories });
    signal?.addEventListener('abort', () => void engine.dispose(), { once: true });
    if (signal?.aborted) void engine.dispose();
    return engine;
  } catch (error) {
    for (const gpu of gpus) gpu[Symbol.dispose]();
    await early?.discard();
    throw error;
  }
}

/** @throws SparlaneError `backend` if a GPU is required and none is available */
async function openGpus(
  { openGpus: open }: Platform,
  choice: DeviceChoice,
  count: number,
  heap: Heap,
  onHint: (hint: Hint) => void,
): Promise<readonly DeviceBackend[]> {
  const { status, gpus = [] } = (await open?.(count, heap)) ?? {};
  if (gpus.length === count) return gpus;
  for (const gpu of gpus) gpu[Symbol.dispose]();
  const why = gpus.length > 0 ? `${gpus.length} of ${count} GPUs` : (status?.message ?? 'CUDA is for Node');
  if (choice !== 'auto') throw new SparlaneError('backend', `device: expected a CUDA device, got none: ${why}`);
  onHint({ name: 'no-device', message: `on the CPU: ${why}` });
  return [];
}

async function chooseTuning(
  { loadTuning }: Platform,
  given: EngineOptions['tuning'],
  binary: KernelBinary,
  onHint: (hint: Hint) => void,
): Promise<Tuning | undefined> {
  if (given === undefined) return loadTuning?.(binary, onHint);
  // Few pages have a tuning.
  return given === 'built-in' ? undefined : (await import('../core/tuning.js')).checkTuning(given);
}

async function compileModules(
  platform: Platform,
  binary: KernelBinary,
  wasm: EngineOptions['wasm'],
  complex: boolean,
): Promise<WebAssembly.Module[]> {
  const kernels = await compile(platform, binary, wasm);
  return complex ? [kernels, await (await import('../kernels/complex.js')).compileComplex(binary)] : [kernels];
}

async function compile(
  platform: Platform,
  binary: KernelBinary,
  wasm: EngineOptions['wasm'],
): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  const url = wasm === undefined ? undefined : absoluteUrl('wasm', wasm);
  try {
    return await platform.compileKernels(binary, url);
  } catch (cause) {
    if (cause instanceof SparlaneError) throw cause;
    const message = `wasm: expected the kernels${url === undefined ? '' : ` at ${url}`}, got ${cause}`;
    throw new SparlaneError('kernel', message, {}, { cause });
  }
}
