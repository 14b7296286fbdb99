/**
 * Has V8 optimize a kernel before its first product. V8 starts WebAssembly in a baseline tier and replaces a function
 * only between two calls. So a kernel called once over a large matrix would run to its end in the baseline tier, at
 * half the speed or less.
 *
 * To prevent this, a small matrix of all row lengths up to 19 is multiplied repeatedly. V8's optimizer is done after 1 to 3 ms, with kernels of
 * `bsr` after 8; a product then takes 0.36 to 0.45 of the time (Intel Xeon, Node 20 and 24, November 2026). Threads share the machine code.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { SparlaneError } from '../../core/errors.js';
import { type FloatArray, vectorArray } from '../../core/types.js';
import { CARRIES_BYTES } from '../../execution/carries.js';
import { partition } from '../../execution/partition.js';
import type { StoredMatrix, Verb } from '../../formats/format.js';
import { allColumns } from '../../formats/layout/column-windows.js';
import { scatterStages } from '../../formats/layout/scatter.js';
import { storeMatrix } from '../../formats/store.js';
import { kernelName, OPERANDS_BYTES } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { OperandBlock } from '../../kernels/operands.js';
import type { TeamContext } from './backend.js';

/** Warming a kernel up takes so many milliseconds at most. Chosen: V8 then has optimized most kernels. */
const WARM_UP_MS = 5;
/** So many runs of a kernel are timed together: in the baseline tier they take 25 to 90 µs, and clocks of pages have steps of 5. Chosen. */
const TURNS = 16;
/** The least of the first so many times of TURNS runs is that of V8's baseline tier, whose code is compiled during the first calls. Chosen. */
const BASELINE_TIMES = 4;
/** Optimized code takes less than this share of the time. Chosen, between the measured shares and noise. */
const OPTIMIZED_SHARE = 0.6;
const SIZE = 64;
const LENGTHS = 20;
/** All widths of the passes of a block product, in f64 and in f32: 30 and 60 columns fill 8, 4, 2 and 1 vector registers. */
const BLOCK_BYTES = 240;

/**
 * Has V8 optimize the kernels of a verb's stages, and takes as long as each kernel needs.
 *
 * @returns whether the heap had room for the warm-up; otherwise kernels start in the baseline tier
 */
export function warmUp(context: TeamContext, stored: StoredMatrix, verb: Verb): boolean {
  return withRoom(() => warmUpInHeap(context, stored, verb));
}

/** Calls `run` repeatedly, until its kernel is optimized, or for WARM_UP_MS: where the clock is too coarse to tell. */
export function repeatUntilOptimized(run: () => void): void {
  let baselineMs = Number.POSITIVE_INFINITY;
  let begin = performance.now();
  const last = begin + WARM_UP_MS;
  for (let count = 0; begin < last; count++) {
    for (let turn = 0; turn < TURNS; turn++) run();
    const end = performance.now();
    if (count < BASELINE_TIMES) baselineMs = Math.min(baselineMs, end - begin);
    else if (end - begin < OPTIMIZED_SHARE * baselineMs) return;
    begin = end;
  }
}

/** Returns whether the heap had room for `attempt`. */
export function withRoom(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    if (error instanceof SparlaneError && error.code === 'heap') return false;
    throw error;
  }
}

function warmUpInHeap({ heap, kernels, own }: TeamContext, stored: StoredMatrix, verb: Verb): void {
  const { spec, dtype } = stored;
  const type = vectorArray(dtype);
  const columns = verb.startsWith('spmm') ? BLOCK_BYTES / type.BYTES_PER_ELEMENT : 1;
  heap.build((scope) => {
    const rows = rowsOfAllLengths();
    using matrix = stored.like?.(heap, rows) ?? storeMatrix(heap, rows, spec, dtype);
    const x = scope.array<FloatArray>(type, matrix.cols * columns).fill(1);
    const y = scope.array<FloatArray>(type, matrix.rows * columns);
    const operands = new OperandBlock(heap.memory, scope.alloc(OPERANDS_BYTES));
    operands.write(x.byteOffset, y.byteOffset, 1, 0, columns, columns, columns);
    operands.carry = scope.alloc(CARRIES_BYTES);
    // This matrix may be cut where the other one is not, and then lack the verb.
    const raw = matrix.stages[verb] ?? [];
    const isScattering = raw.some(({ scatters }) => scatters);
    const stages = isScattering ? scatterStages(scope, raw, matrix, allColumns(matrix.cols, 2), partition) : raw;
    for (const { kernel, header, units } of stages) {
      const run = own[kernelIndex(kernels, kernelName(kernel, dtype))]!;
      repeatUntilOptimized(() => run(header, operands.address, 0, units));
    }
    scope[Symbol.dispose]();
  });
}

/** Symmetric, and all ones, so every format accepts it. Without `CsrBuilder`, whose first use takes longer than a warm-up. */
function rowsOfAllLengths(): CsrMatrix {
  const rowPtr = new Uint32Array(SIZE + 1);
  const columns = new Uint32Array(SIZE * SIZE);
  let nnz = 0;
  for (let row = 0; row < SIZE; row++) {
    for (let col = 0; col < SIZE; col++) {
      if (Math.min(row, col) < Math.max(row, col) % LENGTHS) columns[nnz++] = col;
    }
    rowPtr[row + 1] = nnz;
  }
  const [colIdx, values] = [columns.slice(0, nnz), new Float64Array(nnz).fill(1)];
  return { rows: SIZE, cols: SIZE, nnz, rowPtr, colIdx, values, field: 'real', symmetry: 'general' };
}
