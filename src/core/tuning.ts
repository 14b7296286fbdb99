/**
 * What was measured on a machine, for later engines: plain JSON, made by `sparlane tune`. It has a section for everything
 * that is tuned, and each may be missing: then the built-in constants hold. A new section is a member of `Tuning`, and a
 * line in `SECTIONS` with the function that checks it.
 */
import { finite, integer, knownKeys, within } from './checks.js';
import { mismatch, SparlaneError } from './errors.js';
import { DTYPES, type Dtype } from './types.js';

export interface Tuning {
  readonly version: 1;
  /** When it was measured, as ISO 8601 has it. */
  readonly date: string;
  readonly machine: TunedMachine;
  /** Rows per super-row of `csrk` (k = 2). A dtype for which nothing better than the built-in size was found is missing. */
  readonly csrk?: CsrkTuning;
  /** For the choice of a format. */
  readonly bus?: BusTuning;
}

/** How fast memory is read. */
export interface BusTuning {
  /** By one thread, in GB/s. */
  readonly oneGbps: number;
  /** By all of `machine.threads`. */
  readonly allGbps: number;
}

export interface TunedMachine {
  /** As the system names it. */
  readonly cpu: string;
  /** Of the engine that was measured. */
  readonly threads: number;
  /** Which build of the kernels: `simd` or `relaxed-simd`. */
  readonly binary: string;
}

export type CsrkTuning = Readonly<Partial<Record<Dtype, CsrkFit>>>;

/** log₂(rows per super-row) = constant + slope · ln(entries per row), and how well that fits the matrices it comes from. */
export interface CsrkFit {
  readonly constant: number;
  readonly slope: number;
  /** Root mean square of log₂(best size) − log₂(fitted size): 1 is a factor of two. */
  readonly rmsLog2: number;
  /** How much longer a product takes with the fitted size than with the fastest one: 0.02 is 2 %. */
  readonly medianLoss: number;
  readonly worstLoss: number;
}

const VERSION = 1;

/** By section, what checks it; `name` is what errors call it. */
const SECTIONS: Readonly<Record<string, (name: string, section: object) => void>> = {
  csrk: checkCsrk,
  bus: checkBus,
};

/**
 * Reads what `JSON.stringify` made of a tuning.
 *
 * @throws SparlaneError `argument` for what is no text, `parse`, which names what is wrong: `tuning.csrk.f64.slope: expected a finite number, got …`
 */
export function parseTuning(text: string): Tuning {
  if (typeof text !== 'string') throw mismatch('argument', 'tuning', 'a text', text);
  try {
    return checkTuning(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw mismatch('parse', 'tuning', 'JSON', text);
    if (!(error instanceof SparlaneError)) throw error;
    throw new SparlaneError('parse', error.message, error.detail);
  }
}

/** A tuning, and nothing that does not belong there. @throws SparlaneError `argument`, which names what is wrong */
export function checkTuning(tuning: Tuning): Tuning {
  if (typeof tuning !== 'object' || tuning === null) throw mismatch('argument', 'tuning', 'an object', tuning);
  const { version, date, machine, ...sections } = tuning;
  // First, for a later version may have other keys.
  if (version !== VERSION) throw mismatch('argument', 'tuning.version', `${VERSION}`, version);
  knownKeys('tuning', sections, Object.keys(SECTIONS));
  if (typeof date !== 'string' || Number.isNaN(Date.parse(date)))
    throw mismatch('argument', 'tuning.date', 'a date', date);
  knownKeys('tuning.machine', machine, ['cpu', 'threads', 'binary']);
  integer('tuning.machine.threads', machine.threads, 1);
  for (const key of ['cpu', 'binary'] as const) {
    if (typeof machine[key] !== 'string') throw mismatch('argument', `tuning.machine.${key}`, 'a text', machine[key]);
  }
  for (const [name, section] of Object.entries(sections)) SECTIONS[name]!(`tuning.${name}`, section);
  return tuning;
}

function checkCsrk(name: string, section: CsrkTuning): void {
  knownKeys(name, section, DTYPES);
  for (const [dtype, fit] of Object.entries(section)) {
    const what = `${name}.${dtype}`;
    knownKeys(what, fit, FIT_KEYS);
    for (const key of FIT_KEYS) finite(`${what}.${key}`, fit[key]);
  }
}

function checkBus(name: string, section: Partial<BusTuning>): void {
  knownKeys(name, section, BUS_KEYS);
  for (const key of BUS_KEYS) within(`${name}.${key}`, section[key]!, SLOWEST_GBPS, FASTEST_GBPS);
}

const BUS_KEYS = ['oneGbps', 'allGbps'] as const;
const SLOWEST_GBPS = 1e-3;
const FASTEST_GBPS = 1e6;

const FIT_KEYS = ['constant', 'slope', 'rmsLog2', 'medianLoss', 'worstLoss'] as const;
