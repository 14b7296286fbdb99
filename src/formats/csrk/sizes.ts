/**
 * The number of rows per super-row and of super-rows per super-super-row, from the row density (entries per row) alone.
 *
 * Source: Lane & Booth 2022, §4.1 (GPU) and §4.2 (CPU). The formulas of Volta and Ampere are the paper's. The formulas
 *   of other GPUs come from `gpu-fit.ts`, and those of CPUs from `fit.ts`: the paper's method, run by
 *   `sparlane tune`.
 * Differs: sizes on the GPU are at least 1; the formulas fall below it from some 800 entries per row on. Without entries the
 *   logarithm is replaced by 0. On the CPU every thread gets 16 super-rows or more, as with the paper's large matrices.
 */
import type { CsrkFit, Tuning } from '../../core/tuning.js';
import type { Dtype } from '../../core/types.js';

/** The super-row sizes that the paper tries on CPUs: 2ⁱ and 1.5 · 2ⁱ, i = 3 … 11 (§4.2). */
export const SUPER_ROW_SIZES: readonly number[] = Array.from({ length: 9 }, (_, i) => [8 << i, 12 << i]).flat();

/** The sizes of both groups that the paper tries on GPUs: 2ⁱ and 1.5 · 2ⁱ, i = 2 … 5 (§4.1). */
export const GPU_GROUP_SIZES: readonly number[] = Array.from({ length: 4 }, (_, i) => [4 << i, 6 << i]).flat();

export type TunedGpu = 'volta' | 'ampere' | 'hopper';

export interface GroupSizes {
  /** Rows per super-row: SRS in the paper. */
  readonly superRowSize: number;
  /** Super-rows per super-super-row, which is one thread block on a GPU: SSRS in the paper. */
  readonly superSuperRowSize: number;
}

/** The sizes of a CSR-3 matrix and of its kernel on a GPU. */
export interface GpuSizes extends GroupSizes {
  /**
   * Dimensions of a thread block. Rows × super-rows: GPUSpMV-3, one thread per row. Entries × rows × super-rows:
   * GPUSpMV-3.5, which splits rows too.
   */
  readonly block: readonly number[];
}

/** The four cases of §4.1 end at these densities, inclusive; the last one has no end. */
const CASE_ENDS = [8, 16, 32];

/** Block dimensions of cases 1 to 4 (§4.1, first list of cases). */
const BLOCKS: readonly (readonly number[])[] = [
  [8, 12],
  [4, 8, 12],
  [8, 8, 8],
  [16, 8, 4],
];

type Sizes = readonly [superSuperRowSize: number, superRowSize: number];

/** size = ⌊constant − slope · ln density⌉ */
export type GpuLine = readonly [constant: number, slope: number];

export interface GpuFormulas {
  /** The regression; for Volta and Ampere the paper lowered the slope by hand (§4.1). */
  readonly superSuperRows: GpuLine;
  readonly superRows: GpuLine;
  /**
   * The changes of cases 1 to 4 to the regression (§4.1, last two lists of cases), read as assignments in sequence: an SRS
   * computed from SSRS uses the new SSRS. With the old one it would fall to 2 and 3, below the tried sizes 4 … 48.
   */
  readonly cases: readonly ((ssrs: number, srs: number) => Sizes)[];
}

const GPU_FORMULAS: Readonly<Record<TunedGpu, GpuFormulas>> = {
  volta: {
    superSuperRows: [8.9, 1.25],
    superRows: [10.146, 1.5],
    cases: [
      (ssrs, srs) => [ssrs, srs],
      (ssrs, srs) => [Math.round(ssrs * 1.5), srs * 2],
      (ssrs) => [ssrs * 4, Math.round((ssrs * 4) / 2)],
      (ssrs) => [ssrs * 5, Math.round((ssrs * 5) / 2)],
    ],
  },
  ampere: {
    superSuperRows: [9.175, 1.32],
    superRows: [20.5, 3.5],
    cases: [
      (ssrs, srs) => [ssrs, srs],
      (ssrs, srs) => [ssrs, srs * 4],
      (ssrs) => [Math.round(ssrs * 2.5), Math.round(ssrs * 2.5) * 3],
      (ssrs) => [ssrs * 2, ssrs * 2 * 2],
    ],
  },
  // `sparlane tune --device cuda`, NVIDIA H200, f64, 16 matrices, L2 cold, 21 November 2026: mean loss 7 % on the matrices of the
  // fit, 16 % on a matrix that was left out; with Volta's formulas 22 %, with Ampere's 33 %, with the regression alone 52 %.
  hopper: {
    superSuperRows: [25.501, 1.605],
    superRows: [4.639, -6.588],
    cases: fittedCases([
      { superSuperRowSize: 12, superRowSize: 6 },
      { superSuperRowSize: 32, superRowSize: 16 },
      { superSuperRowSize: 16, superRowSize: 48 },
      { superSuperRowSize: 4, superRowSize: 16 },
    ]),
  },
};

/** The closed formulas of §4.1, for a row density of at least 0. */
export function gpuSizes(gpu: TunedGpu, density: number): GpuSizes {
  return sizesBy(GPU_FORMULAS[gpu], density);
}

/** The sizes by the given formulas. The paper's ⌊ ⌉ rounds halves upwards, as `Math.round` does. */
export function sizesBy({ superSuperRows, superRows, cases }: GpuFormulas, density: number): GpuSizes {
  const place = caseOf(density);
  const base = (line: GpuLine) => Math.max(1, Math.round(lineAt(line, density)));
  const [superSuperRowSize, superRowSize] = cases[place]!(base(superSuperRows), base(superRows));
  return { superRowSize, superSuperRowSize, block: BLOCKS[place]! };
}

/** The value of a line, not rounded. */
export function lineAt([constant, slope]: GpuLine, density: number): number {
  return constant - slope * (density > 0 ? Math.log(density) : 0);
}

/** The case of a density, counted from 0. */
export function caseOf(density: number): number {
  return CASE_ENDS.filter((end) => density > end).length;
}

/** The number of cases. */
export const CASES: number = BLOCKS.length;

/** The cases of a fit: the fitted sizes, or, for a case without them, the regression's, within the range that was timed. */
export function fittedCases(cases: readonly (GroupSizes | undefined)[]): GpuFormulas['cases'] {
  const timed = (size: number) => Math.min(Math.max(size, GPU_GROUP_SIZES[0]!), GPU_GROUP_SIZES.at(-1)!);
  return cases.map(
    (own) => (ssrs, srs) => (own === undefined ? [timed(ssrs), timed(srs)] : [own.superSuperRowSize, own.superRowSize]),
  );
}

/** log₂(size) as a linear function of the natural logarithm of the row density. */
export type SizeLine = Pick<CsrkFit, 'constant' | 'slope'>;

/** The size that a line gives for a row density above 0: of `SUPER_ROW_SIZES`, the nearest by ratio. */
export function fittedSize({ constant, slope }: SizeLine, density: number): number {
  const exact = constant + slope * Math.log(density);
  return SUPER_ROW_SIZES.reduce((best, size) =>
    Math.abs(Math.log2(size) - exact) < Math.abs(Math.log2(best) - exact) ? size : best,
  );
}

/** The figures of a matrix that a size depends on. */
export interface Shape {
  readonly rows: number;
  /** At least 1. */
  readonly nnz: number;
}

/** The least number of super-rows per thread, if there are enough rows: its part is then off by 1/32 at most. */
const SUPER_ROWS_PER_THREAD = 16;

/** The fitted size, or the largest one that leaves every thread its super-rows. */
export function usedSize(line: SizeLine, { rows, nnz }: Shape, threads: number): number {
  const most = rows / (SUPER_ROWS_PER_THREAD * threads);
  const largest = SUPER_ROW_SIZES.findLast((size) => size <= most) ?? SUPER_ROW_SIZES[0]!;
  return Math.min(fittedSize(line, nnz / rows), largest);
}

/** Rows per super-row by a tuning; undefined if the tuning does not have the dtype, or there are no entries. */
export function tunedSize({ machine, csrk }: Tuning, dtype: Dtype, shape: Shape): number | undefined {
  const fit = csrk?.[dtype];
  return fit === undefined || shape.nnz === 0 ? undefined : usedSize(fit, shape, machine.threads);
}
