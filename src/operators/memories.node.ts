/**
 * Operators with rows in other memories than the first one of an engine, which is left to vectors: beyond the 4 GiB of a WebAssembly memory, or if they are
 * asked for.
 */
import { createTeamBackend } from '../backends/team/backend.js';
import { HeapSpace } from '../backends/team/heap-space.js';
import { overAnotherMemory } from '../backends/team/other-memory.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { trust } from '../core/trusted.js';
import { type ByRowsOperator, byRows } from './by-rows.js';
import { transposeByRows } from './by-rows-transposed.js';
import type { MatrixOperator } from './matrix-operator.js';
import { fitsElsewhere, fitsHere, memoriesFor, roomBesideVectors } from './memory-shares.js';
import { type MakerParts, OperatorMaker, type OtherMemories } from './operator-maker.js';
import { AUTO, type OperatorOptions, type OperatorRequest } from './operator-options.js';
import { blockRowsOf, partitionRows } from './row-partition.js';
import type { CheckedTransposeOptions } from './transpose-options.js';

/** A memory, and what makes operators in it. */
interface OtherMemory extends Pick<MakerParts, 'context'> {
  readonly maker: OperatorMaker;
}

export class MemoriesOfNode implements OtherMemories {
  readonly #parts: MakerParts;
  /** In the order in which they were made. They are kept, because a memory does not become smaller. */
  readonly #made: OtherMemory[] = [];

  constructor(parts: MakerParts) {
    this.#parts = parts;
  }

  operator(
    matrix: CsrMatrix,
    options: OperatorOptions,
    request: OperatorRequest,
    here: (mostBytes?: number) => MatrixOperator,
  ): MatrixOperator {
    const { memories, dtype, layout } = request;
    const { heap, team } = this.#parts.context;
    if (memories !== undefined && memories > 1) {
      if (team.servesOthers) return this.#divided(matrix, options, request, memories);
      throw mismatch('backend', 'memories', '1, or Node, or an engine of one thread', memories);
    }
    const isBound = memories === 1 || heap.isLimited || !team.servesOthers || heap.owns(matrix.colIdx);
    if (isBound || fitsHere(heap, matrix, dtype)) return here();
    // A layout that is chosen may be much smaller than `csr`.
    const small = 'format' in layout ? undefined : ifItFits(() => here(roomBesideVectors(heap, matrix, dtype)));
    return small ?? this.#divided(matrix, options, request, memoriesFor(heap.maximumBytes, matrix, dtype));
  }

  transposed(operator: ByRowsOperator, how: CheckedTransposeOptions): MatrixOperator {
    return transposeByRows(operator, how);
  }

  #divided(
    matrix: CsrMatrix,
    options: OperatorOptions,
    { layout, dtype }: OperatorRequest,
    memories: number,
  ): ByRowsOperator {
    const height = blockRowsOf(matrix, 'format' in layout ? layout.format : AUTO);
    const { allowPermutation: _, ...kept } = options;
    const unused = [...this.#made];
    return byRows(this.#parts.cpu.space, matrix, partitionRows(matrix, memories, 'block', height), (rows) => {
      const at = unused.findIndex(({ context: { heap } }) => fitsElsewhere(heap, rows, dtype));
      const { maker } = at < 0 ? this.#another() : unused.splice(at, 1)[0]!;
      return maker.make(trust(rows), { ...kept, memories: 1 });
    });
  }

  #another(): OtherMemory {
    const context = overAnotherMemory(this.#parts.context);
    const cpu = createTeamBackend(context, new HeapSpace(context));
    const parts = { ...this.#parts, context, device: 'cpu', cpu, gpus: [], backendOf: () => cpu } as const;
    const memory = { context, maker: new OperatorMaker({ ...parts, otherMemories: undefined }) };
    this.#made.push(memory);
    return memory;
  }
}

function ifItFits<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof SparlaneError && error.code === 'heap') return undefined;
    throw error;
  }
}
