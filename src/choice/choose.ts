/**
 * Which format: every prospect's time is predicted (`model.ts`), and what its conversion takes is shared out among the products
 * that are expected. No trial, no search: some thirty evaluations of a formula, whatever the size of the matrix.
 */
import type { Dtype } from '../core/types.js';
import type { Examined, Features } from '../formats/features.js';
import { ALONE_BELOW, type Prospect } from '../formats/format.js';
import { prospectsOf } from '../formats/registry.js';
import { type DeviceCosts, predictOnDeviceNs } from './device.js';
import { conversionNs, type MachineCosts, predictNs } from './model.js';

/** How often a matrix will be multiplied: so many times, or so often that its conversion does not count. */
export type Products = number | 'many';

export interface Circumstances {
  readonly dtype: Dtype;
  /** Threads there are, the caller's included. */
  readonly threads: number;
  readonly products: Products;
  readonly costs: MachineCosts;
  /** Whether formats may be chosen that multiply padding. Default: true. */
  readonly padding?: boolean;
  /** Of the GPU that computes, where one does. */
  readonly device?: DeviceCosts | undefined;
}

/** A format, and what is expected of it. */
export interface RankedFormat {
  readonly spec: string;
  /** Threads it is fastest on: all there are, or 1. */
  readonly threads: number;
  /** Moved by a product, as expected. */
  readonly bytes: number;
  /** Milliseconds of a product, predicted. */
  readonly productMs: number;
  /** Milliseconds of the conversion, predicted. */
  readonly conversionMs: number;
  /** Milliseconds of a product, measured; only where there was a budget for it. */
  readonly measuredMs?: number;
}

/** What was chosen for a matrix, from what, and why. Plain data: it can be printed, stored and sent to another thread. */
export interface Decision {
  readonly features: Features;
  readonly dtype: Dtype;
  readonly threads: number;
  readonly products: Products;
  /** Best first. */
  readonly ranking: readonly RankedFormat[];
  readonly chosen: RankedFormat;
  /** How many times as fast as `csr` in the order given a product is; predicted, or measured where both were. */
  readonly gain: number;
  readonly reason: string;
  /**
   * Whether the matrix was laid out with padding. An element of x that is NaN or infinite then makes NaN of rows of y too
   * that do not use it. `padding: false` chooses among formats without.
   */
  readonly multipliesPadding: boolean;
  /** Where fewer products are expected than it takes: the format that would have paid, and after how many. */
  readonly late?: { readonly spec: string; readonly products: number };
  /** Milliseconds to look at the matrix, and to choose. */
  readonly examineMs: number;
  readonly chooseMs: number;
}

/** What else has to be predicted faster than `csr` by to be chosen: the model errs. */
const MARGIN = 0.03;

/** How much faster something must be for a caller to hear of it. */
const WORTH_SAYING = 0.2;

/** What `csr` is known by; it is among the prospects of every matrix. */
export const YARDSTICK = 'csr';

/** All layouts worth having, fastest to slowest for the products expected. */
export function rank(examined: Examined, circumstances: Circumstances): RankedFormat[] {
  const { dtype, products, costs, device, padding } = circumstances;
  // What has never been measured is never chosen.
  const known = prospectsOf(examined, dtype, padding).filter(({ kernel }) => kernel in (device ?? costs).kernels);
  const ranking = known.map((prospect) => predict(examined.features, prospect, circumstances));
  return ranking.sort((a, b) => expectedMs(a, products) - expectedMs(b, products));
}

function predict(features: Features, prospect: Prospect, circumstances: Circumstances): RankedFormat {
  const { dtype, threads, costs, device } = circumstances;
  const { spec, kernel, bytes, entries } = prospect;
  const layoutNs = conversionNs(costs, kernel, entries + features.rows);
  if (device !== undefined) {
    const productMs = predictOnDeviceNs(device, features, prospect) / 1e6;
    return { spec, bytes, threads: 1, productMs, conversionMs: (layoutNs + bytes / device.uploadGbps) / 1e6 };
  }
  const alone = predictNs(costs, features, prospect, dtype, 1);
  const isSmall = entries + features.rows < ALONE_BELOW;
  const together = isSmall ? alone : predictNs(costs, features, prospect, dtype, threads);
  return {
    ...{ spec, bytes },
    threads: together < alone ? threads : 1,
    productMs: Math.min(alone, together) / 1e6,
    conversionMs: layoutNs / 1e6,
  };
}

/** Milliseconds of all the products and of the conversion; of one product, where the conversion does not count. */
export function expectedMs({ spec, productMs, conversionMs }: RankedFormat, products: Products): number {
  const doubt = spec === YARDSTICK ? 1 : 1 + MARGIN;
  return products === 'many' ? doubt * productMs : conversionMs + products * doubt * productMs;
}

/** What is known only when the first of a ranking has been laid out. */
type Outcome = Pick<Decision, 'examineMs' | 'chooseMs' | 'multipliesPadding'>;

/** The first of a ranking, and the reason for it. */
export function decide(
  { features }: Examined,
  { dtype, threads, products }: Circumstances,
  ranking: readonly RankedFormat[],
  outcome: Outcome,
): Decision {
  const chosen = ranking[0]!;
  const csr = ranking.find(({ spec }) => spec === YARDSTICK) ?? chosen;
  const gain = msOf(csr) / msOf(chosen);
  const reason = chosen === csr ? whyCsr(ranking, products) : whyNot(chosen, csr, features);
  const late = fasterLater(ranking);
  return { features, dtype, threads, products, ranking, chosen, gain, reason, ...(late && { late }), ...outcome };
}

/** What is faster than the chosen format, but pays too late for the products expected. */
function fasterLater(ranking: readonly RankedFormat[]): Decision['late'] {
  const chosen = ranking[0]!;
  const fastest = fastestOf(ranking);
  if (msOf(chosen) < (1 + WORTH_SAYING) * msOf(fastest)) return undefined;
  return { spec: fastest.spec, products: Math.ceil(paysAfter(fastest, chosen)) };
}

/** The fastest of those that are known as the first one is: what was measured is not compared with what was predicted. */
function fastestOf(ranking: readonly RankedFormat[]): RankedFormat {
  const isMeasured = ({ measuredMs }: RankedFormat) => measuredMs !== undefined;
  const comparable = ranking.filter((format) => isMeasured(format) === isMeasured(ranking[0]!));
  return comparable.reduce((best, one) => (msOf(one) < msOf(best) ? one : best));
}

/** Measured where it was. */
function msOf({ measuredMs, productMs }: RankedFormat): number {
  return measuredMs ?? productMs;
}

/** Products after which a format has made up for its conversion against another; Infinity where it never does. */
function paysAfter(format: RankedFormat, other: RankedFormat): number {
  const saved = msOf(other) - msOf(format);
  return saved <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, (format.conversionMs - other.conversionMs) / saved);
}

function whyCsr(ranking: readonly RankedFormat[], products: Products): string {
  const csr = ranking[0]!;
  const fastest = fastestOf(ranking);
  const ratio = msOf(csr) / msOf(fastest);
  const isMuchFaster = ratio > 1 + MARGIN;
  const after = Math.ceil(paysAfter(fastest, csr));
  if (isMuchFaster && products !== 'many' && after > products) {
    return `${fastest.spec} would be ${ratio.toFixed(2)} × as fast, but its conversion pays only after ${after.toLocaleString('en-US')} products, not ${products}`;
  }
  const gain = `is more than ${100 * MARGIN} % faster`;
  return isMuchFaster ? `nothing else ${gain} over ${products} products, with its conversion` : `nothing else ${gain}`;
}

function whyNot(chosen: RankedFormat, csr: RankedFormat, { nnz }: Features): string {
  const how = chosen.measuredMs === undefined ? 'predicted' : 'measured';
  const ratio = `${how} to be ${(msOf(csr) / msOf(chosen)).toFixed(2)} × as fast as csr`;
  const perEntry = (format: RankedFormat) => (format.bytes / Math.max(nnz, 1)).toFixed(1);
  const bytes = `moves ${perEntry(chosen)} bytes per entry, csr ${perEntry(csr)}`;
  const after = Math.ceil(paysAfter(chosen, csr)).toLocaleString('en-US');
  return `${ratio}; ${bytes}; its conversion is paid back after ${after} products`;
}
