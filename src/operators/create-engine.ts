/**
 * How an engine comes about: its options are checked, the kernels compiled, devices opened and threads started. The same in
 * Node and in a page's worker; what differs between them comes in as a `Platform` from `create-engine.*.ts`.
 */
import type { WasmContext } from '../backends/wasm.js';
import { abortSignal, absoluteUrl, callback, integer, knownKeys, oneOf } from '../core/checks.js';
import { SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { checkTuning, type Tuning } from '../core/tuning.js';
import type { CreatePool } from '../execution/pool.js';
import { Team } from '../execution/team.js';
import type { KernelBinary } from '../kernels/abi.js';
import { describeModule, linkKernels, probeBinary } from '../kernels/module.js';
import { Heap } from '../memory/heap.js';
import { Engine } from './engine.js';
import type { Gpus } from './gpus.js';

/** What Node and a page do differently. */
export interface Platform {
  readonly compileKernels: (binary: KernelBinary, url?: URL) => Promise<WebAssembly.Module>;
  readonly createPool: CreatePool;
  /** Cores this process may use. */
  readonly cores: number;
  /** Why threads cannot be had here; left out where they can. */
  readonly singleThreaded?: Hint;
  /** The first GPUs, fewer where there are not as many, and why there is none; left out where there never is one. */
  readonly openGpus?: (count: number) => Promise<{ status: { message: string }; gpus: Gpus }>;
  /** What `sparlane tune` has left on this machine for engines with these kernels; left out where it cannot run. */
  readonly loadTuning?: (binary: KernelBinary, onHint: (hint: Hint) => void) => Promise<Tuning | undefined>;
}

export interface EngineOptions {
  /** Threads, the caller's included: 1 to 256. Default: the cores this process may use. */
  threads?: number;
  /**
   * Where products are computed. `cuda`: on the first NVIDIA GPU (Node with `@sparlane/cuda`). `auto`: there, or where there is none
   * on the CPU, with the hint `no-device`. `hybrid`: on the GPU and on the CPU at once, each with its share of the rows, as measured for
   * each matrix, which makes an operator take as long as a few layouts. Default `cpu`.
   */
  device?: DeviceChoice;
  /** GPUs of this machine that share every product: 1 to 64. Default 1. */
  gpus?: number;
  /** Which build of the kernels. Default: the better one that this machine validates. */
  binary?: KernelBinary;
  /** Where the kernels are (a URL, or a module compiled already), for bundlers that lose them. */
  wasm?: URL | string | WebAssembly.Module;
  /** Where the script of the threads is (`sparlane/member`), for bundlers that lose it. */
  member?: URL | string;
  /** Most bytes the shared memory may grow to. Default and limit: 4 GiB. */
  maximumBytes?: number;
  /**
   * Sizes that were measured. Default: what `sparlane tune` has stored on this machine, in Node; else the built-in ones. What
   * a format's parameters say comes first.
   */
  tuning?: Tuning | 'built-in';
  /** Disposes the engine when it aborts. */
  signal?: AbortSignal;
  /** Hears what the caller may want to know; see `Hint`. The library itself never writes to a console. */
  onHint?: (hint: Hint) => void;
}

export type DeviceChoice = 'cpu' | 'cuda' | 'hybrid' | 'auto';

const MAX_THREADS = 256;
const MAX_GPUS = 64;

/** The number behind `threads` when the caller does not say. */
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

const ENGINE_OPTIONS = [
  'threads',
  'device',
  'gpus',
  'binary',
  'wasm',
  'member',
  'maximumBytes',
  'tuning',
  'signal',
  'onHint',
];

/**
 * Makes an engine: compiles the kernels, starts the threads, and waits until they stand by.
 *
 * @throws SparlaneError `argument` for an unknown or wrong option, `backend` where WebAssembly or its SIMD is missing, threads
 *   may not or do not start, or there is no such device, `heap` where there is no room for a shared memory, `kernel` where the
 *   WebAssembly module cannot be had or is not ours; the signal's reason where it has aborted
 */
export async function createEngineOn(platform: Platform, options: EngineOptions = {}): Promise<Engine> {
  knownKeys('options', options, ENGINE_OPTIONS);
  const onHint = options.onHint === undefined ? () => {} : callback('onHint', options.onHint);
  const signal = options.signal === undefined ? undefined : abortSignal('signal', options.signal);
  const threads = threadCount(platform, options, onHint);
  const choice = oneOf('device', options.device ?? 'cpu', ['cpu', 'cuda', 'hybrid', 'auto']);
  const gpuCount = integer('gpus', options.gpus ?? 1, 1, choice === 'hybrid' ? 1 : MAX_GPUS);
  const member = options.member === undefined ? undefined : absoluteUrl('member', options.member);
  const binary = await probeBinary(options.binary);
  const tuning = await chooseTuning(platform, options.tuning, binary, onHint);
  signal?.throwIfAborted();
  const kernels = describeModule(await compile(platform, binary, options.wasm), binary);
  const heap = new Heap(options.maximumBytes === undefined ? {} : { maximumBytes: options.maximumBytes });
  const own = linkKernels(kernels.module, heap.memory);
  const { cores, createPool } = platform;
  const gpus = choice === 'cpu' ? undefined : await openGpus(platform, choice, gpuCount, onHint);
  const backend = gpus === undefined ? 'wasm' : choice === 'hybrid' ? 'hybrid' : 'cuda';
  try {
    const team = await Team.create(heap, kernels, own, { threads, cores, createPool, member, onHint });
    const context: WasmContext = { kernels, own, team, heap, warm: new Set() };
    return new Engine(context, gpus, backend, signal, onHint, tuning);
  } catch (error) {
    gpus?.dispose();
    throw error;
  }
}

/** @throws SparlaneError `backend` where a GPU is asked for and there is none */
async function openGpus(
  { openGpus: open }: Platform,
  choice: DeviceChoice,
  count: number,
  onHint: (hint: Hint) => void,
): Promise<Gpus | undefined> {
  const found = await open?.(count);
  const opened = found?.gpus.devices.length ?? 0;
  if (opened === count) return found?.gpus;
  found?.gpus.dispose();
  const why = opened > 0 ? `${opened} of ${count} GPUs` : (found?.status.message ?? 'CUDA is for Node');
  if (choice !== 'auto') throw new SparlaneError('backend', `device: expected a CUDA device, got none: ${why}`);
  onHint({ name: 'no-device', message: `on the CPU: ${why}` });
  return undefined;
}

async function chooseTuning(
  { loadTuning }: Platform,
  given: EngineOptions['tuning'],
  binary: KernelBinary,
  onHint: (hint: Hint) => void,
): Promise<Tuning | undefined> {
  if (given === undefined) return loadTuning?.(binary, onHint);
  return given === 'built-in' ? undefined : checkTuning(given);
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
