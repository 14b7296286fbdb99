/**
 * A matrix on a GPU and on the CPU at once: by rows, the first ones on the GPU, the others on the team. The division is
 * chosen to balance their times. Both times are measured with the matrix itself, including the copies of x and y over
 * the bus. Vectors are in the shared heap, which is pinned.
 *
 * For: vectors that must be in the heap, and CPUs that are not much slower than the bus. If vectors may stay on the GPU,
 * a product there takes a fraction of the time.
 */
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { type ByRowsOperator, byRows } from './by-rows.js';
import type { MatrixOperator } from './matrix-operator.js';
import { partitionByShare } from './row-partition.js';
import { turn } from './turns.js';

/** The GPU's share of the work before the first measurement. */
const FIRST_SHARE = 0.5;

/** Relative difference of the times up to which the halves count as balanced. */
const CLOSE = 0.1;

/**
 * Number of divisions that are tried. Each share is computed from the times of the previous one. These times include
 * the copy of x, which is not proportional to the work, so each share is only nearer to the balance than the previous
 * one.
 */
const ROUNDS = 4;

/** A smaller share is rounded to none: the other device computes alone. */
const MIN_SHARE = 0.01;

/** Number of turns in which a half is timed. */
const TURNS = 3;

/** Milliseconds of a product: each half alone, and both at once. */
export interface PartTimes {
  readonly gpuMs: number;
  readonly cpuMs: number;
  readonly bothMs: number;
}

type GpuTime = Pick<PartTimes, 'gpuMs'> & { readonly share: number };

/**
 * The GPU's share that balances both times, assuming time proportional to work. Returns the same share if the times are
 * already balanced, and 0 or 1 if one device would get almost nothing.
 */
export function nextShare(share: number, { gpuMs, cpuMs }: Omit<PartTimes, 'bothMs'>): number {
  if (share === 0 || share === 1 || Math.abs(gpuMs - cpuMs) <= CLOSE * Math.max(gpuMs, cpuMs)) return share;
  const [gpu, cpu] = [share / gpuMs, (1 - share) / cpuMs];
  const next = gpu / (gpu + cpu);
  if (next < MIN_SHARE) return 0;
  return next > 1 - MIN_SHARE ? 1 : next;
}

/**
 * The final share, when the times are balanced or the last division was tried: the same share, or 0 or 1 if one device
 * alone would be faster than both at once. This is possible because both share one memory and one bus.
 *
 * @param before the GPU's time for another share; two times determine the time that does not depend on the rows
 */
export function lastShare(share: number, { gpuMs, cpuMs, bothMs }: PartTimes, before?: GpuTime): number {
  if (share === 0 || share === 1) return share;
  const cpuAloneMs = cpuMs / (1 - share);
  const perShareMs = before === undefined ? gpuMs / share : (gpuMs - before.gpuMs) / (share - before.share);
  const gpuAloneMs = gpuMs + (1 - share) * perShareMs;
  if (bothMs <= Math.min(cpuAloneMs, gpuAloneMs)) return share;
  return gpuAloneMs < cpuAloneMs ? 1 : 0;
}

/**
 * @param heap the space of x and y
 * @param height rows of a block row, which are not cut
 * @param make the operator of rows: those of the GPU (part 0) or those of the CPU (part 1)
 * @throws errors of `make`; nothing stays allocated
 */
export function shareWithCpu(
  heap: Space,
  matrix: CsrMatrix,
  height: number,
  make: (rows: CsrMatrix, part: number) => MatrixOperator,
): MatrixOperator {
  let share = FIRST_SHARE;
  let before: GpuTime | undefined;
  for (let round = 1; ; round++) {
    const operator = byRows(heap, matrix, partitionByShare(matrix, share, height), make);
    try {
      const times = measure(operator);
      const balanced = round < ROUNDS ? nextShare(share, times) : share;
      const next = balanced === share ? lastShare(share, times, before) : balanced;
      if (next === share) return operator;
      before = { share, gpuMs: times.gpuMs };
      share = next;
    } catch (error) {
      operator.dispose();
      throw error;
    }
    operator.dispose();
  }
}

/** The least times of the parts, with the copies of x and y. */
function measure(operator: ByRowsOperator): PartTimes {
  const { space, vectorType, cols, rows } = operator;
  return assemble((owned) => {
    const x = owned.own(new Vector(space, vectorType, cols)).fill(1);
    const y = owned.own(new Vector(space, vectorType, rows));
    const least = (product: () => void) => {
      const run = (count: number) => {
        for (let k = 0; k < count; k++) product();
      };
      return Math.min(...Array.from({ length: TURNS }, () => turn(run)));
    };
    const gpuMs = least(() => operator.runAlone(0, x, y));
    const cpuMs = least(() => operator.runAlone(1, x, y));
    const bothMs = least(() => operator.apply(x, y));
    owned[Symbol.dispose]();
    return { gpuMs, cpuMs, bothMs };
  });
}
