/** The combinations of one matrix and one dtype, timed in turn: formats × numbers of threads, and the bus. */
import { expectedProduct } from '../conformance/expected.js';
import { sampleVector } from '../conformance/matrices.js';
import type { CsrMatrix } from '../core/csr.js';
import type { ErrorCode } from '../core/errors.js';
import { type Dtype, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { isRefusal } from '../formats/format.js';
import type { Gathers, Stream } from './bandwidth.js';
import {
  type Combination,
  type ProductReport,
  prepareProduct,
  reportProduct,
  threadsOf,
  type VerifiedProduct,
  type Yardsticks,
} from './product.js';
import { type SampleTimes, type Timed, timeInTurn } from './timing.js';

/** An engine, and the memory bandwidth of its threads, or of its device. */
export interface Lane {
  readonly engine: Engine;
  readonly stream: Stream;
  /** On a device. */
  readonly gathers?: Gathers | undefined;
}

export interface Group {
  readonly source: string;
  readonly matrix: CsrMatrix;
  readonly dtype: Dtype;
  readonly formats: readonly string[];
  readonly timeMs: number;
  /** Called with a description of the current step. */
  readonly say: (text: string) => void;
}

export interface TimedLine extends ProductReport {
  /** The setup in products of csr with the same number of threads; null if csr is not among the formats. */
  readonly setupProducts: number | null;
  /**
   * Number of products that pays back the format's setup against csr's: 0 if it takes no longer, null if the product
   * is not faster, or csr not among the formats.
   */
  readonly paybackProducts: number | null;
}

/** A combination that was not timed. */
export interface FailedLine extends Combination {
  readonly format: string;
  readonly error: string;
  readonly code: ErrorCode;
  /** True if the product was wrong, false if the format refused the matrix. */
  readonly wrong: boolean;
}

export type BenchLine = TimedLine | FailedLine;

export function isTimed(line: BenchLine): line is TimedLine {
  return !('error' in line);
}

interface Entry {
  readonly lane: Lane;
  readonly combination: Combination;
  readonly product: VerifiedProduct;
}

/** Formats in addition to csr that are in memory, and take turns, at a time. */
const BATCH = 5;

/**
 * In batches, each with csr if it is among the formats, so that every line is compared with csr measured at the same
 * time.
 */
export async function measureGroup(lanes: readonly Lane[], group: Group): Promise<BenchLine[]> {
  const anchor = group.formats.filter((format) => format === 'csr');
  const others = group.formats.filter((format) => format !== 'csr');
  const lines: BenchLine[] = [];
  for (let begin = 0; begin < Math.max(others.length, 1); begin += BATCH) {
    const formats = [...anchor, ...others.slice(begin, begin + BATCH)];
    const measured = await measureBatch(lanes, { ...group, formats });
    lines.push(...measured.filter(({ requested }) => begin === 0 || requested !== 'csr'));
  }
  return lines;
}

async function measureBatch(lanes: readonly Lane[], group: Group): Promise<BenchLine[]> {
  const entries: Entry[] = [];
  const failures: FailedLine[] = [];
  try {
    for (const outcome of prepareAll(lanes, group)) {
      if ('error' in outcome) failures.push(outcome);
      else entries.push(outcome);
    }
    group.say(`timing ${entries.length} products`);
    return [...withPayback(await timeAll(lanes, entries, group.timeMs)), ...failures];
  } finally {
    for (const { product } of entries) product[Symbol.dispose]();
  }
}

/** Converts the matrix to every format and verifies a product; x is random, so that errors in columns are detected. */
function* prepareAll(lanes: readonly Lane[], group: Group): Generator<Entry | FailedLine> {
  const { source, matrix, dtype, formats, say } = group;
  const x = vectorArray(dtype).from(sampleVector(matrix.cols, 'real', 1));
  const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
  for (const format of formats) {
    for (const lane of lanes) {
      const threads = threadsOf(lane.engine);
      const combination = { matrix: source, requested: format, dtype, threads };
      say(`laying out ${format}${threads === null ? '' : ` for ${threads} threads`}`);
      try {
        // The first use of memory takes as long again as the conversion; so does the first of several formats, not the
        // last.
        lane.engine.operator(matrix, { format, dtype }).dispose();
        const product = prepareProduct(lane.engine, matrix, combination, x, expected);
        if (product.fault === undefined) {
          yield { lane, combination, product };
          continue;
        }
        product[Symbol.dispose]();
        yield { ...combination, format, error: `wrong: ${product.fault}`, code: 'kernel', wrong: true };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        yield { ...combination, format, error: error.message, code: error.code, wrong: false };
      }
    }
  }
}

async function timeAll(lanes: readonly Lane[], entries: readonly Entry[], timeMs: number): Promise<ProductReport[]> {
  const subjects = [...entries.map(({ product }) => product.timed), ...lanes.map(yardsticksOf)];
  const inTurn = await timeInTurn(subjects.flat().map((subject) => ({ ...subject, timeMs })));
  const timings = subjects.map((some) => inTurn.splice(0, some.length));
  const yardsticks = new Map(lanes.map((lane, k) => [lane, measured(lane, timings[entries.length + k]!)]));
  return entries.map(({ lane, combination, product }, k) =>
    reportProduct(lane.engine, combination, product, timings[k]!, yardsticks.get(lane)!),
  );
}

function yardsticksOf({ stream, gathers }: Lane): readonly Timed[] {
  return gathers === undefined ? [stream] : [stream, gathers];
}

/** From the timings of `yardsticksOf`. */
function measured({ stream, gathers }: Lane, [reading, gathering]: readonly SampleTimes[]): Yardsticks {
  const bandwidthGbps = stream.bytes / reading!.medianMs / 1e6;
  if (gathers === undefined) return { bandwidthGbps };
  return { bandwidthGbps, gathersPerNs: gathers.count / gathering!.medianMs / 1e6 };
}

function withPayback(reports: readonly ProductReport[]): TimedLine[] {
  return reports.map((report) => {
    const csr = reports.find(({ requested, threads }) => requested === 'csr' && threads === report.threads);
    return {
      ...report,
      setupProducts: csr === undefined ? null : report.setupMs / csr.medianMs,
      paybackProducts: csr === undefined || csr === report ? null : payback(report, csr),
    };
  });
}

function payback(report: ProductReport, csr: ProductReport): number | null {
  const extraMs = report.setupMs - csr.setupMs;
  const savedMs = csr.medianMs - report.medianMs;
  if (savedMs <= 0) return null;
  return extraMs <= 0 ? 0 : Math.ceil(extraMs / savedMs);
}
