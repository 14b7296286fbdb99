/**
 * Measurements of a machine, for later engines: plain JSON, written by `sparlane tune`. Each tuned subject has an
 * optional section; without it the built-in constants are used. To add a section, add a member to `Tuning` and a line
 * to `SECTIONS` with its validator.
 */
import { finite, integer, knownKeys, within } from './checks.js';
import { mismatch, SparlaneError } from './errors.js';
import { DTYPE_TYPES, type Dtype } from './types.js';

/** What `sparlane tune` has measured on a machine, as it is stored. */
export interface Tuning {
  readonly version: 1;
  /** Date of the measurement, as defined in ISO 8601. */
  readonly date: string;
  readonly machine: TunedMachine;
  /** Rows per super-row of `csrk` (k = 2). A dtype is missing if no better size than the built-in one was found. */
  readonly csrk?: CsrkTuning;
  /** For the selection of a format. */
  readonly costs?: CostTuning;
}

/** What the selection of a format must know of a machine. Times are in nanoseconds, and of one thread if nothing else is said. */
export interface CostTuning {
  /** Of an entry of `csr` whose data are in the nearest cache, while all threads compute. */
  readonly entryNs: number;
  /** Of a byte that is read in order, from as many places as is fastest. */
  readonly byteNs: readonly [l2: number, l3: number, memory: number];
  /** The additional time of an element of x at a random place; of several such under way at once. */
  readonly missNs: readonly [l2: number, l3: number, memory: number];
  /** As one thread sees them. */
  readonly cacheBytes: readonly [l2: number, l3: number];
  /** How many times as fast as one thread `machine.threads` of them read memory. Undefined if there is only one, or fewer cores. */
  readonly busSpeedup?: number;
  /** Of the smallest product. */
  readonly startNs: number;
  /** The additional time of the smallest product on all threads. Undefined if there is only one, or fewer cores. */
  readonly forkJoinNs?: number;
}

/** The machine that a tuning was measured on. */
export interface TunedMachine {
  /** The name that the system reports. */
  readonly cpu: string;
  /** Number of threads of the measured engine. */
  readonly threads: number;
  /** The build of the kernels: `simd` or `relaxed-simd`. */
  readonly binary: string;
}

/** For each dtype the sizes of super-rows that `sparlane tune --sizes` has fitted. */
export type CsrkTuning = Readonly<Partial<Record<Dtype, CsrkFit>>>;

/**
 * log₂(rows per super-row) = constant + slope · ln(entries per row), and the quality of this fit on its sample
 * matrices.
 */
export interface CsrkFit {
  readonly constant: number;
  readonly slope: number;
  /** Root mean square of log₂(best size) − log₂(fitted size): 1 is a factor of two. */
  readonly rmsLog2: number;
  /** Extra time of a product with the fitted size, relative to the fastest size: 0.02 is 2 %. */
  readonly medianLoss: number;
  readonly worstLoss: number;
}

const VERSION = 1;

type Sections = Omit<Tuning, 'version' | 'date' | 'machine'>;

/** The validator of each section. Errors use the name `name`. */
const SECTIONS: Readonly<Record<keyof Sections, (name: string, section: object) => void>> = {
  csrk: checkCsrk,
  costs: checkCosts,
};

/**
 * Parses a tuning that `JSON.stringify` wrote.
 *
 * @throws SparlaneError `argument` if `text` is not a string; `parse`, which names the wrong member:
 *   `tuning.csrk.f64.slope: expected a finite number, got …`
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

/** Checks a tuning and refuses unknown members. @throws SparlaneError `argument`, which names the wrong member */
export function checkTuning(tuning: Tuning): Tuning {
  if (typeof tuning !== 'object' || tuning === null) throw mismatch('argument', 'tuning', 'an object', tuning);
  const { version, date, machine, ...sections } = tuning;
  // First, because a later version may have other keys.
  if (version !== VERSION) throw mismatch('argument', 'tuning.version', `${VERSION}`, version);
  knownKeys('tuning', sections, SECTIONS);
  if (typeof date !== 'string' || Number.isNaN(Date.parse(date)))
    throw mismatch('argument', 'tuning.date', 'a date', date);
  knownKeys('tuning.machine', machine, { cpu: true, threads: true, binary: true });
  integer('tuning.machine.threads', machine.threads, 1);
  for (const key of ['cpu', 'binary'] as const) {
    if (typeof machine[key] !== 'string') throw mismatch('argument', `tuning.machine.${key}`, 'a text', machine[key]);
  }
  for (const [name, section] of Object.entries(sections)) SECTIONS[name as keyof Sections](`tuning.${name}`, section);
  return tuning;
}

function checkCsrk(name: string, section: CsrkTuning): void {
  knownKeys(name, section, DTYPE_TYPES);
  for (const [dtype, fit] of Object.entries(section)) {
    const what = `${name}.${dtype}`;
    knownKeys(what, fit, FIT_KEYS);
    for (const key of Object.keys(FIT_KEYS) as (keyof CsrkFit)[]) finite(`${what}.${key}`, fit[key]);
  }
}

function checkCosts(name: string, section: Partial<CostTuning>): void {
  knownKeys(name, section, COST_LENGTHS);
  for (const [key, length] of Object.entries(COST_LENGTHS)) {
    const value = section[key as keyof CostTuning];
    if (length === 1) {
      if (value !== undefined || !OPTIONAL.includes(key)) within(`${name}.${key}`, value as number, LEAST, MOST);
    } else {
      if (!Array.isArray(value) || value.length !== length)
        throw mismatch('argument', `${name}.${key}`, `${length} numbers`, value);
      for (const [k, number] of value.entries()) within(`${name}.${key}[${k}]`, number, LEAST, MOST);
    }
  }
}

/** How many numbers each figure has. */
const COST_LENGTHS = {
  entryNs: 1,
  byteNs: 3,
  missNs: 3,
  cacheBytes: 2,
  busSpeedup: 1,
  startNs: 1,
  forkJoinNs: 1,
} as const satisfies Record<keyof CostTuning, number>;
const OPTIONAL = ['busSpeedup', 'forkJoinNs'];
const LEAST = 1e-6;
const MOST = 1e12;

const FIT_KEYS = {
  constant: true,
  slope: true,
  rmsLog2: true,
  medianLoss: true,
  worstLoss: true,
} as const satisfies Record<keyof CsrkFit, true>;
