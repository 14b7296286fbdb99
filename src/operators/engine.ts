/** The engine: one heap, one team, the kernels, and the GPUs where there are any; what makes vectors and operators. */
import type { CudaDevice, DeviceGraph } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import { planReference } from '../backends/reference.js';
import { planWasm, type WasmContext, type WasmPlanOptions } from '../backends/wasm.js';
import { asFloats } from '../core/arrays.js';
import { boolean, callback, integer, knownKeys, oneOf } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import { DTYPES, type Dtype, type VectorOf, vectorArray } from '../core/types.js';
import type { Team } from '../execution/team.js';
import type { StoredMatrix } from '../formats/format.js';
import { storeMatrix } from '../formats/registry.js';
import type { KernelBinary } from '../kernels/abi.js';
import type { DeviceVector } from '../memory/device.js';
import type { DeviceScalar } from '../memory/device-scalar.js';
import type { Heap } from '../memory/heap.js';
import { HeapVector } from '../memory/vector.js';
import type { Gpus } from './gpus.js';
import { type Made, MatrixOperator } from './matrix-operator.js';
import { partsOf } from './measure.js';
import type { Distribution } from './split.js';
import { type ChoiceOptions, checkChoice, storeBest } from './store-best.js';

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
  /** Over several GPUs: how rows are partitioned (`split.ts`). Default `block`. */
  distribution?: Distribution;
  /** On a device: how its kernel computes (`vector?width=8`). Default: what is expected to be fastest. */
  method?: string;
}

/** Where an operator's products are computed. */
export type BackendName = 'wasm' | 'cuda' | 'hybrid' | 'reference';

/** The format that is chosen for each matrix. */
export const AUTO = 'auto';

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

export class Engine implements AsyncDisposable, Disposable {
  readonly heap: Heap;
  /** Where its operators compute by default. */
  readonly backend: BackendName;
  /** What the sizes that nobody gives come from; undefined: built-in constants. */
  readonly tuning: Tuning | undefined;
  readonly #context: WasmContext;
  readonly #gpus: Gpus | undefined;
  readonly #onHint: (hint: Hint) => void;
  #disposal: Promise<void> | undefined;

  /** Made by `createEngine`. */
  constructor(
    context: WasmContext,
    gpus: Gpus | undefined,
    backend: BackendName,
    signal: AbortSignal | undefined,
    onHint: (hint: Hint) => void,
    tuning: Tuning | undefined,
  ) {
    this.heap = context.heap;
    this.backend = backend;
    this.tuning = tuning;
    this.#context = context;
    this.#gpus = gpus;
    this.#onHint = onHint;
    signal?.addEventListener('abort', () => void this.dispose(), { once: true });
    if (signal?.aborted) void this.dispose();
  }

  /** Its GPUs. */
  get devices(): readonly CudaDevice[] {
    return this.#gpus?.devices ?? [];
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
    const gpus = this.#gpusInUse();
    const type = vectorArray(oneOf('dtype', dtype ?? 'f64', DTYPES));
    const values = typeof source === 'number' ? new type(integer('source', source)) : asFloats('source', source);
    return gpus.vector<VectorOf<D>>(type, values);
  }

  /**
   * A number on the engine's device, f64: what vectors of the device are multiplied by, and what their dot products go to.
   *
   * @param value finite; default 0
   * @throws SparlaneError `backend` where the engine has no device
   */
  deviceScalar(value = 0): DeviceScalar {
    return this.#gpusInUse().scalar(value);
  }

  /**
   * Records what `queue` queues on the engine's device, instead of running it: products on vectors of the device, and operations on
   * them. `launch` of the graph runs it.
   *
   * @throws SparlaneError `backend` where the engine has no device, `argument` where something else than that is asked of the device
   */
  record(queue: () => void): DeviceGraph {
    return this.#gpusInUse().devices[0]!.record(callback('queue', queue));
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
    const { heap, tuning } = this;
    const csr = csrMatrix(matrix);
    const layOut = (rows: CsrMatrix, gpus: Gpus | undefined): Made => {
      const onDevice = gpus !== undefined;
      const storeRows = (some: CsrMatrix, spec: string, groups?: Groups) =>
        storeMatrix(heap, some, spec, dtype, { groups, tuning, onDevice, padding });
      const store = (some: CsrMatrix, spec: string, groups?: Groups): StoredMatrix => {
        if (distribution === undefined) return storeRows(some, spec, groups);
        return this.#gpusInUse().split(some, distribution, (part) => storeRows(part, spec, groups));
      };
      if (choice === undefined) return { stored: store(rows, options.format!, options.groups) };
      return storeBest(this.#context, rows, dtype, { ...choice, padding, tuning, store, gpus }, this.#onHint);
    };
    if (backend === 'hybrid') return this.#hybrid(csr, layOut, options, start);
    const made = layOut(csr, backend === 'cuda' ? this.#gpusInUse() : undefined);
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
    layOut: (rows: CsrMatrix, gpus: Gpus | undefined) => Made,
    options: OperatorOptions,
    start: number,
  ): MatrixOperator {
    const gpus = this.#gpusInUse();
    let decision: Made['decision'];
    const store = (rows: CsrMatrix, part: number) => {
      const half = layOut(rows, part === 0 ? gpus : undefined);
      if (part === 0) decision = half.decision;
      return half.stored;
    };
    const { stored, plan } = gpus.shareWithCpu(this.#context, matrix, store, options);
    return this.#finish({ stored, decision }, plan, start);
  }

  #finish(made: Made, plan: Plan, start: number): MatrixOperator {
    for (const message of made.stored.warnings ?? []) this.#onHint({ name: 'fell-back', message });
    return new MatrixOperator(this.heap, made, plan, performance.now() - start, this.#onHint);
  }

  #planOn(backend: BackendName, stored: StoredMatrix, options: OperatorOptions): Plan {
    if (backend === 'reference') return planReference(stored);
    if (backend === 'wasm') return planWasm(this.#context, stored, options);
    return this.#gpusInUse().plan(this.heap, stored, options);
  }

  /** Ends the threads; resolves when none runs any more. Idempotent. A program that forgets it ends all the same. */
  dispose(): Promise<void> {
    if (this.#disposal === undefined) {
      this.#gpus?.dispose();
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

  #gpusInUse(): Gpus {
    this.#checkAlive();
    if (this.#gpus === undefined) throw mismatch('backend', 'engine', "one with device: 'cuda'", 'an engine without');
    return this.#gpus;
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
  const distribution = oneOf('distribution', options.distribution ?? 'block', ['block', 'cyclic']);
  const padding = boolean('padding', options.padding ?? true);
  const isAuto = (options.format ?? AUTO) === AUTO;
  if (isAuto) onlyFor('groups', options.groups, "format 'csrk'");
  else for (const name of CHOICE_OPTIONS) onlyFor(name, options[name], `format '${AUTO}'`);
  const choice = isAuto ? checkChoice(options) : undefined;
  return { dtype, backend, distribution: isSplit ? distribution : undefined, padding, choice };
}

function onlyFor(name: string, value: unknown, what: string): void {
  if (value !== undefined) throw mismatch('argument', name, `no value (only valid with ${what})`, value);
}
