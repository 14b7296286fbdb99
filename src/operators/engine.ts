/**
 * The engine: one heap, one team, the kernels; what makes vectors and operators. The same in Node and in a page's worker;
 * what differs between them comes in as a `Platform` from `index.node.ts` and `index.browser.ts`.
 */
import type { Plan } from '../backends/plan.js';
import { planReference } from '../backends/reference.js';
import { planWasm, type WasmContext, type WasmPlanOptions } from '../backends/wasm.js';
import { absoluteUrl, integer, knownKeys, oneOf } from '../core/checks.js';
import { asFloats, type CsrInput, csrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import type { Hint } from '../core/hints.js';
import { DTYPES, type Dtype, type VectorOf, vectorArray } from '../core/types.js';
import type { CreatePool } from '../execution/pool.js';
import { Team } from '../execution/team.js';
import { storeMatrix } from '../formats/registry.js';
import type { KernelBinary } from '../kernels/abi.js';
import { describeModule, linkKernels, probeBinary } from '../kernels/module.js';
import { Heap } from '../memory/heap.js';
import { HeapVector } from '../memory/vector.js';
import { MatrixOperator } from './matrix-operator.js';

/** What Node and a page do differently. */
export interface Platform {
  readonly compileKernels: (binary: KernelBinary, url?: URL) => Promise<WebAssembly.Module>;
  readonly createPool: CreatePool;
  /** Cores this process may use. */
  readonly cores: number;
  /** Why threads cannot be had here; left out where they can. */
  readonly singleThreaded?: Hint;
}

export interface EngineOptions {
  /** Threads, the caller's included: 1 to 256. Default: the cores this process may use. */
  threads?: number;
  /** Which build of the kernels. Default: the better one that this machine validates. */
  binary?: KernelBinary;
  /** Where the kernels are (a URL, or a module compiled already), for bundlers that lose them. */
  wasm?: URL | string | WebAssembly.Module;
  /** Where the script of the threads is, for bundlers that lose it. */
  worker?: URL | string;
  /** Most bytes the shared memory may grow to. Default and limit: 4 GiB. */
  maximumBytes?: number;
  /** Disposes the engine when it aborts. */
  signal?: AbortSignal;
  /** Hears what the caller may want to know; see `Hint`. The library itself never writes to a console. */
  onHint?: (hint: Hint) => void;
}

export interface OperatorOptions extends WasmPlanOptions {
  /** A format and its parameters: `csr`, `csrk?k=3&superRowSize=64`. Default `csr`. */
  format?: string;
  /** For `csrk`: its super-rows, as `bandk` finds them, instead of runs of equal length. */
  groups?: Groups;
  /** Default `f64`. */
  dtype?: Dtype;
  /** `wasm`: kernels, on the team where it pays. `reference`: plain TypeScript, to check against. Default `wasm`. */
  backend?: 'wasm' | 'reference';
}

const MAX_THREADS = 256;

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

const ENGINE_OPTIONS = ['threads', 'binary', 'wasm', 'worker', 'maximumBytes', 'signal', 'onHint'];
const OPERATOR_OPTIONS = ['format', 'groups', 'dtype', 'backend', 'parts'];

/**
 * Makes an engine: compiles the kernels, starts the threads, and waits until they stand by.
 *
 * @throws SparlaneError `argument` for an unknown or wrong option, `backend` where threads do not start, `heap` where there
 *   is no room for a shared memory, `kernel` where the WebAssembly module is not ours
 */
export async function createEngineOn(platform: Platform, options: EngineOptions = {}): Promise<Engine> {
  knownKeys('options', options, ENGINE_OPTIONS);
  const onHint = options.onHint ?? (() => {});
  const threads = threadCount(platform, options, onHint);
  const binary = oneOf('binary', options.binary ?? (await probeBinary()), ['simd', 'relaxed-simd']);
  options.signal?.throwIfAborted();
  const kernels = describeModule(await compile(platform, binary, options.wasm), binary);
  const heap = new Heap(options.maximumBytes === undefined ? {} : { maximumBytes: options.maximumBytes });
  const own = linkKernels(kernels.module, heap.memory);
  const { cores, createPool } = platform;
  const worker = options.worker === undefined ? undefined : absoluteUrl('worker', options.worker);
  const team = await Team.create(heap, kernels, own, { threads, cores, createPool, worker, onHint });
  return new Engine({ kernels, own, team, heap, warm: new Set() }, options.signal, onHint);
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
  readonly #context: WasmContext;
  readonly #onHint: (hint: Hint) => void;
  #disposal: Promise<void> | undefined;

  /** Made by `createEngine`. */
  constructor(context: WasmContext, signal: AbortSignal | undefined, onHint: (hint: Hint) => void) {
    this.heap = context.heap;
    this.#context = context;
    this.#onHint = onHint;
    signal?.addEventListener('abort', () => void this.dispose(), { once: true });
    if (signal?.aborted) void this.dispose();
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
   * The operator x ↦ A x: validates the matrix, lays it out in the shared heap, plans its products.
   *
   * @throws SparlaneError `structure`, `shape` or `argument` for a matrix or option that is none, `heap` where it does not
   *   fit, `fill-in` where the format would be mostly padding. Nothing is left allocated.
   */
  operator(matrix: CsrInput, options: OperatorOptions = {}): MatrixOperator {
    this.#checkAlive();
    knownKeys('options', options, OPERATOR_OPTIONS);
    const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
    const backend = oneOf('backend', options.backend ?? 'wasm', ['wasm', 'reference']);
    const start = performance.now();
    // Threads wake up while the matrix is laid out.
    this.#context.team.muster();
    const stored = storeMatrix(this.heap, csrMatrix(matrix), options.format ?? 'csr', dtype, options.groups);
    try {
      const plan: Plan = backend === 'reference' ? planReference(stored) : planWasm(this.#context, stored, options);
      for (const message of stored.remarks ?? []) this.#onHint({ name: 'fell-back', message });
      return new MatrixOperator(this.heap, stored, plan, performance.now() - start, this.#onHint);
    } catch (error) {
      stored[Symbol.dispose]();
      throw error;
    }
  }

  /** Ends the threads; resolves when none runs any more. Idempotent. A program that forgets it ends all the same. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#context.team.dispose();
    return this.#disposal;
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #checkAlive(): void {
    if (this.#disposal !== undefined) throw mismatch('argument', 'engine', 'one that is in use', 'a disposed engine');
  }
}
