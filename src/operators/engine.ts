/**
 * The engine: one heap, one team, the kernels; what makes vectors and operators. The same in Node and in a page's worker;
 * what differs between them comes in as a `Platform` from `index.node.ts` and `index.browser.ts`.
 */
import { type CudaDevice, type DeviceGraph, planCuda } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import { planReference } from '../backends/reference.js';
import { planWasm, type WasmContext, type WasmPlanOptions } from '../backends/wasm.js';
import { asFloats } from '../core/arrays.js';
import { absoluteUrl, boolean, integer, knownKeys, oneOf } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
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
import { storeHybrid } from './hybrid.js';
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

export interface OperatorOptions extends WasmPlanOptions, ChoiceOptions {
  /** A format and its parameters: `csr`, `csrk?k=3&superRowSize=64`. Default `auto`: the one expected to be fastest. */
  format?: string;
  /** For `csrk`: its super-rows, as `bandk` finds them, instead of runs of equal length. */
  groups?: Groups;
  /** Default `f64`. */
  dtype?: Dtype;
  /**
   * Whether the layout may hold padding: zeros that are multiplied by elements of x which their row does not use. Where such an
   * element is NaN or infinite, the row becomes NaN. `false`: every row of y is as the entries of the row make it; `auto` then chooses
   * among formats without padding, and a format named that would hold some is refused (`fill-in`). Default true.
   */
  padding?: boolean;
  /**
   * `wasm`: kernels, on the team where it pays. `cuda`: on the engine's device. `hybrid`: on both. `reference`: plain TypeScript, to
   * check against. Default: what the engine's `device` says.
   */
  backend?: BackendName;
  /** Over several GPUs: how rows are dealt out to them (`split.ts`). Default `ranges`. */
  distribution?: Distribution;
  /** On a device: how its kernel computes (`vector?width=8`). Default: what is expected to be fastest. */
  method?: string;
}

/** Where an operator's products are computed. */
export type BackendName = 'wasm' | 'cuda' | 'hybrid' | 'reference';

export type DeviceChoice = 'cpu' | 'cuda' | 'hybrid' | 'auto';

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
  'member',
  'maximumBytes',
  'tuning',
  'signal',
  'onHint',
];
const BACKENDS: readonly BackendName[] = ['wasm', 'cuda', 'hybrid', 'reference'];
const CHOICE_OPTIONS = ['products', 'tune', 'allowPermutation'] as const;
const OPERATOR_OPTIONS = [
  'format',
  'groups',
  'dtype',
  'backend',
  'method',
  'distribution',
  'parts',
  'padding',
  ...CHOICE_OPTIONS,
];

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
  const choice = oneOf('device', options.device ?? 'cpu', ['cpu', 'cuda', 'hybrid', 'auto']);
  const gpus = integer('gpus', options.gpus ?? 1, 1, choice === 'hybrid' ? 1 : MAX_GPUS);
  const binary = oneOf('binary', options.binary ?? (await probeBinary()), ['simd', 'relaxed-simd']);
  const tuning = await chooseTuning(platform, options.tuning, binary, onHint);
  options.signal?.throwIfAborted();
  const kernels = describeModule(await compile(platform, binary, options.wasm), binary);
  const heap = new Heap(options.maximumBytes === undefined ? {} : { maximumBytes: options.maximumBytes });
  const own = linkKernels(kernels.module, heap.memory);
  const { cores, createPool } = platform;
  const worker = options.member === undefined ? undefined : absoluteUrl('member', options.member);
  const devices = await openDevices(platform, choice, gpus, onHint);
  const team = await Team.create(heap, kernels, own, { threads, cores, createPool, worker, onHint });
  const context: WasmContext = { kernels, own, team, heap, warm: new Set() };
  const backend = devices.length === 0 ? 'wasm' : choice === 'hybrid' ? 'hybrid' : 'cuda';
  return new Engine(context, devices, backend, options.signal, onHint, tuning);
}

/** @throws SparlaneError `backend` where `cuda` is asked for and there is none */
async function openDevices(
  { openDevices: open }: Platform,
  choice: DeviceChoice,
  count: number,
  onHint: (hint: Hint) => void,
): Promise<readonly CudaDevice[]> {
  if (choice === 'cpu') return [];
  const found = await open?.(count);
  const devices = found?.devices ?? [];
  if (devices.length === count) return devices;
  for (const device of devices) device.dispose();
  const why = devices.length > 0 ? `${devices.length} of ${count} GPUs` : (found?.status.message ?? 'CUDA is for Node');
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
  /** Its GPUs. */
  readonly devices: readonly CudaDevice[];
  /** Where its operators compute by default. */
  readonly backend: BackendName;
  /** What the sizes that nobody gives come from; undefined: built-in constants. */
  readonly tuning: Tuning | undefined;
  readonly #context: WasmContext;
  readonly #onHint: (hint: Hint) => void;
  #disposal: Promise<void> | undefined;

  /** Made by `createEngine`. */
  constructor(
    context: WasmContext,
    devices: readonly CudaDevice[],
    backend: BackendName,
    signal: AbortSignal | undefined,
    onHint: (hint: Hint) => void,
    tuning: Tuning | undefined,
  ) {
    this.heap = context.heap;
    this.devices = devices;
    this.backend = backend;
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
   * @param matrix a matrix of the library, or arrays: CSR, CSC or COO
   * @throws SparlaneError `structure`, `shape` or `argument` for a matrix or option that is none, `heap` where it does not
   *   fit, `fill-in` where the format named would be mostly padding, or would hold any with `padding: false`. Nothing is left allocated.
   */
  operator(matrix: MatrixInput, options: OperatorOptions = {}): MatrixOperator {
    this.#checkAlive();
    const { dtype, backend, distribution, padding, choice } = checkOperatorOptions(options, this);
    const start = performance.now();
    // Threads wake up while the matrix is laid out.
    this.#context.team.muster();
    const { heap, tuning, devices } = this;
    const csr = csrMatrix(matrix);
    const layOut = (rows: CsrMatrix, device: CudaDevice | undefined): Made => {
      const onDevice = device !== undefined;
      const storeRows = (some: CsrMatrix, spec: string, groups?: Groups) =>
        storeMatrix(heap, some, spec, dtype, { groups, tuning, onDevice, padding });
      const store = (some: CsrMatrix, spec: string, groups?: Groups): StoredMatrix => {
        if (distribution === undefined) return storeRows(some, spec, groups);
        return new SplitMatrix(some, deal(some, devices.length, distribution), (part) => storeRows(part, spec, groups));
      };
      if (choice === undefined) return { stored: store(rows, options.format!, options.groups) };
      return storeBest(this.#context, rows, dtype, { ...choice, padding, tuning, store, device }, this.#onHint);
    };
    if (backend === 'hybrid') return this.#hybrid(csr, layOut, options, start);
    const made = layOut(csr, backend === 'cuda' ? this.device : undefined);
    return this.#plan(made, backend, options, start);
  }

  /** The matrix is the operator's from here on, or freed. */
  #plan(made: Made, backend: BackendName, options: OperatorOptions, start: number): MatrixOperator {
    const { stored, decision } = made;
    try {
      const parts = decision === undefined ? {} : partsOf(decision.chosen);
      return this.#finish(made, this.#planOn(backend, stored, { ...parts, ...options }), start);
    } catch (error) {
      stored[Symbol.dispose]();
      throw error;
    }
  }

  /** Each half is laid out as is best where it is computed; the decision is the GPU's. */
  #hybrid(
    matrix: CsrMatrix,
    layOut: (rows: CsrMatrix, device: CudaDevice | undefined) => Made,
    options: OperatorOptions,
    start: number,
  ): MatrixOperator {
    const device = this.#deviceInUse();
    let decision: Made['decision'];
    const store = (rows: CsrMatrix, part: number) => {
      const half = layOut(rows, part === 0 ? device : undefined);
      if (part === 0) decision = half.decision;
      return half.stored;
    };
    const { stored, plan } = storeHybrid(this.#context, device, matrix, store, options);
    return this.#finish({ stored, decision }, plan, start);
  }

  #finish(made: Made, plan: Plan, start: number): MatrixOperator {
    for (const message of made.stored.remarks ?? []) this.#onHint({ name: 'fell-back', message });
    return new MatrixOperator(this.heap, made, plan, performance.now() - start, this.#onHint);
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

/** What an operator is to be like, checked. `distribution`: only over several GPUs. `choice`: only where no format is named. */
function checkOperatorOptions(options: OperatorOptions, engine: Pick<Engine, 'backend' | 'devices'>) {
  knownKeys('options', options, OPERATOR_OPTIONS);
  const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
  const backend = oneOf('backend', options.backend ?? engine.backend, BACKENDS);
  const isHybrid = backend === 'hybrid';
  const isSplit = backend === 'cuda' && engine.devices.length > 1;
  if (backend !== 'cuda' && !isHybrid) onlyFor('method', options.method, "backend 'cuda' or 'hybrid'");
  if (isSplit || isHybrid) onlyFor('tune', options.tune, 'one GPU, or the CPU');
  if (isHybrid) onlyFor('allowPermutation', options.allowPermutation, 'one GPU, or the CPU');
  if (!isSplit) onlyFor('distribution', options.distribution, 'several GPUs');
  const distribution = oneOf('distribution', options.distribution ?? 'ranges', ['ranges', 'cyclic']);
  const padding = boolean('padding', options.padding ?? true);
  const isAuto = (options.format ?? AUTO) === AUTO;
  if (isAuto) onlyFor('groups', options.groups, "format 'csrk'");
  else for (const name of CHOICE_OPTIONS) onlyFor(name, options[name], `format '${AUTO}'`);
  const choice = isAuto ? checkChoice(options) : undefined;
  return { dtype, backend, distribution: isSplit ? distribution : undefined, padding, choice };
}

function onlyFor(name: string, value: unknown, what: string): void {
  if (value !== undefined) throw mismatch('argument', name, `nothing but with ${what}`, value);
}
