/**
 * The engine: one heap, one team, the kernels; what makes vectors and operators. The same in Node and in a page's worker;
 * what differs between them comes in as a `Platform` from `index.node.ts` and `index.browser.ts`.
 */
import { type CudaDevice, type DeviceGraph, planCuda } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import { planReference } from '../backends/reference.js';
import { planWasm, type WasmContext, type WasmPlanOptions } from '../backends/wasm.js';
import { absoluteUrl, integer, knownKeys, oneOf } from '../core/checks.js';
import { asFloats, type CsrInput, type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import type { Hint } from '../core/hints.js';
import { checkTuning, type Tuning } from '../core/tuning.js';
import { DTYPES, type Dtype, type VectorOf, vectorArray } from '../core/types.js';
import type { CreatePool } from '../execution/pool.js';
import { Team } from '../execution/team.js';
import type { StoredMatrix } from '../formats/format.js';
import { storeMatrix } from '../formats/registry.js';
import type { KernelBinary } from '../kernels/abi.js';
import { describeModule, linkKernels, probeBinary } from '../kernels/module.js';
import { DeviceVector } from '../memory/device.js';
import { DeviceScalar } from '../memory/device-scalar.js';
import { Heap } from '../memory/heap.js';
import { HeapVector } from '../memory/vector.js';
import { type Made, MatrixOperator } from './matrix-operator.js';
import { partsOf } from './measure.js';
import { type Distribution, deal, planSplit, SplitMatrix } from './split.js';
import { type ChoiceOptions, checkChoice, storeBest } from './store-best.js';

/** What Node and a page do differently. */
export interface Platform {
  readonly compileKernels: (binary: KernelBinary, url?: URL) => Promise<WebAssembly.Module>;
  readonly createPool: CreatePool;
  /** Cores this process may use. */
  readonly cores: number;
  /** Why threads cannot be had here; left out where they can. */
  readonly singleThreaded?: Hint;
  /** The first GPUs, or why there is none; left out where there never is one. */
  readonly openDevices?: (count: number) => Promise<{ status: { message: string }; devices: CudaDevice[] }>;
  /** What `sparlane tune` has left on this machine for engines with these kernels; left out where it cannot run. */
  readonly loadTuning?: (binary: KernelBinary, onHint: (hint: Hint) => void) => Promise<Tuning | undefined>;
}

export interface EngineOptions {
  /** Threads, the caller's included: 1 to 256. Default: the cores this process may use. */
  threads?: number;
  /**
   * Where products are computed. `cuda`: on the first NVIDIA GPU (Node with `@sparlane/cuda`). `auto`: there, or where there is none
   * on the CPU, with the hint `no-device`. Default `cpu`.
   */
  device?: 'cpu' | 'cuda' | 'auto';
  /** GPUs of this machine that share every product: 1 to 64. Default 1. */
  gpus?: number;
  /** Which build of the kernels. Default: the better one that this machine validates. */
  binary?: KernelBinary;
  /** Where the kernels are (a URL, or a module compiled already), for bundlers that lose them. */
  wasm?: URL | string | WebAssembly.Module;
  /** Where the script of the threads is, for bundlers that lose it. */
  worker?: URL | string;
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

export interface OperatorOptions extends WasmPlanOptions, ChoiceOptions {
  /** A format and its parameters: `csr`, `csrk?k=3&superRowSize=64`. Default `auto`: the one expected to be fastest. */
  format?: string;
  /** For `csrk`: its super-rows, as `bandk` finds them, instead of runs of equal length. */
  groups?: Groups;
  /** Default `f64`. */
  dtype?: Dtype;
  /**
   * `wasm`: kernels, on the team where it pays. `cuda`: on the engine's device. `reference`: plain TypeScript, to check against.
   * Default: `cuda` where the engine has a device, else `wasm`.
   */
  backend?: BackendName;
  /** Over several GPUs: how rows are dealt out to them (`split.ts`). Default `ranges`. */
  distribution?: Distribution;
  /** On a device: how its kernel computes (`vector?width=8`). Default: what is expected to be fastest. */
  method?: string;
}

/** Where an operator's products are computed. */
export type BackendName = 'wasm' | 'cuda' | 'reference';

const MAX_THREADS = 256;
const MAX_GPUS = 64;

/** The format that is chosen for each matrix. */
export const AUTO = 'auto';

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
  'worker',
  'maximumBytes',
  'tuning',
  'signal',
  'onHint',
];
const BACKENDS: readonly BackendName[] = ['wasm', 'cuda', 'reference'];
const CHOICE_OPTIONS = ['products', 'tune', 'allowPermutation'] as const;
const OPERATOR_OPTIONS = ['format', 'groups', 'dtype', 'backend', 'method', 'distribution', 'parts', ...CHOICE_OPTIONS];

/**
 * Makes an engine: compiles the kernels, starts the threads, and waits until they stand by.
 *
 * @throws SparlaneError `argument` for an unknown or wrong option, `backend` where threads do not start or there is no such
 *   device, `heap` where there is no room for a shared memory, `kernel` where the WebAssembly module is not ours
 */
export async function createEngineOn(platform: Platform, options: EngineOptions = {}): Promise<Engine> {
  knownKeys('options', options, ENGINE_OPTIONS);
  const onHint = options.onHint ?? (() => {});
  const threads = threadCount(platform, options, onHint);
  const choice = oneOf('device', options.device ?? 'cpu', ['cpu', 'cuda', 'auto']);
  const gpus = integer('gpus', options.gpus ?? 1, 1, MAX_GPUS);
  const binary = oneOf('binary', options.binary ?? (await probeBinary()), ['simd', 'relaxed-simd']);
  const tuning = await chooseTuning(platform, options.tuning, binary, onHint);
  options.signal?.throwIfAborted();
  const kernels = describeModule(await compile(platform, binary, options.wasm), binary);
  const heap = new Heap(options.maximumBytes === undefined ? {} : { maximumBytes: options.maximumBytes });
  const own = linkKernels(kernels.module, heap.memory);
  const { cores, createPool } = platform;
  const worker = options.worker === undefined ? undefined : absoluteUrl('worker', options.worker);
  const devices = await openDevices(platform, choice, gpus, onHint);
  const team = await Team.create(heap, kernels, own, { threads, cores, createPool, worker, onHint });
  const context: WasmContext = { kernels, own, team, heap, warm: new Set() };
  return new Engine(context, devices, options.signal, onHint, tuning);
}

/** @throws SparlaneError `backend` where `cuda` is asked for and there is none */
async function openDevices(
  { openDevices: open }: Platform,
  choice: 'cpu' | 'cuda' | 'auto',
  count: number,
  onHint: (hint: Hint) => void,
): Promise<readonly CudaDevice[]> {
  if (choice === 'cpu') return [];
  const found = await open?.(count);
  const devices = found?.devices ?? [];
  if (devices.length === count) return devices;
  for (const device of devices) device.dispose();
  const why = devices.length > 0 ? `${devices.length} of ${count} GPUs` : (found?.status.message ?? 'CUDA is for Node');
  if (choice === 'cuda') throw new SparlaneError('backend', `device: expected a CUDA device, got none: ${why}`);
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
  return given === 'built-in' ? undefined : checkTuning(given);
}

async function compile(
  platform: Platform,
  binary: KernelBinary,
  wasm: EngineOptions['wasm'],
): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  return platform.compileKernels(binary, wasm === undefined ? undefined : absoluteUrl('wasm', wasm));
}

export class Engine implements AsyncDisposable, Disposable {
  readonly heap: Heap;
  /** The GPUs that operators compute on by default; none: the CPU. */
  readonly devices: readonly CudaDevice[];
  /** What the sizes that nobody gives come from; undefined: built-in constants. */
  readonly tuning: Tuning | undefined;
  readonly #context: WasmContext;
  readonly #onHint: (hint: Hint) => void;
  #disposal: Promise<void> | undefined;

  /** Made by `createEngine`. */
  constructor(
    context: WasmContext,
    devices: readonly CudaDevice[],
    signal: AbortSignal | undefined,
    onHint: (hint: Hint) => void,
    tuning: Tuning | undefined,
  ) {
    this.heap = context.heap;
    this.devices = devices;
    this.tuning = tuning;
    this.#context = context;
    this.#onHint = onHint;
    signal?.addEventListener('abort', () => void this.dispose(), { once: true });
    if (signal?.aborted) void this.dispose();
  }

  /** The first of its GPUs, where vectors of a device live. */
  get device(): CudaDevice | undefined {
    return this.devices[0];
  }

  /** Threads, the caller's included. */
  get threads(): number {
    return this.#context.team.size;
  }

  /** Which build of the kernels runs. */
  get binary(): KernelBinary {
    return this.#context.kernels.binary;
  }

  /** The threads: who took part in the last product, and how many stand by. For tests and for the curious. */
  get team(): Team {
    return this.#context.team;
  }

  /** What backends need. */
  get context(): WasmContext {
    return this.#context;
  }

  /**
   * A vector in the shared heap: zeros of a given length, or a copy of numbers. Products use it without copying.
   *
   * @throws SparlaneError `heap` where it does not fit
   */
  vector<D extends Dtype = 'f64'>(source: number | ArrayLike<number>, dtype?: D): HeapVector<VectorOf<D>> {
    this.#checkAlive();
    const type = vectorArray(oneOf('dtype', dtype ?? 'f64', DTYPES));
    if (typeof source === 'number') return new HeapVector(this.heap, type, source);
    const values = asFloats('source', source);
    return new HeapVector<VectorOf<D>>(this.heap, type, values.length).set(values);
  }

  /**
   * The same on the engine's device: products of its operators use it there, and are queued instead of waited for.
   *
   * @throws SparlaneError `backend` where the engine has no device, `heap` where the device is full
   */
  deviceVector<D extends Dtype = 'f64'>(source: number | ArrayLike<number>, dtype?: D): DeviceVector<VectorOf<D>> {
    const device = this.#deviceInUse();
    const type = vectorArray(oneOf('dtype', dtype ?? 'f64', DTYPES));
    const values = typeof source === 'number' ? new type(source) : asFloats('source', source);
    return new DeviceVector<VectorOf<D>>(device, type, values.length).set(values);
  }

  /**
   * A number on the engine's device, f64: what vectors of the device are multiplied by, and what their dot products go to.
   *
   * @param value finite; default 0
   * @throws SparlaneError `backend` where the engine has no device
   */
  deviceScalar(value = 0): DeviceScalar {
    return new DeviceScalar(this.#deviceInUse(), value);
  }

  /**
   * Records what `queue` queues on the engine's device, instead of running it: products on vectors of the device, and operations on
   * them. `launch` of the graph runs it.
   *
   * @throws SparlaneError `backend` where the engine has no device, `argument` where something else than that is asked of the device
   */
  record(queue: () => void): DeviceGraph {
    return this.#deviceInUse().record(queue);
  }

  /**
   * The operator x ↦ A x: validates the matrix, chooses a format where none is named, lays the matrix out in the shared heap,
   * plans its products.
   *
   * @throws SparlaneError `structure`, `shape` or `argument` for a matrix or option that is none, `heap` where it does not
   *   fit, `fill-in` where the format named would be mostly padding. Nothing is left allocated.
   */
  operator(matrix: CsrInput, options: OperatorOptions = {}): MatrixOperator {
    this.#checkAlive();
    knownKeys('options', options, OPERATOR_OPTIONS);
    const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
    const backend = oneOf('backend', options.backend ?? (this.device === undefined ? 'wasm' : 'cuda'), BACKENDS);
    if (backend !== 'cuda') onlyFor('method', options.method, "backend 'cuda'");
    const isSplit = backend === 'cuda' && this.devices.length > 1;
    if (isSplit) onlyFor('tune', options.tune, 'one GPU');
    else onlyFor('distribution', options.distribution, 'several GPUs');
    const distribution = oneOf('distribution', options.distribution ?? 'ranges', ['ranges', 'cyclic']);
    const format = options.format ?? AUTO;
    const start = performance.now();
    // Threads wake up while the matrix is laid out.
    this.#context.team.muster();
    const { heap, tuning, devices } = this;
    const csr = csrMatrix(matrix);
    const store = (rows: CsrMatrix, spec: string, groups?: Groups): StoredMatrix => {
      const storeRows = (some: CsrMatrix) =>
        storeMatrix(heap, some, spec, dtype, { groups, tuning, onDevice: backend === 'cuda' });
      return isSplit ? new SplitMatrix(rows, deal(rows, devices.length, distribution), storeRows) : storeRows(rows);
    };
    if (format !== AUTO) {
      for (const name of CHOICE_OPTIONS) onlyFor(name, options[name], `format '${AUTO}'`);
      return this.#plan({ stored: store(csr, format, options.groups) }, backend, options, start);
    }
    onlyFor('groups', options.groups, "format 'csrk'");
    const best = storeBest(
      this.#context,
      csr,
      dtype,
      { ...checkChoice(options), tuning, store, device: backend === 'cuda' ? this.device : undefined },
      this.#onHint,
    );
    return this.#plan(best, backend, { ...partsOf(best.decision.chosen), ...options }, start);
  }

  /** The matrix is the operator's from here on, or freed. */
  #plan(made: Made, backend: BackendName, options: OperatorOptions, start: number): MatrixOperator {
    const { stored } = made;
    try {
      const plan = this.#planOn(backend, stored, options);
      for (const message of stored.remarks ?? []) this.#onHint({ name: 'fell-back', message });
      return new MatrixOperator(this.heap, made, plan, performance.now() - start, this.#onHint);
    } catch (error) {
      stored[Symbol.dispose]();
      throw error;
    }
  }

  #planOn(backend: BackendName, stored: StoredMatrix, options: OperatorOptions): Plan {
    if (backend === 'reference') return planReference(stored);
    if (backend === 'wasm') return planWasm(this.#context, stored, options);
    const device = this.#deviceInUse();
    if (stored instanceof SplitMatrix) return planSplit(this.devices, this.heap, stored, options);
    return planCuda(device, this.heap, stored, options);
  }

  /** Ends the threads; resolves when none runs any more. Idempotent. A program that forgets it ends all the same. */
  dispose(): Promise<void> {
    if (this.#disposal === undefined) {
      for (const device of this.devices) device.dispose();
      this.#disposal = this.#context.team.dispose();
    }
    return this.#disposal;
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #deviceInUse(): CudaDevice {
    this.#checkAlive();
    if (this.device === undefined) throw mismatch('backend', 'engine', "one with device: 'cuda'", 'an engine without');
    return this.device;
  }

  #checkAlive(): void {
    if (this.#disposal !== undefined) throw mismatch('argument', 'engine', 'one that is in use', 'a disposed engine');
  }
}

function onlyFor(name: string, value: unknown, what: string): void {
  if (value !== undefined) throw mismatch('argument', name, `nothing but with ${what}`, value);
}
