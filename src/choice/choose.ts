/**
 * Chooses a format: the time of every prospect is predicted (`model.ts`), and the time of its conversion is divided
 * among the expected products. There is no search, only some thirty evaluations of a formula, for any size of matrix. Trials may follow
 * (`trials.ts`).
 */
import type { DeviceModel } from '../backends/backend.js';
import type { Dtype } from '../core/types.js';
import type { Examined, Features } from '../features/features.js';
import { type BlockSums, ONE_PART_BELOW, type Prospect, vectorBytes } from '../formats/format.js';
import { prospectsOf } from '../formats/registry.js';
import { multipliesBlocks } from './blocks.js';
import { conversionNs, type MachineCosts, predictNs } from './model.js';

/** The expected number of products with a matrix; `many`: so many that the conversion does not count. */
export type Products = number | 'many';

export interface Circumstances {
  readonly dtype: Dtype;
  /** Available threads, the caller's included. */
  readonly threads: number;
  readonly products: Products;
  readonly costs: MachineCosts;
  /** Columns of the blocks that are multiplied. Default 1: vectors. On a GPU each column is a product. */
  readonly columns?: number;
  /** The sums of their products. Default: `single`. */
  readonly blockSums?: BlockSums;
  /** Whether formats that multiply padding may be chosen. Default: true. */
  readonly padding?: boolean;
  /** The costs of the GPU, if a GPU computes. */
  readonly device?: DeviceModel | undefined;
  /** Whether plans of the GPU are patient (`PlanOptions`). Default: true. */
  readonly patient?: boolean;
  /** The layouts to choose among, for matrices whose kernels are not those of the formats. Default: those that formats offer. */
  readonly prospects?: readonly Prospect[];
}

/** A format with its predicted figures. */
export interface RankedFormat {
  readonly spec: string;
  /** The number of threads on which it is fastest: all, or 1. */
  readonly threads: number;
  /** Bytes moved by a product, predicted. */
  readonly bytes: number;
  /** Milliseconds of a product, predicted. */
  readonly productMs: number;
  /** Milliseconds of the conversion, predicted. */
  readonly conversionMs: number;
  /** The factor by which the ranking counts the predicted time, since predictions for this kernel are often too low. Default 1. */
  readonly doubt?: number;
  /** Milliseconds of a product, measured; only after a trial. */
  readonly measuredMs?: number;
}

/** The chosen format, its alternatives, and the reason. Plain data: it can be printed, stored and sent to threads. */
export interface Decision {
  readonly features: Features;
  readonly dtype: Dtype;
  readonly threads: number;
  readonly products: Products;
  /** Best first. */
  readonly ranking: readonly RankedFormat[];
  readonly chosen: RankedFormat;
  /** Speed of a product relative to `csr` in the given order: measured if both were measured, otherwise predicted. */
  readonly gain: number;
  readonly reason: string;
  /**
   * Whether the matrix was stored with padding. An element of x that is NaN or infinite then makes rows of y NaN that do not
   * use it. `padding: false` chooses among formats without padding.
   */
  readonly multipliesPadding: boolean;
  /** A faster format that needs more products than expected to pay for its conversion, and their number. */
  readonly late?: { readonly spec: string; readonly products: number };
  /** Milliseconds to examine the matrix, to predict, and of the trials with their conversions (0 if there were none). */
  readonly examineMs: number;
  readonly chooseMs: number;
  readonly tuneMs: number;
}

/** Another format is chosen only if it is predicted faster than `csr` by this margin, since the model has errors. */
const MARGIN = 0.03;

/** A faster format is reported to the caller only if it is faster by this much. */
const WORTH_SAYING = 0.2;

/** The spec of the baseline; it is among the prospects of every matrix. */
export const YARDSTICK = 'csr';

/** All candidate layouts, fastest to slowest for the expected products. */
export function rank(examined: Examined, circumstances: Circumstances): RankedFormat[] {
  const { dtype, products, costs, device, padding = true, columns = 1 } = circumstances;
  const prospects = circumstances.prospects ?? (device?.prospectsOf ?? prospectsOf)(examined, dtype, { padding });
  // A kernel that was never measured is never chosen.
  const known = prospects.filter((prospect) =>
    device === undefined
      ? prospect.kernel in costs.kernels
      : device.predictNs(examined.features, prospect, dtype) !== undefined,
  );
  const usable = columns === 1 || device !== undefined ? known : known.filter(({ kernel }) => multipliesBlocks(kernel));
  const ranking = usable.map((prospect) => predict(examined.features, prospect, circumstances));
  return ranking.sort((a, b) => expectedMs(a, products) - expectedMs(b, products));
}

function predict(features: Features, prospect: Prospect, circumstances: Circumstances): RankedFormat {
  const { dtype, threads, costs, device, patient = true, columns = 1, blockSums } = circumstances;
  const { spec, kernel, entries } = prospect;
  const bytes = prospect.bytes + (columns - 1) * vectorBytes(features, dtype);
  if (device !== undefined) {
    const productMs = (columns * device.predictNs(features, prospect, dtype, patient)!) / 1e6;
    const perItem = device.costs.conversionNs[kernel] ?? conversionNs(costs, kernel, 1);
    const uploadNs = prospect.bytes / device.costs.uploadGbps;
    return { spec, bytes, threads: 1, productMs, conversionMs: (perItem * (entries + features.rows) + uploadNs) / 1e6 };
  }
  const layoutNs = conversionNs(costs, kernel, entries + features.rows);
  const alone = predictNs(costs, features, prospect, dtype, 1, columns, blockSums);
  const isSmall = (entries + features.rows) * columns < ONE_PART_BELOW;
  const together = isSmall ? alone : predictNs(costs, features, prospect, dtype, threads, columns, blockSums);
  return {
    ...{ spec, bytes },
    threads: together < alone ? threads : 1,
    productMs: Math.min(alone, together) / 1e6,
    conversionMs: layoutNs / 1e6,
    doubt: costs.kernels[kernel]!.doubt ?? 1,
  };
}

/** Milliseconds of the conversion and all products; of one product, if the conversion does not count. */
export function expectedMs({ spec, productMs, conversionMs, doubt = 1 }: RankedFormat, products: Products): number {
  const countedMs = (spec === YARDSTICK ? 1 : 1 + MARGIN) * doubt * productMs;
  return products === 'many' ? countedMs : conversionMs + products * countedMs;
}

/** One part if the caller alone is faster, else the default of the plan. */
export function partsOf({ threads }: RankedFormat): { parts?: number } {
  return threads === 1 ? { parts: 1 } : {};
}

/** The parts of a decision that are known only after the first of the ranking was stored. */
type Outcome = Pick<Decision, 'examineMs' | 'chooseMs' | 'tuneMs' | 'multipliesPadding'>;

/** The first of a ranking, and the reason for it. */
export function decide(
  { features }: Examined,
  { dtype, threads, products }: Circumstances,
  ranking: readonly RankedFormat[],
  outcome: Outcome,
): Decision {
  const chosen = ranking[0]!;
  const csr = ranking.find(({ spec }) => spec === YARDSTICK) ?? chosen;
  const gain = ratioOf(csr, chosen);
  const reason = chosen === csr ? whyCsr(ranking, products) : whyNot(chosen, csr, features);
  const late = fasterLater(ranking);
  return { features, dtype, threads, products, ranking, chosen, gain, reason, ...(late && { late }), ...outcome };
}

/** A format that is faster than the chosen one, but whose conversion needs more products than expected. */
function fasterLater(ranking: readonly RankedFormat[]): Decision['late'] {
  const chosen = ranking[0]!;
  const fastest = fastestOf(ranking);
  if (msOf(chosen) < (1 + WORTH_SAYING) * msOf(fastest)) return undefined;
  return { spec: fastest.spec, products: Math.ceil(paysAfter(fastest, chosen)) };
}

/** The fastest measured format if the first one was measured, else the fastest predicted one: the two do not compare. */
function fastestOf(ranking: readonly RankedFormat[]): RankedFormat {
  const isMeasured = ({ measuredMs }: RankedFormat) => measuredMs !== undefined;
  const comparable = ranking.filter((format) => isMeasured(format) === isMeasured(ranking[0]!));
  return comparable.reduce((best, one) => (msOf(one) < msOf(best) ? one : best));
}

/** The measured time if there is one, else the predicted time. */
function msOf({ measuredMs, productMs }: RankedFormat): number {
  return measuredMs ?? productMs;
}

/** The time of a product relative to that of another format: measured if both were measured, otherwise predicted. */
function ratioOf(one: RankedFormat, other: RankedFormat): number {
  if (one.measuredMs !== undefined && other.measuredMs !== undefined) return one.measuredMs / other.measuredMs;
  return one.productMs / other.productMs;
}

/** The number of products that pays for the conversion of a format, compared with another format; Infinity if none does. */
function paysAfter(format: RankedFormat, other: RankedFormat): number {
  const saved = msOf(format) * (ratioOf(other, format) - 1);
  return saved <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, (format.conversionMs - other.conversionMs) / saved);
}

/** With commas: 12,345. `toLocaleString` costs 30 ms when a process calls it first (AMD EPYC Zen 4, Node 20, November 2026). */
function grouped(count: number): string {
  return count === Number.POSITIVE_INFINITY ? '∞' : String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function whyCsr(ranking: readonly RankedFormat[], products: Products): string {
  const csr = ranking[0]!;
  const fastest = fastestOf(ranking);
  const ratio = msOf(csr) / msOf(fastest);
  const isMuchFaster = ratio > 1 + MARGIN;
  const after = Math.ceil(paysAfter(fastest, csr));
  if (isMuchFaster && products !== 'many' && after > products) {
    return `${fastest.spec} would be ${ratio.toFixed(2)} × as fast, but its conversion pays only after ${grouped(after)} products, not ${products}`;
  }
  const gain = `is more than ${100 * MARGIN} % faster`;
  return isMuchFaster ? `nothing else ${gain} over ${products} products, with its conversion` : `nothing else ${gain}`;
}

function whyNot(chosen: RankedFormat, csr: RankedFormat, { nnz }: Features): string {
  const how = chosen.measuredMs === undefined || csr.measuredMs === undefined ? 'predicted' : 'measured';
  const ratio = `${how} to be ${ratioOf(csr, chosen).toFixed(2)} × as fast as csr`;
  const perEntry = (format: RankedFormat) => (format.bytes / Math.max(nnz, 1)).toFixed(1);
  const bytes = `moves ${perEntry(chosen)} bytes per entry, csr ${perEntry(csr)}`;
  const after = grouped(Math.ceil(paysAfter(chosen, csr)));
  return `${ratio}; ${bytes}; its conversion is paid back after ${after} products`;
}
