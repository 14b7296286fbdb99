/** Makes the operators of an engine: checks options and matrix, divides the rows if several backends or memories share them, and connects operators to their transposes. */
import type { Backend } from '../backends/backend.js';
import { createTeamBackend, type TeamContext } from '../backends/team/backend.js';
import { HeapSpace } from '../backends/team/heap-space.js';
import { overAnotherMemory } from '../backends/team/other-memory.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import type { Decision } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import { type CsrMatrix, csrMatrix, inspectedMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import { trust } from '../core/trusted.js';
import type { Tuning } from '../core/tuning.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import { HeapMatrix } from '../matrices/heap-matrix.js';
import { inHeap } from '../matrices/stage.js';
import { ByRowsOperator, byRows } from './by-rows.js';
import { transposeByRows } from './by-rows-transposed.js';
import { shareWithCpu } from './hybrid.js';
import { MatrixOperator } from './matrix-operator.js';
import { fitsElsewhere, fitsHere, memoriesFor, roomBesideVectors } from './memory-shares.js';
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
    const isInMemories = isDivided && request.device === 'cpu' && symmetry === 'general';
    MatrixOperator.connect(operator, (how) =>
      isInMemories ? transposeByRows(operator, how) : transpose(operator, origin, how),
    );
    return operator;
  }

  /** In the first memory, if nothing else is asked for, and the matrix fits there. */
  #onCpu(given: Given, options: OperatorOptions, request: OperatorRequest, backend: Backend): MatrixOperator {
    const { matrix } = given;
    const { memories, dtype, layout } = request;
    const { heap, team } = this.#parts.context;
    if (memories !== undefined && memories > 1) {
      if (team.servesOthers) return this.#overMemories(matrix, options, request, memories);
      throw mismatch('backend', 'memories', '1, or Node, or an engine of one thread', memories);
    }
    const isBound = memories === 1 || heap.isLimited || !team.servesOthers || heap.owns(matrix.colIdx);
    if (isBound || fitsHere(heap, matrix, dtype)) return this.#stored(given, request, backend);
    // A layout that is chosen may be much smaller than `csr`.
    const small = 'format' in layout ? undefined : this.#ifItFits(given, request, backend);
    return small ?? this.#overMemories(matrix, options, request, memoriesFor(heap.maximumBytes, matrix, dtype));
  }

  #ifItFits(given: Given, request: OperatorRequest, backend: Backend): MatrixOperator | undefined {
    try {
      const { matrix } = given;
      return this.#stored(given, request, backend, roomBesideVectors(this.#parts.context.heap, matrix, request.dtype));
    } catch (error) {
      if (error instanceof SparlaneError && error.code === 'heap') return undefined;
      throw error;
    }
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
      const at = unused.findIndex((maker) => fitsElsewhere(maker.#parts.context.heap, rows, dtype));
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
