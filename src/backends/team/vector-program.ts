/** Programs of vector operations, written into the heap for the kernel. `assembly/vectors/vector.ts` defines the layout. */
import { evenly } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import { partition, partsFor, threadsFor } from '../../execution/partition.js';
import type { TeamTask } from '../../execution/task.js';
import { ALONE_BELOW } from '../../formats/format.js';
import { vectorKernelName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import type { Heap, HeapScope } from '../../memory/heap.js';
import {
  type BlockOperation,
  type Coefficient,
  type ElementOperation,
  isOnBlocks,
  type VectorOperation,
} from '../../memory/space.js';
import type { TeamContext } from './backend.js';
import {
  blockFields,
  blockWarmUps,
  placeFactors,
  resultsOf,
  roomFor,
  takeGram,
  WARM_UP_ROWS,
  workPerRow,
} from './block-program.js';
import { repeatUntilOptimized, withRoom } from './warm-up.js';

export const MAX_OPERATIONS = 16;

const HEADER_BYTES = 8;
const OPERATION_BYTES = 32;
/** In words: the reals of an operation, and what follows in one on blocks. */
const REALS_AT = 4;
const SIZES_AT = 8;
/** A program has room for so many bounds from the start: small ones take no more memory when they have several parts. Chosen. */
const LEAST_BOUNDS = 16;
/**
 * A program of less work, in elements times operations, is one part. That is less than for a product, so that each thread has the same
 * elements in a product and in the operations before and after it; who computes them depends on their work together. Chosen.
 */
const ONE_PART_OF_VECTORS_BELOW = 2_000;
/** A chunk, the unit of the kernel, has so many elements of vectors, or rows of blocks. Kernels know it. */
export const CHUNK_ELEMENTS = 1024;
const KINDS = { axpby: 0, multiply: 1, scatter: 2, dot: 3, copy: 4 } as const satisfies Record<
  ElementOperation['kind'],
  number
>;

/** All f64 of a heap, by the address of each. */
export class Scalars {
  readonly #heap: Heap;
  #numbers: Float64Array;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#numbers = heap.view(Float64Array, 0, heap.byteLength / 8);
  }

  get(slot: number): number {
    return this.#at(slot)[slot / 8]!;
  }

  set(slot: number, value: number): void {
    this.#at(slot)[slot / 8] = value;
  }

  /** A factor as a number. */
  valueOf({ slot, times }: Coefficient): number {
    return slot === undefined ? times : times * this.get(slot);
  }

  #at(slot: number): Float64Array {
    if (slot >= this.#numbers.byteLength) this.#numbers = this.#heap.view(Float64Array, 0, this.#heap.byteLength / 8);
    return this.#numbers;
  }
}

/** Up to 16 operations on vectors of one length and type, or one on blocks of vectors, run in one fork-join. */
export class VectorProgram implements Disposable {
  readonly #context: TeamContext;
  readonly #scope: HeapScope;
  readonly #scalars: Scalars;
  readonly #address: number;
  readonly #words: Uint32Array;
  /** The operations, as f64. */
  readonly #reals: Float64Array;
  /** Sums of chunks, one dot product after the other. */
  #sums = new Float64Array(0);
  #chunks = 0;
  #task: TeamTask | undefined;
  /** The bounds of the task are placed here. */
  #bounds: Uint32Array;
  /** Coefficients that depend on scalars, each with its place in `#reals`. */
  #coefficients: readonly { readonly place: number; readonly factor: Coefficient }[] = [];
  #dotSlots: readonly number[] = [];
  /** The operation on blocks, if it is one. */
  #onBlocks: BlockOperation | undefined;
  /** Of `combine`: C and copied rows. */
  #factors: FloatArray = new Float64Array(0);

  /** Creates an empty program. @throws SparlaneError `heap` if it does not fit */
  constructor(context: TeamContext, scalars: Scalars) {
    const { heap } = context;
    const bytes = HEADER_BYTES + MAX_OPERATIONS * OPERATION_BYTES;
    this.#context = context;
    this.#scalars = scalars;
    this.#scope = heap.scope();
    this.#address = this.#scope.alloc(bytes + 4 * LEAST_BOUNDS);
    this.#bounds = heap.view(Uint32Array, this.#address + bytes, LEAST_BOUNDS);
    this.#words = heap.view(Uint32Array, this.#address, bytes / 4);
    this.#reals = heap.view(Float64Array, this.#address + HEADER_BYTES, (bytes - HEADER_BYTES) / 8);
  }

  /**
   * Replaces the operations. No operation may have a factor that an earlier dot product sets; one on blocks is alone.
   *
   * @throws SparlaneError `heap`
   */
  write(width: number, length: number, operations: readonly VectorOperation[]): this {
    this.#chunks = Math.ceil(length / CHUNK_ELEMENTS);
    const [first] = operations;
    this.#onBlocks = first !== undefined && isOnBlocks(first) ? first : undefined;
    if (this.#onBlocks === undefined) this.#writeElements(width, length, operations as readonly ElementOperation[]);
    else this.#writeBlocks(width, length, this.#onBlocks);
    return this;
  }

  #writeElements(width: number, length: number, operations: readonly ElementOperation[]): void {
    const dots = operations.flatMap((operation) => (operation.kind === 'dot' ? [operation.slot] : []));
    this.#makeRoomForSums(dots.length * this.#chunks);
    this.#words[0] = operations.length;
    this.#words[1] = length;
    const coefficients: { place: number; factor: Coefficient }[] = [];
    let sumsAddress = this.#sums.byteOffset;
    operations.forEach((operation, i) => {
      const word = (HEADER_BYTES + i * OPERATION_BYTES) / 4;
      const place = (i * OPERATION_BYTES + 16) / 8;
      this.#words[word] = KINDS[operation.kind];
      this.#words[word + 1] = operation.x;
      this.#words[word + 2] = operation.y;
      if (operation.kind === 'multiply') this.#words[word + 3] = operation.d;
      if (operation.kind === 'scatter') this.#words[word + 3] = operation.order;
      if (operation.kind === 'axpby') {
        [operation.a, operation.b].forEach((factor, k) => {
          this.#reals[place + k] = factor.times;
          if (factor.slot !== undefined) coefficients.push({ place: place + k, factor });
        });
      }
      if (operation.kind === 'copy') {
        this.#words[word + 1] = operation.x + width * operation.xOffset;
        this.#words[word + 2] = operation.y + width * operation.yOffset;
        this.#reals[place] = operation.xStride;
        this.#reals[place + 1] = operation.yStride;
      }
      if (operation.kind === 'dot') {
        this.#words[word + 3] = sumsAddress;
        sumsAddress += 8 * this.#chunks;
      }
    });
    this.#coefficients = coefficients;
    this.#dotSlots = dots;
    this.#planTask(width, length * operations.length);
  }

  #writeBlocks(width: number, length: number, operation: BlockOperation): void {
    const chunks = this.#chunks;
    const sums = resultsOf(operation) * chunks;
    const room = Math.ceil(roomFor(operation, width, chunks) / 8);
    this.#makeRoomForSums(sums + room);
    const { words, reals, sizes } = blockFields(operation, chunks);
    this.#words.set([1, length, ...words, this.#sums.byteOffset]);
    this.#reals.set(reals, REALS_AT / 2);
    this.#words.set(sizes, HEADER_BYTES / 4 + SIZES_AT);
    this.#coefficients = [];
    this.#dotSlots = operation.kind === 'columnDots' ? operation.slots : [];
    const { heap } = this.#context;
    const type = width === 4 ? Float32Array : Float64Array;
    this.#factors = heap.view<FloatArray>(type, this.#sums.byteOffset, (8 * room) / width);
    this.#planTask(width, length * workPerRow(operation));
  }

  /** Whether the caller has nothing to do before or after the task. */
  get needsNobody(): boolean {
    return this.#dotSlots.length === 0 && this.#onBlocks === undefined;
  }

  /** Leaves the operations to the next run of the team. For a program that needs nobody. */
  queue(): void {
    this.#readCoefficients();
    if (this.#chunks > 0) this.#context.team.queue(this.#task!, 0, 0, 0, 0);
  }

  #readCoefficients(): void {
    for (const { place, factor } of this.#coefficients) this.#reals[place] = this.#scalars.valueOf(factor);
  }

  /** Runs the operations, on the team if they are large enough, and then sets the scalars of the dot products. */
  run(): void {
    this.#readCoefficients();
    const scalars = this.#scalars;
    const chunks = this.#chunks;
    const { heap, team } = this.#context;
    const onBlocks = this.#onBlocks;
    if (onBlocks?.kind === 'combine') {
      // C may be the result of a product that is queued.
      team.flush();
      placeFactors(heap, onBlocks, this.#factors);
    }
    if (chunks > 0) team.run(this.#task!, 0, 0, 0, 0);
    else team.flush();
    const dots = this.#dotSlots;
    const sumOf = (result: number) => pairwiseSum(this.#sums, result * chunks, chunks);
    for (let k = 0; k < dots.length; k++) scalars.set(dots[k]!, sumOf(k));
    if (onBlocks?.kind === 'gram') takeGram(heap, onBlocks, sumOf);
  }

  #makeRoomForSums(count: number): void {
    if (count <= this.#sums.length) return;
    const { heap } = this.#context;
    const address = heap.alloc(8 * count);
    this.#freeSums();
    this.#sums = heap.view(Float64Array, address, count);
  }

  /** Keeps the task if it is the same. */
  #planTask(width: number, work: number): void {
    const { kernels, team } = this.#context;
    const kernel = kernelIndex(kernels, vectorKernelName(width));
    const units = this.#chunks;
    const parts = work < ONE_PART_OF_VECTORS_BELOW ? 1 : Math.min(partsFor(work, team.size), Math.max(units, 1));
    if (work >= ALONE_BELOW) warmUpVectors(this.#context, this.#scalars, width, this.#onBlocks !== undefined);
    const before = this.#task;
    const isSame = before?.bounds.length === parts + 1 && before.bounds[parts] === units;
    if (isSame && before.kernel === kernel && before.work === work) return;
    const bounds = partition(evenly(units), parts);
    if (bounds.length > this.#bounds.length) this.#bounds = this.#scope.array(Uint32Array, bounds.length);
    this.#bounds.set(bounds);
    const placed = this.#bounds.subarray(0, bounds.length);
    this.#task = { kernel, header: this.#address, bounds: placed, workers: threadsFor(work, team.size), work };
  }

  #freeSums(): void {
    if (this.#sums.length > 0) this.#context.heap.free(this.#sums.byteOffset);
  }

  /** Frees the memory; called once. */
  [Symbol.dispose](): void {
    this.#freeSums();
    this.#scope[Symbol.dispose]();
  }
}

/** The sum of `count` numbers from `begin` on, in place: neighbours are added, in the same tree every time. 0 if there is none. */
function pairwiseSum(numbers: Float64Array, begin: number, count: number): number {
  if (count === 0) return 0;
  for (let left = count; left > 1; left = (left + 1) >> 1) {
    for (let i = 0; i < left >> 1; i++) numbers[begin + i] = numbers[begin + 2 * i]! + numbers[begin + 2 * i + 1]!;
    if (left % 2 === 1) numbers[begin + (left >> 1)] = numbers[begin + left - 1]!;
  }
  return numbers[begin]!;
}

/** Has V8 optimize the kernel before its first large program; see `warm-up.ts`. Those for blocks are other functions. */
function warmUpVectors(context: TeamContext, scalars: Scalars, width: number, onBlocks: boolean): void {
  const { heap, warm } = context;
  const name = `${vectorKernelName(width)}${onBlocks ? ' on blocks' : ''}`;
  if (warm.has(name)) return;
  // The programs below need no warm-up of their own.
  warm.add(name);
  const isDone = withRoom(() => {
    using scope = heap.scope();
    const lists = onBlocks ? blockWarmUps(scope, width) : [elementWarmUp(scope, width)];
    for (const list of lists) {
      using program = new VectorProgram(context, scalars).write(width, onBlocks ? WARM_UP_ROWS : CHUNK_ELEMENTS, list);
      repeatUntilOptimized(() => program.run());
    }
  });
  if (!isDone) warm.delete(name);
}

function elementWarmUp(scope: HeapScope, width: number): readonly VectorOperation[] {
  const vector = () => scope.array(Uint8Array, CHUNK_ELEMENTS * width).fill(0).byteOffset;
  const [x, y, slot] = [vector(), vector(), scope.alloc(8)];
  const [zero, one] = [0, 1].map((times) => ({ slot: undefined, times })) as [Coefficient, Coefficient];
  const update: VectorOperation = { kind: 'axpby', a: one, x, b: one, y };
  const dot: VectorOperation = { kind: 'dot', x, y, slot };
  // One of each kind, and as many as run in one pass.
  return [
    { kind: 'axpby', a: one, x, b: zero, y },
    ...[update, dot],
    { kind: 'multiply', d: x, x, y },
    ...[update, update, update, update, dot, dot],
  ];
}
