/** Makes the operators of an engine: checks options and matrix, divides the rows if several backends or memories share them, and connects operators to their transposes. */
import type { Backend } from '../backends/backend.js';
import { createTeamBackend, type TeamContext } from '../backends/team/backend.js';
import { HeapSpace } from '../backends/team/heap-space.js';
import { overAnotherMemory } from '../backends/team/other-memory.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import type { Decision } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import { type CsrMatrix, csrMatrix, inspectedMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { trust } from '../core/trusted.js';
import type { Tuning } from '../core/tuning.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import { HeapMatrix } from '../matrices/heap-matrix.js';
import { inHeap } from '../matrices/stage.js';
import { type ByRowsOperator, byRows } from './by-rows.js';
import { transposeByRows } from './by-rows-transposed.js';
import { shareWithCpu } from './hybrid.js';
import { MatrixOperator } from './matrix-operator.js';
import { fitsInto, memoriesFor } from './memory-shares.js';
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
  /** Those of other memories, in the order in which these were made. They are kept, because a memory does not become smaller. */
  readonly #others: OperatorMaker[] = [];

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
    const { matrix } = given;
    const memories = request.device === 'cpu' ? this.#memoriesFor(matrix, request) : undefined;
    const divided = memories === undefined ? undefined : this.#overMemories(matrix, options, request, memories);
    const operator = divided ?? this.#stored(given, request, backend);
    const { field, symmetry } = matrix;
    const isDivided = divided !== undefined || request.device === 'hybrid' || request.distribution !== undefined;
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
    const isOfParts = divided !== undefined && symmetry === 'general';
    MatrixOperator.connect(operator, (how) =>
      isOfParts ? transposeByRows(divided, how) : transpose(operator, origin, how),
    );
    return operator;
  }

  /**
   * The number of other memories that hold the rows of a matrix; undefined: the first memory holds them.
   *
   * @throws SparlaneError `backend` if the threads cannot serve other memories; `heap` if x leaves no room for rows
   */
  #memoriesFor(matrix: CsrMatrix, { memories, dtype }: OperatorRequest): number | undefined {
    const { heap, team } = this.#parts.context;
    if (memories === 1) return undefined;
    if (memories !== undefined && !team.servesOthers)
      throw mismatch('backend', 'memories', '1, or Node, or an engine of one thread', memories);
    if (memories !== undefined) return memories;
    const isHere = heap.isLimited || !team.servesOthers || heap.owns(matrix.colIdx) || fitsInto(heap, matrix, dtype);
    return isHere ? undefined : memoriesFor(heap.maximumBytes, matrix, dtype);
  }

  /** An operator whose rows are in other memories than the first, which is left to vectors. */
  #overMemories(
    matrix: CsrMatrix,
    options: OperatorOptions,
    { layout, dtype }: OperatorRequest,
    memories: number,
  ): ByRowsOperator {
    const height = blockRowsOf(matrix, 'format' in layout ? layout.format : AUTO);
    const { allowPermutation: _, ...kept } = options;
    const unused = [...this.#others];
    return byRows(this.#parts.cpu.space, matrix, partitionRows(matrix, memories, 'block', height), (rows) => {
      const at = unused.findIndex((maker) => fitsInto(maker.#parts.context.heap, rows, dtype));
      const maker = at < 0 ? this.#another() : unused.splice(at, 1)[0]!;
      return maker.make(trust(rows), { ...kept, memories: 1 });
    });
  }

  /** The maker of operators in another memory. */
  #another(): OperatorMaker {
    const context = overAnotherMemory(this.#parts.context);
    const cpu = createTeamBackend(context, new HeapSpace(context));
    const maker = new OperatorMaker({ ...this.#parts, context, device: 'cpu', cpu, gpus: [], backendOf: () => cpu });
    this.#others.push(maker);
    return maker;
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
