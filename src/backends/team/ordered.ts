/**
 * Chunks of rows that wait for each other, such as those of triangular solves and of factorizations, as one task of the team: each part is one
 * thread's share, in which the kernel takes chunks until none is left. Kernels: `assembly/triangular/ordered.ts`.
 *
 * Layout of 4 rows in 3 chunks, for L of a path:
 *
 *     bounds      0 1 2 4
 *     beforePtr   0 0 1 2      chunk 1 needs chunk 0, and 2 needs 1
 *     before      0 1
 *     afterPtr    0 1 2 2
 *     after       1 2
 */
import type { Pattern } from '../../core/transpose.js';
import type { TeamTask } from '../../execution/task.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';

export const ORDERED_HEADER = {
  /** A TrianglesHeader; for a factorization u32, shares: FactorHeaders, each with a `dense` of its own. */
  subject: 'usize',
  /** Units. */
  shares: 'u32',
  chunks: 'u32',
  /** u32, chunks + 1: the first row of each chunk. */
  bounds: 'usize',
  /** u32, chunks + 1, and the chunks that each one needs in the forward pass, all before it. */
  beforePtr: 'usize',
  before: 'usize',
  /** The same for the backward pass: those after it that need it. */
  afterPtr: 'usize',
  after: 'usize',
  /** u32, chunks: 2 × turn + 1 when a chunk is done forward in that turn, and + 2 backward. */
  done: 'usize',
  /** Two cache lines: the next ticket; and the turn, shares that are over, threads asleep. */
  state: 'usize',
} as const;

/** Two cache lines. */
const STATE_WORDS = 32;
/** Words of `state` (`assembly/triangular/ordered.ts`). */
const NEXT_TICKET = 0;
const OVER = 17;

/** Chunks of rows, and for each one lists of chunks, as the columns of rows. */
export interface SolveChunks {
  /** The first row of each chunk; one more at the end. */
  readonly bounds: Uint32Array;
  /** The most chunks of one stage: more threads would only wait. */
  readonly width: number;
  /** The chunks that each one needs, all before it. */
  readonly before: Pattern;
  /** Those after it that need it: what it needs in the backward pass. */
  readonly after: Pattern;
}

/** Chunks in the heap. */
export interface PlacedChunks {
  readonly chunks: number;
  readonly bounds: Uint32Array;
  readonly beforePtr: Uint32Array;
  readonly before: Uint32Array;
  readonly afterPtr: Uint32Array;
  readonly after: Uint32Array;
}

/** @throws SparlaneError `heap` if they do not fit */
export function placeChunks(scope: HeapScope, { bounds, before, after }: SolveChunks): PlacedChunks {
  const copy = (words: Uint32Array) => scope.copy(Uint32Array, words);
  return {
    chunks: bounds.length - 1,
    bounds: copy(bounds),
    beforePtr: copy(before.ptr),
    before: copy(before.idx),
    afterPtr: copy(after.ptr),
    after: copy(after.idx),
  };
}

/** A task over chunks. */
export class OrderedTask {
  readonly #scope: HeapScope;
  readonly #chunks: PlacedChunks;
  readonly #subject: number | Uint32Array;
  readonly #kernel: number;
  readonly #bounds: Uint32Array;
  #state: Uint32Array;
  #task: TeamTask;

  /**
   * @param subject what `OrderedHeader` says
   * @param shares threads that take part
   * @throws SparlaneError `heap` if it does not fit
   */
  constructor(scope: HeapScope, chunks: PlacedChunks, kernel: number, subject: number | Uint32Array, shares: number) {
    this.#scope = scope;
    this.#chunks = chunks;
    this.#kernel = kernel;
    this.#subject = subject;
    const bounds = Uint32Array.from({ length: shares + 1 }, (_, share) => share);
    this.#bounds = shares === 1 ? bounds : scope.copy(Uint32Array, bounds);
    this.#state = this.#placeState();
    this.#task = this.#make();
  }

  /**
   * The task, ready for the next run. After a run that ended in an error it gets a new state: a thread that was given up may still be
   * in the old one.
   */
  ready(): TeamTask {
    const state = this.#state;
    // The run before is over, so these loads need no order of their own.
    if (state[NEXT_TICKET] !== 0 || state[OVER] !== 0) {
      this.#state = this.#placeState();
      this.#task = this.#make();
    }
    return this.#task;
  }

  #placeState(): Uint32Array {
    return this.#scope.array(Uint32Array, STATE_WORDS).fill(0);
  }

  #make(): TeamTask {
    const shares = this.#bounds.length - 1;
    const { chunks } = this.#chunks;
    const header = placeHeader(this.#scope, ORDERED_HEADER, {
      ...this.#chunks,
      ...{ subject: this.#subject, shares, state: this.#state },
      done: this.#scope.array(Uint32Array, chunks).fill(0),
    });
    return { kernel: this.#kernel, header, bounds: this.#bounds, workers: shares };
  }
}
