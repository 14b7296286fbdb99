/**
 * Loops of a conversion: functions over a range of units that read and write only the arrays of their job. Ranges are
 * independent, so a team can run them on all its threads (`backends/team/run-loop.ts`), and each thread is then the
 * first to write the pages of its range. Without a team a loop runs over all units on the caller's thread. Most loops
 * are WebAssembly too (`kernel`): the module's code is compiled once for all threads.
 *
 * Another thread gets a job through the heap: for each field three f64,
 *
 *     kind            0: a number, else 1 + the index of the array's type in `TYPES`
 *     value           the number, or the address of the array
 *     length          of the array
 */
import { mismatch } from '../../core/errors.js';
import type { Span } from '../../core/span.js';
import type { HeaderLayout } from '../../memory/header.js';
import type { Heap, HeapScope } from '../../memory/heap.js';

const TYPES = [Float64Array, Float32Array, Uint32Array, Int32Array, Uint16Array, Uint8Array] as const;

export type LoopArray = Float64Array | Float32Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

export type ArrayConstructor<T> = {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
};

/** Returns the type of an array. */
export function typeOf<T extends LoopArray>(array: T): ArrayConstructor<T> {
  return array.constructor as unknown as ArrayConstructor<T>;
}

/** The arguments of a loop, by name. */
export type Job = { readonly [field: string]: number | LoopArray };

/** A loop says which entries of a matrix it reads: where they are outside the heap, they pass through it (`backends/team/windows.ts`). */
export interface EntriesRead<J extends Job> {
  /** These fields have one element for each entry, and are only read. */
  readonly fields: readonly (keyof J & string)[];
  /** Returns the range of entries that the units `begin` … `end` − 1 read: the first one, and the one behind the last. */
  readonly range: (job: J, begin: number, end: number) => readonly [number, number];
  /** The loop is the first to write these fields. */
  readonly writes?: readonly (keyof J & string)[];
}

/** Returns the range of the entries of rows `begin` … `end` − 1; the last rows may be missing. */
export function entriesOfRows(rowPtr: Uint32Array, begin: number, end: number): readonly [number, number] {
  const rows = rowPtr.length - 1;
  return [rowPtr[Math.min(begin, rows)]!, rowPtr[Math.min(end, rows)]!];
}

export interface Loop<J extends Job> {
  /** Of a loop in `LOOPS`: the names of the job's fields, in the order in which they are passed to another thread. */
  readonly fields?: readonly (keyof J & string)[];
  /**
   * Of any other loop: the export of a kernel that does the same, and the layout of its header, whose words are the job's fields. Each thread
   * compiles a loop anew, which takes longer than to run it once.
   */
  readonly kernel?: (job: J) => string;
  readonly header?: HeaderLayout<keyof J & string>;
  /** The entries that a loop with a kernel reads may be outside the heap; by default all its arrays are there. */
  readonly reads?: EntriesRead<J>;
  /** Runs the units `begin` … `end` − 1. It must not throw. */
  readonly run: (job: J, begin: number, end: number) => void;
}

/** Runs a loop over all units of a span. */
export type RunLoop = <J extends Job>(loop: Loop<J>, job: NoInfer<J>, span: Span) => void;

/** On the caller's thread. */
export const serially: RunLoop = ({ run }, job, { units }) => run(job, 0, units);

/**
 * The kernel of a loop that stores values as values, or codes as codes: `<name>_f64`, `_widened`, `_mixed`, `_f32` or `_codes`. In an array of
 * smaller elements it would write behind the end.
 *
 * @throws SparlaneError `kernel` for an array of another type
 */
export function kernelOfCopy(name: string, values: LoopArray, stored: LoopArray): string {
  if (stored instanceof Uint8Array) return `${name}_codes`;
  if (stored instanceof Float64Array) return `${name}_${values instanceof Float64Array ? 'f64' : 'widened'}`;
  if (stored instanceof Float32Array) return `${name}_${values instanceof Float64Array ? 'mixed' : 'f32'}`;
  throw mismatch('kernel', name, 'to store f64, f32 or codes', stored);
}

/** Stores a number in an array of one element if it is less than the one there, whatever other threads do. */
export function atomicMin(array: Uint32Array, value: number): void {
  for (let known = Atomics.load(array, 0); value < known; known = Atomics.load(array, 0))
    Atomics.compareExchange(array, 0, known, value);
}

const WORDS_PER_FIELD = 3;

/** Returns the fields of a job whose arrays have elements outside the heap, where other threads cannot use them. */
export function fieldsOutside(heap: Heap, job: Job): string[] {
  const isOutside = (field: number | LoopArray) => typeof field !== 'number' && field.length > 0 && !heap.owns(field);
  return Object.keys(job).filter((name) => isOutside(job[name]!));
}

/** Writes a shared job into the heap, for `readJob`. Returns its address. */
export function placeJob<J extends Job>(scope: HeapScope, { fields = [] }: Loop<J>, job: J): number {
  const words = scope.array(Float64Array, WORDS_PER_FIELD * fields.length);
  fields.forEach((name, k) => {
    const field = job[name]!;
    if (typeof field === 'number') words.set([0, field, 0], WORDS_PER_FIELD * k);
    else
      words.set([1 + placeOfType(field), field.length === 0 ? 0 : field.byteOffset, field.length], WORDS_PER_FIELD * k);
  });
  return words.byteOffset;
}

/** The job at an address, with views of this thread. */
export function readJob<J extends Job>(memory: WebAssembly.Memory, address: number, { fields = [] }: Loop<J>): J {
  const words = new Float64Array(memory.buffer, address, WORDS_PER_FIELD * fields.length);
  const job: Record<string, number | LoopArray> = {};
  fields.forEach((name, k) => {
    const [kind, value, length] = words.subarray(WORDS_PER_FIELD * k) as unknown as [number, number, number];
    job[name] = kind === 0 ? value : viewOf<LoopArray>(memory, TYPES[kind - 1]!, value, length);
  });
  return job as J;
}

function placeOfType(array: LoopArray): number {
  return TYPES.findIndex((type) => array instanceof type);
}

/** A thread may not have noticed yet that another one has grown the memory: growing it by nothing updates its buffer. */
export function viewOf<A extends LoopArray>(
  memory: WebAssembly.Memory,
  type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike, address: number, length: number): A },
  address: number,
  length: number,
): A {
  if (address + length * type.BYTES_PER_ELEMENT > memory.buffer.byteLength) memory.grow(0);
  return new type(memory.buffer, address, length);
}
