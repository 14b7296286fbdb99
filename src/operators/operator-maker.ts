/** Makes the operators of an engine: checks options and matrix, divides the rows if several backends share them, and connects operators to their transposes. */
import type { Backend } from '../backends/backend.js';
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import type { Decision } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import { type CsrMatrix, csrMatrix, inspectedMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import { HeapMatrix } from '../matrices/heap-matrix.js';
import { inHeap } from '../matrices/stage.js';
import { ByRowsOperator, byRows } from './by-rows.js';
import { shareWithCpu } from './hybrid.js';
import { MatrixOperator } from './matrix-operator.js';
import {
  AUTO,
  checkOperatorOptions,
  type Device,
  type OperatorDevice,
  type OperatorOptions,
  type OperatorRequest,
} from './operator-options.js';
import { blockRowsOf, partitionRows } from './row-partition.js';
import { storeOperator } from './store-operator.js';
import type { CheckedTransposeOptions } from './transpose-options.js';
import { type Origin, transpose } from './transposed.js';

/** The parts of an engine that its operators need. */
export interface MakerParts {
  readonly context: TeamContext;
  readonly device: Device;
  readonly cpu: Backend;
  readonly gpus: readonly Backend[];
  /** @throws SparlaneError `backend` if there is no such device */
  readonly backendOf: (device: Exclude<OperatorDevice, 'hybrid'>) => Backend;
  readonly tuning: Tuning | undefined;
  readonly costs: MachineCosts;
  readonly onHint: (hint: Hint) => void;
  /** Makes the other memories of an engine. Undefined on platforms other than Node. */
  readonly otherMemories?: CreateMemories | undefined;
}

export type CreateMemories = (parts: MakerParts) => OtherMemories;

/** The memories of an engine beyond its first one, which hold rows of matrices. */
export interface OtherMemories {
  /**
   * The operator of a matrix on the CPU.
   *
   * @param here makes it in the first memory; its layout, if it is chosen, has no more than `mostBytes`, as predicted
   */
  operator(
    matrix: CsrMatrix,
    options: OperatorOptions,
    request: OperatorRequest,
    here: (mostBytes?: number) => MatrixOperator,
  ): MatrixOperator;
  /** The transpose of an operator with rows in these memories. */
  transposed(operator: ByRowsOperator, how: CheckedTransposeOptions): MatrixOperator;
}

/** A matrix after its check. */
interface Given {
  readonly matrix: CsrMatrix;
  /** Arrays of it that a layout may keep. */
  readonly keepable: Keepable | undefined;
  /** When the work for its operator began, by `performance.now()`. */
  readonly start: number;
  /** The choice for the matrix of which it is the transpose, if that had trials. */
  readonly akin?: Decision | undefined;
}

export class OperatorMaker {
  readonly #parts: MakerParts;
  readonly #runLoop: RunLoop;
  readonly #memories: OtherMemories | undefined;

  constructor(parts: MakerParts) {
    this.#parts = parts;
    this.#runLoop = runOnTeam(parts.context);
    this.#memories = parts.otherMemories?.(parts);
  }

  /**
   * @param on a backend of this engine; undefined: as the options say
   * @param kept arrays of the matrix that its layout may keep
   * @throws as `engine.operator`
   */
  make(input: MatrixInput, options: OperatorOptions, on?: Backend, kept?: Keepable): MatrixOperator {
    const request = checkOperatorOptions(options, this.#parts);
    const start = performance.now();
    const { heap, team } = this.#parts.context;
    const backend = on ?? this.#parts.backendOf(request.device === 'hybrid' ? 'cuda' : request.device);
    // Threads wake up while the matrix is converted.
    team.muster();
    using scope = heap.scope();
    const staysHere = request.device === 'cpu' && (request.memories ?? 1) === 1;
    const staging = staysHere ? inHeap(scope, this.#runLoop) : undefined;
    const checked = staging === undefined ? csrMatrix(input) : inspectedMatrix(input, staging);
    const matrix = staging?.place(checked) ?? checked;
    const isHere = input instanceof HeapMatrix;
    const keepable = isHere ? new Set([input.rowPtr, input.colIdx, input.values]) : (kept ?? staging?.copies);
    return this.#connected({ matrix, keepable, start }, options, request, backend);
  }

  /** An operator that can be transposed. */
  #connected(given: Given, options: OperatorOptions, request: OperatorRequest, backend: Backend): MatrixOperator {
    const operator =
      request.device === 'cpu' ? this.#onCpu(given, options, request, backend) : this.#stored(given, request, backend);
    const { field, symmetry } = given.matrix;
    const isDivided = operator instanceof ByRowsOperator;
    const origin: Origin = {
      ...{
        context: this.#parts.context,
        field,
        symmetry,
        options: { ...options },
        backend: isDivided ? undefined : backend,
      },
      operate: (matrix, other, known) => {
        const asked = checkOperatorOptions(other, this.#parts);
        return this.#connected({ matrix, ...known, start: performance.now() }, other, asked, backend);
      },
    };
    const memories = request.device === 'cpu' && symmetry === 'general' ? this.#memories : undefined;
    MatrixOperator.connect(operator, (how) =>
      isDivided && memories !== undefined ? memories.transposed(operator, how) : transpose(operator, origin, how),
    );
    return operator;
  }

  #onCpu(given: Given, options: OperatorOptions, request: OperatorRequest, backend: Backend): MatrixOperator {
    const here = (mostBytes?: number) => this.#stored(given, request, backend, mostBytes);
    if (this.#memories !== undefined) return this.#memories.operator(given.matrix, options, request, here);
    const { memories = 1 } = request;
    if (memories > 1) throw mismatch('backend', 'memories', '1 on other platforms than Node', memories);
    return here();
  }

  /** @param mostBytes of a layout that is chosen, as predicted */
  #stored(
    { matrix, keepable, start, akin }: Given,
    request: OperatorRequest,
    backend: Backend,
    mostBytes?: number,
  ): MatrixOperator {
    const { context, tuning, costs, onHint, cpu, gpus } = this.#parts;
    const engine = { context, tuning, costs, onHint, runLoop: this.#runLoop, keepable, akin, mostBytes };
    const make = (rows: CsrMatrix, on: Backend, since = performance.now()) =>
      storeOperator({ ...engine, matrix: rows }, on, request, since);
    const { device, distribution, layout } = request;
    if (device !== 'hybrid' && distribution === undefined) return make(matrix, backend, start);
    const height = blockRowsOf(matrix, 'format' in layout ? layout.format : AUTO);
    if (distribution === undefined)
      return shareWithCpu(cpu.space, matrix, height, (rows, p) => make(rows, p === 0 ? backend : cpu));
    const rowsOf = partitionRows(matrix, gpus.length, distribution, height);
    return byRows(backend.space, matrix, rowsOf, (rows, p) => make(rows, gpus[p]!));
  }
}
