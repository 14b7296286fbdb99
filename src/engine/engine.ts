/** The engine: one heap, one team, the kernels, and the GPUs if there are any. It makes vectors, operators and matrices in the heap. */
import type { Backend, DeviceBackend } from '../backends/backend.js';
import { createReference } from '../backends/reference.js';
import { createTeamBackend, type TeamContext } from '../backends/team/backend.js';
import { HeapSpace } from '../backends/team/heap-space.js';
import { machineCosts } from '../choice/machine.js';
import type { MachineCosts } from '../choice/model.js';
import { callback } from '../core/checks.js';
import type { CsrMatrix, MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { Tuning } from '../core/tuning.js';
import type { Dtype, VectorOf } from '../core/types.js';
import type { Team } from '../execution/team.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { KernelBinary } from '../kernels/abi.js';
import { type HeapMatrix, heapMatrix } from '../matrices/heap-matrix.js';
import { multiplyInEngine } from '../matrices/matrix-algebra.js';
import type { Heap } from '../memory/heap.js';
import { Scalar } from '../memory/scalar.js';
import type { Ranks, Recording, Space } from '../memory/space.js';
import type { BlockSource } from '../memory/transfer.js';
import type { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { type CreateMemories, type MakerParts, OperatorMaker } from '../operators/operator-maker.js';
import type { Device, OperatorDevice, OperatorOptions } from '../operators/operator-options.js';
import { createVector, type VectorOptions } from './create-vector.js';

/** The parts of an engine. */
export interface EngineParts {
  readonly context: TeamContext;
  /** Owned by the engine. */
  readonly gpus: readonly DeviceBackend[];
  readonly device: Device;
  readonly onHint: (hint: Hint) => void;
  readonly tuning?: Tuning | undefined;
  /** With whom the vectors of the heap are shared. */
  readonly ranks?: Ranks | undefined;
  /** Makes its memories beyond the first. */
  readonly otherMemories?: CreateMemories | undefined;
}

/** A heap that threads share, and what computes in it: it makes operators and vectors, and is the first argument of solvers. `createEngine` makes one. */
export class Engine extends ThreadBound implements AsyncDisposable, Disposable {
  readonly heap: Heap;
  /** Where it computes. */
  readonly device: Device;
  /** Its GPUs. Their vectors are on the first one. */
  readonly gpus: readonly DeviceBackend[];
  /** The backend of the threads. */
  readonly cpu: Backend;
  /** The source of sizes that the caller does not give. Undefined: built-in constants. */
  readonly tuning: Tuning | undefined;
  /** The constants by which formats are chosen. */
  readonly costs: MachineCosts;
  /** The data of the team's backend. */
  readonly context: TeamContext;
  /** Receives its messages. */
  readonly onHint: (hint: Hint) => void;
  readonly #operators: OperatorMaker;
  #disposal: Promise<void> | undefined;

  /** Made by `createEngine`. */
  constructor({ context, gpus, device, onHint, tuning, ranks, otherMemories }: EngineParts) {
    super('engine');
    this.heap = context.heap;
    this.context = context;
    this.device = device;
    this.onHint = onHint;
    this.gpus = gpus;
    this.cpu = createTeamBackend(context, new HeapSpace(context, ranks));
    this.tuning = tuning;
    this.costs = machineCosts(context.team.size, tuning?.costs);
    const backendOf: MakerParts['backendOf'] = (asked) => this.#backend(asked);
    this.#operators = new OperatorMaker({
      context,
      device,
      cpu: this.cpu,
      gpus,
      backendOf,
      tuning,
      costs: this.costs,
      onHint,
      otherMemories,
    });
  }

  /** The space of its vectors, scalars and recordings: the memory of its first GPU, or the shared heap. */
  get space(): Space {
    return this.device === 'cuda' ? this.#backend('cuda').space : this.cpu.space;
  }

  /** Threads, the caller's included. */
  get threads(): number {
    return this.team.size;
  }

  /** The build of the kernels in use. */
  get binary(): KernelBinary {
    return this.context.kernels.binary;
  }

  /** The threads: which ones took part in the last product, and how many stand by. For tests and diagnosis. */
  get team(): Team {
    return this.context.team;
  }

  /**
   * A vector where the engine computes: zeros of a given length, or a copy of numbers. Products use it without copying. Its
   * numbers are in `data` if it is in the heap; on a device, `set` and `toArray` copy them.
   *
   * With `columns`, a block of vectors: the length is its number of rows, and a source has rows × columns numbers. A source may have rows and
   * columns of its own: a strided array (ndarray, stdlib), a matrix of rows (ml-matrix) or an array of rows.
   *
   * @throws SparlaneError `shape` if a source is not whole columns, or its shape, strides and lengths do not fit; `heap` if it does not fit; `backend` if the engine has no
   *   such device
   */
  vector<D extends Dtype = 'f64'>(source: number | BlockSource, options: VectorOptions<D> = {}): Vector<VectorOf<D>> {
    this.#checkAlive();
    return createVector(this.context, (device) => this.#spaceOf(device), source, options);
  }

  /**
   * A scalar, f64: a coefficient of vector operations, or the result of a dot product. It lives where the engine computes.
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
   * shared heap and plans its products. In Node, rows of a matrix beyond 4 GiB are stored in other memories (`memories`).
   *
   * @param matrix a matrix of the library, or arrays: CSR, CSC or COO
   * @throws SparlaneError `structure`, `shape` or `argument` for an invalid matrix or option; `heap` if it does not
   *   fit; `fill-in` if the named format would store mostly padding, or any padding with `padding: false`; `backend` if
   *   the engine has no such device. Nothing stays allocated.
   */
  operator(matrix: MatrixInput, options: OperatorOptions = {}): MatrixOperator {
    return this.operatorOn(undefined, matrix, options);
  }

  /** @internal Makes the same operator on a backend; undefined: as the options say. @param keepable arrays of the matrix that the layout may keep */
  operatorOn(
    backend: Backend | undefined,
    matrix: MatrixInput,
    options: OperatorOptions,
    keepable?: Keepable,
  ): MatrixOperator {
    this.#checkAlive();
    return this.#operators.make(matrix, options, backend, keepable);
  }

  /**
   * C = A B on all threads, with the bits of `multiplyMatrices`: values in f64, an entry wherever some product contributes. It is computed in
   * the heap, on the CPU, and copied out.
   *
   * @param b with as many rows as a has columns
   * @throws SparlaneError `shape` if the sizes do not fit; `heap` if there is no room for both matrices, C, 12 bytes for each entry of B, and
   *   for each thread 8.2 bytes per column; and as `csrMatrix`
   */
  multiplyMatrices(a: MatrixInput, b: MatrixInput): CsrMatrix {
    this.#checkAlive();
    return multiplyInEngine(this.context, a, b);
  }

  /**
   * A copy of a matrix in the shared heap, for several operations on matrices in a row: sums, products, transposes, slices, scaling,
   * folds, on all threads, without copying in between. On the CPU, whatever the engine's device.
   *
   * @throws SparlaneError `heap` if it does not fit; and as `csrMatrix`
   */
  matrix(source: MatrixInput): HeapMatrix {
    this.#checkAlive();
    return heapMatrix(this.context, this.cpu.space, source);
  }

  #spaceOf(device: VectorOptions['device']): Space {
    return device === undefined ? this.space : this.#backend(device).space;
  }

  #backend(device: Exclude<OperatorDevice, 'hybrid'>): Backend {
    if (device === 'cpu') return this.cpu;
    if (device === 'reference') return createReference(this.cpu.space);
    const [first] = this.gpus;
    if (first === undefined) throw mismatch('backend', 'engine', "one with device: 'cuda'", 'an engine without');
    return first;
  }

  /**
   * Ends the threads. Resolves when all have stopped. Idempotent, and optional: an idle engine does not keep the
   * process alive.
   */
  dispose(): Promise<void> {
    if (this.#disposal === undefined) {
      for (const gpu of this.gpus) gpu[Symbol.dispose]();
      this.#disposal = this.team.dispose();
    }
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
