/**
 * Steps of a set-up over pieces of rows, run by the team. Pieces are independent of each other in a step, so the bits depend on neither
 * threads nor parts.
 */

import type { TeamContext } from '../backends/team/backend.js';
import { evenly, type Span } from '../core/span.js';
import { partition, partsOfStep, threadsFor } from '../execution/partition.js';
import { ALONE_BELOW } from '../formats/format.js';
import { kernelIndex } from '../kernels/module.js';
import { type HeaderLayout, type HeaderWords, placeHeader } from '../memory/header.js';

/** A kernel, and the header that it reads. */
export interface KernelStep<Word extends string> {
  readonly kernel: string;
  readonly layout: HeaderLayout<Word>;
  readonly words: HeaderWords<Word>;
  /** A number beside the header, which holds none of f64. Default 0. */
  readonly alpha?: number;
  /** Threads that work at the same time, at most. Default: all. */
  readonly workers?: number;
}

/** Runs a step over the units of a span. */
export function runOver<Word extends string>(context: TeamContext, step: KernelStep<Word>, span: Span): void {
  if (span.units === 0) return;
  const work = span.workBefore(span.units);
  const parts = partsOfStep(work, context.team.size);
  runParts(context, step, partition(span, Math.min(span.units, parts)), work);
}

/** Runs a step whose units are shares of the threads. */
export function runShares<Word extends string>(context: TeamContext, step: KernelStep<Word>, shares: number): void {
  runParts(context, step, partition(evenly(shares), shares));
}

function runParts<Word extends string>(
  context: TeamContext,
  step: KernelStep<Word>,
  bounds: Uint32Array,
  work?: number,
): void {
  const { heap, kernels, team } = context;
  using scope = heap.scope();
  const header = placeHeader(scope, step.layout, step.words);
  const kernel = kernelIndex(kernels, step.kernel);
  const { workers = team.size } = step;
  const task = {
    kernel,
    header,
    bounds: bounds.length === 2 ? bounds : scope.copy(Uint32Array, bounds),
    workers,
    work,
  };
  team.run(task, 0, 0, step.alpha ?? 0, 0);
}

/** Pieces with this much work in all, which their rows have equal shares of. @param ptr pieces + 1: the first row of each */
export function pieceSpan(ptr: Uint32Array, work: number): Span {
  const pieces = ptr.length - 1;
  const workPerRow = work / Math.max(ptr[pieces]!, 1);
  return { units: pieces, workBefore: (piece) => workPerRow * ptr[piece]! };
}

/** The number of threads that take pieces. */
export function sharesOf({ team }: TeamContext, work: number, pieces: number): number {
  return work < ALONE_BELOW ? 1 : Math.max(1, Math.min(threadsFor(work, team.size), pieces));
}

/** The units of each piece, such as its rows: from `first` to `last`. In the heap. */
export interface PieceUnits {
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  /** The pieces in the order of their units. */
  readonly placed: Uint32Array;
}

export const SHIFT_HEADER = {
  /** u32, pieces: the first pointer of each, and the one after its last. */
  first: 'usize',
  last: 'usize',
  /** u32, pieces: what comes before. */
  before: 'usize',
  ptr: 'usize',
} as const;

/** Turns pointers that count from 0 in each piece into those over all pieces. @returns the last one */
export function addUp(context: TeamContext, ptr: Uint32Array, { first, last, placed }: PieceUnits): number {
  using work = context.heap.scope();
  const before = work.array(Uint32Array, placed.length);
  let total = 0;
  for (const piece of placed) {
    before[piece] = total;
    if (last[piece]! > first[piece]!) total += ptr[last[piece]!]!;
  }
  ptr[0] = 0;
  const words = { first, last, before, ptr };
  runOver(
    context,
    { kernel: 'pieces_shift', layout: SHIFT_HEADER, words },
    evenly(placed.length, ptr.length / placed.length),
  );
  return total;
}
