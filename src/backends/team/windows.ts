/**
 * Loops over the entries of a matrix outside the heap: kernels, and other threads, read only the heap. The entries are copied there window after window,
 * into the same block, so that a conversion takes no memory for a second copy of the matrix, nor time for its pages. A kernel gets the address that an
 * array would have if all of it were there, which may be any number: addresses are added modulo 2³², and only entries of the window are read.
 */
import { type Span, unitsOf } from '../../core/span.js';
import { partition } from '../../execution/partition.js';
import { mapPages } from '../../formats/layout/copy-loop.js';
import { type Job, type Loop, type LoopArray, type RunLoop, typeOf } from '../../formats/layout/loop.js';
import type { TeamContext } from './backend.js';

/**
 * Work of a window in entries for each thread: 3 MB of an entry's 12 bytes. With a quarter, on two threads, which then wait for each other more often,
 * operators of 10 to 20 million entries take 1.3 to 1.6 times the CPU time; with four times as many 0.83 to 0.92 (AMD EPYC Zen 4, busy, November 2026).
 */
export const WINDOW_WORK: number = 2 ** 18;

/** Entries are copied only if the heap has room for this many times their bytes. Chosen. */
const ROOM = 2;

/**
 * Into shared memory V8 copies words if both places are as far from the begin of one, 17 GB/s, and otherwise bytes, 3.3 GB/s (AMD EPYC Zen 4, Node 20,
 * November 2026).
 */
const WORD_BYTES = 8;

export interface Through {
  readonly context: TeamContext;
  /** The fields of the job whose arrays are outside the heap. */
  readonly outside: readonly string[];
  /** A window has this work in entries for each thread. */
  readonly windowWork: number;
  readonly runLoop: RunLoop;
  /** Runs units of a loop whose arrays are in the heap. @param begin the first one @param addresses instead of the arrays of the job */
  readonly runUnits: <J extends Job>(
    loop: Loop<J>,
    job: J,
    span: Span,
    begin: number,
    addresses: Readonly<Record<string, number>>,
  ) => void;
}

/** Runs a loop over entries that pass through the heap. Returns false, and has done nothing, if other arrays are outside, or if there is no room. */
export function inWindows<J extends Job>(
  loop: Loop<J>,
  job: J,
  span: Span,
  { context: { heap, team }, outside, windowWork, runLoop, runUnits }: Through,
): boolean {
  const { reads } = loop;
  if (reads === undefined || !outside.every((name) => reads.fields.includes(name))) return false;
  const { range, writes = [] } = reads;
  const wanted = Math.ceil(span.workBefore(span.units) / (windowWork * team.size));
  // A window has at least one unit for each thread.
  const bounds = partition(span, Math.max(1, Math.min(wanted, Math.floor(span.units / team.size))));
  const ranges = Array.from({ length: bounds.length - 1 }, (_, k) => range(job, bounds[k]!, bounds[k + 1]!));
  const longest = ranges.reduce((most, [first, last]) => Math.max(most, last - first), 0);
  const arrays = outside.map((name) => job[name] as LoopArray);
  const bytes = arrays.map(({ BYTES_PER_ELEMENT }) => longest * BYTES_PER_ELEMENT + WORD_BYTES);
  if (ROOM * bytes.reduce((sum, each) => sum + each, 0) > heap.bytesFree) return false;
  for (const name of writes) mapPages(job[name] as LoopArray, runLoop);
  using scope = heap.scope();
  const windows = bytes.map((each) => scope.array(Uint8Array, each));
  ranges.forEach(([first, last], k) => {
    const addresses = arrays.map((array, n) => {
      const address = copyRange(array, first, last, windows[n]!);
      return [outside[n]!, (address - first * array.BYTES_PER_ELEMENT) >>> 0] as const;
    });
    const [begin, end] = [bounds[k]!, bounds[k + 1]!];
    runUnits(loop, job, unitsOf(span, begin, end), begin, Object.fromEntries(addresses));
  });
  return true;
}

/** Copies elements `first` … `last` − 1 to the begin of a window, less than a word behind it. Returns the address of the first one. */
function copyRange(array: LoopArray, first: number, last: number, { buffer, byteOffset }: Uint8Array): number {
  const elements = array.subarray(first, last);
  const address = byteOffset + (elements.byteOffset % WORD_BYTES);
  new (typeOf(array))(buffer, address, elements.length).set(elements);
  return address;
}
