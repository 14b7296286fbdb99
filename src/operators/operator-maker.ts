/** Makes the operators of an engine: checks options and matrix, divides the rows if several backends share them, and connects operators to their transposes. */
import type { Backend } from '../backends/backend.js';
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import type { Decision } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import { type CsrMatrix, csrMatrix, inspectedMatrix, type MatrixInput } from '../core/csr.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import { HeapMatrix } from '../matrices/heap-matrix.js';
import { inHeap } from '../matrices/stage.js';
import { byRows } from './by-rows.js';
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

  constructor(parts: MakerParts) {
    this.#parts = parts;
    this.#runLoop = runOnTeam(parts.context);
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
    const staging = request.device === 'cpu' ? inHeap(scope, this.#runLoop) : undefined;
    const checked = staging === undefined ? csrMatrix(input) : inspectedMatrix(input, staging);
    const matrix = staging?.place(checked) ?? checked;
    const isHere = input instanceof HeapMatrix;
    const keepable = isHere ? new Set([input.rowPtr, input.colIdx, input.values]) : (kept ?? staging?.copies);
    return this.#connected({ matrix, keepable, start }, options, request, backend);
  }

  /** An operator that can be transposed. */
  #connected(given: Given, options: OperatorOptions, request: OperatorRequest, backend: Backend): MatrixOperator {
    const operator = this.#stored(given, request, backend);
    const { field, symmetry } = given.matrix;
    const isDivided = request.device === 'hybrid' || request.distribution !== undefined;
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
    MatrixOperator.connect(operator, (how) => transpose(operator, origin, how));
    return operator;
  }

  #stored({ matrix, keepable, start, akin }: Given, request: OperatorRequest, backend: Backend): MatrixOperator {
    const { context, tuning, costs, onHint, cpu, gpus } = this.#parts;
    const engine = { context, tuning, costs, onHint, runLoop: this.#runLoop, keepable, akin };
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
