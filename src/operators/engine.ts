/** The engine: one heap, one team, the kernels, and the GPUs if there are any. It creates vectors and operators. */
import type { CudaDevice } from '../backends/cuda.js';
import { HeapSpace } from '../backends/heap-space.js';
import type { Plan } from '../backends/plan.js';
import { planReference } from '../backends/reference.js';
import { planWasm, type WasmContext } from '../backends/wasm.js';
import { asFloats } from '../core/arrays.js';
import { callback, integer, oneOf } from '../core/checks.js';
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
import type { Heap } from '../memory/heap.js';
import { Scalar } from '../memory/scalar.js';
import type { Recording, Space } from '../memory/space.js';
import { HeapVector, type Vector } from '../memory/vector.js';
import type { Gpus } from './gpus.js';
import { type Made, MatrixOperator } from './matrix-operator.js';
import { partsOf } from './measure.js';
import { type BackendName, checkOperatorOptions, type OperatorOptions } from './operator-options.js';
import { storeBest } from './store-best.js';

export class Engine implements AsyncDisposable, Disposable {
  readonly heap: Heap;
  /** The default backend of its operators. */
  readonly backend: BackendName;
  /** The source of sizes that the caller does not give. Undefined: built-in constants. */
  readonly tuning: Tuning | undefined;
  readonly #context: WasmContext;
  readonly #shared: HeapSpace;
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
    this.#shared = new HeapSpace(context);
    this.#gpus = gpus;
    this.#onHint = onHint;
    signal?.addEventListener('abort', () => void this.dispose(), { once: true });
    if (signal?.aborted) void this.dispose();
  }

  /** Its GPUs. */
  get devices(): readonly CudaDevice[] {
    return this.#gpus?.devices ?? [];
  }

  /** The first of its GPUs, which holds the vectors of `deviceVector`. */
  get device(): CudaDevice | undefined {
    return this.devices[0];
  }

  /** The space of `scalar` and `record`: its device, or the heap if it has none. */
  get space(): Space {
    return this.device ?? this.#shared;
  }

  /** Threads, the caller's included. */
  get threads(): number {
    return this.#context.team.size;
  }

  /** The build of the kernels in use. */
  get binary(): KernelBinary {
    return this.#context.kernels.binary;
  }

  /** The threads: which ones took part in the last product, and how many stand by. For tests and diagnosis. */
  get team(): Team {
    return this.#context.team;
  }

  /** The data that backends need. */
  get context(): WasmContext {
    return this.#context;
  }

  /**
   * A vector in the shared heap: zeros of a given length, or a copy of numbers. Products use it without copying.
   *
   * @throws SparlaneError `heap` if it does not fit
   */
  vector<D extends Dtype = 'f64'>(source: number | ArrayLike<number>, dtype?: D): HeapVector<VectorOf<D>> {
    this.#checkAlive();
    const type = vectorArray(oneOf('dtype', dtype ?? 'f64', DTYPES));
    if (typeof source === 'number') return new HeapVector(this.#shared, type, source);
    const values = asFloats('source', source);
    return new HeapVector<VectorOf<D>>(this.#shared, type, values.length).set(values);
  }

  /**
   * A vector on the engine's device. Products of its operators use it there; they are queued, and `apply` does not
   * wait.
   *
   * @throws SparlaneError `backend` if the engine has no device; `heap` if the device is full
   */
  deviceVector<D extends Dtype = 'f64'>(source: number | ArrayLike<number>, dtype?: D): Vector<VectorOf<D>> {
    const gpus = this.#gpusInUse();
    const type = vectorArray(oneOf('dtype', dtype ?? 'f64', DTYPES));
    const values = typeof source === 'number' ? new type(integer('source', source)) : asFloats('source', source);
    return gpus.vector<VectorOf<D>>(type, values);
  }

  /**
   * A number on the engine's device, f64: a factor of the device's vectors, or the result of their dot products.
   *
   * @param value finite; default 0
   * @throws SparlaneError `backend` if the engine has no device
   */
  deviceScalar(value = 0): Scalar {
    return this.#gpusInUse().scalar(value);
  }

  /**
   * A scalar, f64: a coefficient of vector operations, or the result of a dot product. It lives on the engine's device, or
   * in the heap if the engine has none.
   *
   * @param value finite; default 0
   * @throws SparlaneError `heap` if it does not fit
   */
  scalar(value = 0): Scalar {
    this.#checkAlive();
    return new Scalar(this.space, value);
  }

  /**
   * Records the products and the operations on vectors and scalars of `step`, without running them; `launch` of the
   * recording runs them, any number of times. On the engine's device they become one graph; in the heap, adjacent vector
   * operations run as one program.
   *
   * @throws SparlaneError `argument` if `step` does anything else, such as reading the value of a scalar
   */
  record(step: () => void): Recording {
    this.#checkAlive();
    return this.space.record(callback('step', step));
  }

  /**
   * Creates the operator x ↦ A x: validates the matrix, selects a format if none is named, stores the matrix in the
   * shared heap and plans its products.
   *
   * @param matrix a matrix of the library, or arrays: CSR, CSC or COO
   * @throws SparlaneError `structure`, `shape` or `argument` for an invalid matrix or option; `heap` if it does not
   *   fit; `fill-in` if the named format would store mostly padding, or any padding with `padding: false`. Nothing
   *   stays allocated.
   */
  operator(matrix: MatrixInput, options: OperatorOptions = {}): MatrixOperator {
    this.#checkAlive();
    const { dtype, backend, distribution, padding, choice } = checkOperatorOptions(options, this);
    const start = performance.now();
    // Threads wake up while the matrix is converted.
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

  /** Transfers the matrix to the operator, or frees it after an error. */
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

  /** Each half gets the best format for its device. The reported decision is that of the GPU. */
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
    return new MatrixOperator(this.#shared, made, plan, performance.now() - start, this.#onHint);
  }

  #planOn(backend: BackendName, stored: StoredMatrix, options: OperatorOptions): Plan {
    if (backend === 'reference') return planReference(stored);
    if (backend === 'wasm') return planWasm(this.#context, stored, options);
    return this.#gpusInUse().plan(this.heap, stored, options);
  }

  /**
   * Ends the threads. Resolves when all have stopped. Idempotent, and optional: an idle engine does not keep the
   * process alive.
   */
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
