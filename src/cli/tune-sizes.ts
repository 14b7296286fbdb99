/**
 * Measures the sizes of `csrk?k=3` on a device: products with every pair of sizes, the fit, and the losses of the fit
 * and of other proposals against the fastest pair. The functions that multiply and measure are arguments.
 *
 * Source: Lane & Booth 2022, §4.1.
 */
import { SUPER_ROW_SIZE, SUPER_SUPER_ROW_SIZE } from '../core/groups.js';
import type { Dtype } from '../core/types.js';
import { type Losses, summarizeLosses } from '../formats/csrk/fit.js';
import {
  fastestSizes,
  fitGroupSizes,
  formulasOf,
  type GpuFit,
  type GroupCurve,
  type GroupTime,
} from '../formats/csrk/gpu-fit.js';
import { GPU_GROUP_SIZES, type GroupSizes, gpuSizes, type Shape, sizesBy } from '../formats/csrk/sizes.js';
import { median, quantile } from './timing.js';

/** A product that is timed. */
export interface SizedProduct extends Disposable {
  /** Milliseconds of single products by the device's clock, L2 emptied before each. */
  time(repetitions: number): Float64Array;
}

/** A matrix with products for any sizes. */
export interface SizableMatrix extends Shape, Disposable {
  readonly source: string;
  readonly dtype: Dtype;
  withSizes(sizes: GroupSizes): SizedProduct;
}

/** Products timed with each pair of sizes. */
const REPETITIONS = 11;

/** One matrix of the suite, with all its times. */
export interface DeviceCurve extends GroupCurve {
  readonly source: string;
  readonly dtype: Dtype;
}

/** Times every pair of sizes. */
export function measureSizes(matrix: SizableMatrix): DeviceCurve {
  const { source, dtype, rows, nnz } = matrix;
  const times = GPU_GROUP_SIZES.flatMap((superSuperRowSize) =>
    GPU_GROUP_SIZES.map((superRowSize): GroupTime => {
      using product = matrix.withSizes({ superRowSize, superSuperRowSize });
      const sorted = product.time(REPETITIONS).sort();
      return { superRowSize, superSuperRowSize, medianMs: median(sorted), upperMs: quantile(sorted, 0.75) };
    }),
  );
  return { source, dtype, rows, nnz, times };
}

/**
 * Proposals of sizes: the regressions alone, the sizes of the cases, the paper's formulas, those found on an H200, and
 * the built-in ones for CPUs.
 */
export const PROPOSERS = ['regression', 'byCase', 'volta', 'ampere', 'hopper', 'builtIn'] as const;
export type Proposer = (typeof PROPOSERS)[number];

function proposalOf(proposer: Proposer, fit: GpuFit, density: number): GroupSizes {
  switch (proposer) {
    case 'regression':
      return sizesBy(formulasOf(fit, false), density);
    case 'byCase':
      return sizesBy(formulasOf(fit, true), density);
    case 'builtIn':
      return { superRowSize: SUPER_ROW_SIZE, superSuperRowSize: SUPER_SUPER_ROW_SIZE };
    default:
      return gpuSizes(proposer, density);
  }
}

/** The times of the proposed sizes on one matrix. */
export interface SizeTrial extends GroupSizes {
  readonly proposer: Proposer;
  readonly medianMs: number;
  /** Additional time relative to the fastest: 0.02 is 2 %. */
  readonly loss: number;
}

/** Times the fastest sizes of a curve and the proposed ones, in turn. Each loss is relative to the fastest of them. */
function tryProposals(matrix: SizableMatrix, curve: GroupCurve, fit: GpuFit): SizeTrial[] {
  const proposals = PROPOSERS.map((proposer) => {
    const { superRowSize, superSuperRowSize } = proposalOf(proposer, fit, curve.nnz / curve.rows);
    return { proposer, superRowSize, superSuperRowSize };
  });
  const medians = timeInTurn(matrix, [fastestSizes(curve), ...proposals]);
  const least = Math.min(...medians.values());
  return proposals.map((proposal) => {
    const medianMs = medians.get(sizesText(proposal))!;
    return { ...proposal, medianMs, loss: medianMs / least - 1 };
  });
}

/** In the paper's notation: SSRS × SRS. */
export function sizesText({ superRowSize, superSuperRowSize }: GroupSizes): string {
  return `${superSuperRowSize} × ${superRowSize}`;
}

/** Median milliseconds by `sizesText`; the same sizes are timed once. */
function timeInTurn(matrix: SizableMatrix, all: readonly GroupSizes[]): Map<string, number> {
  const products = new Map<string, SizedProduct>();
  try {
    for (const sizes of all)
      if (!products.has(sizesText(sizes))) products.set(sizesText(sizes), matrix.withSizes(sizes));
    const samples = new Map([...products.keys()].map((key) => [key, new Float64Array(REPETITIONS)]));
    for (let round = 0; round < REPETITIONS; round++) {
      for (const [key, product] of products) samples.get(key)![round] = product.time(1)[0]!;
    }
    return new Map([...samples].map(([key, times]) => [key, median(times.sort())]));
  } finally {
    for (const product of products.values()) product[Symbol.dispose]();
  }
}

export interface MeanLosses extends Losses {
  readonly meanLoss: number;
}

/** The suite's result for one dtype. */
export interface DeviceOutcome {
  readonly dtype: Dtype;
  readonly fit: GpuFit;
  /** The curves, each with its proposals. */
  readonly matrices: readonly (DeviceCurve & { readonly trials: readonly SizeTrial[] })[];
  readonly losses: Readonly<Record<Proposer, MeanLosses>>;
  /** Whether the fit with its cases loses less on average than its regressions alone. */
  readonly byCase: boolean;
}

/** Times all sizes on all matrices of one dtype, fits, and tests the fit. `say` is called with the current step. */
export function tuneSizes(matrices: readonly SizableMatrix[], say: (text: string) => void): DeviceOutcome {
  const curves = matrices.map((matrix, k) => {
    say(`${k + 1} of ${matrices.length}: timing ${matrix.source} in ${matrix.dtype}`);
    return measureSizes(matrix);
  });
  const fit = fitGroupSizes(curves);
  const tried = curves.map((curve, k) => {
    say(`${k + 1} of ${matrices.length}: trying the fit on ${curve.source} in ${curve.dtype}`);
    return { ...curve, trials: tryProposals(matrices[k]!, curve, fit) };
  });
  const lossesBy = (place: number) => meanLossesOf(tried.map(({ trials }) => trials[place]!.loss));
  const entries = PROPOSERS.map((proposer, place) => [proposer, lossesBy(place)]);
  const losses = Object.fromEntries(entries) as Record<Proposer, MeanLosses>;
  const byCase = losses.byCase.meanLoss < losses.regression.meanLoss;
  return { dtype: curves[0]!.dtype, fit, matrices: tried, losses, byCase };
}

function meanLossesOf(losses: readonly number[]): MeanLosses {
  const meanLoss = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  return { ...summarizeLosses(losses), meanLoss };
}
