/** The options that several commands share. They are checked when read, so errors are known before a matrix is loaded. */
import { Option } from 'commander';
import { mismatch } from '../core/errors.js';
import { formatSpec, parseSpec, resolveParameters } from '../core/parameters.js';
import { DTYPES, type Dtype } from '../core/types.js';
import { type DeviceChoice, MAX_THREADS } from '../engine/start-engine.js';
import { availableCores } from '../execution/cores.node.js';
import { FORMAT_SPECS, formatByName } from '../formats/registry.js';
import { AUTO } from '../operators/operator-options.js';
import { MAX_RANKS } from '../ranks/transport.js';

export const CORES: number = Math.min(availableCores(), MAX_THREADS);

export function jsonOption(description = 'print one JSON object'): Option {
  return new Option('--json', description);
}

export function deviceOption(choices: readonly DeviceChoice[] = ['cpu', 'cuda', 'hybrid', 'auto']): Option {
  return new Option('--device <device>', 'where to compute').choices(choices).default('cpu' satisfies DeviceChoice);
}

export function formatOption(): Option {
  return new Option(
    '--format <format>',
    "a format with its parameters, such as 'csrk?k=3'; or auto: the format predicted to be fastest",
  )
    .default(AUTO)
    .argParser(normalSpec);
}

export function formatsOption(byDefault: readonly string[] | undefined, description = 'all'): Option {
  return new Option(
    '--formats <list>',
    "formats with their parameters, or auto, separated by commas; or 'all', with all variants",
  )
    .default(byDefault, description)
    .argParser((text) => (text === 'all' ? FORMAT_SPECS : list(text, normalSpec)));
}

export function dtypeOption(): Option {
  return new Option('--dtype <dtype>', 'f64, f32, or mixed: f32 values with f64 vectors and sums')
    .choices(DTYPES)
    .default('f64');
}

export function dtypesOption(byDefault: readonly Dtype[] = ['f64']): Option {
  return new Option('--dtype <list>', `${DTYPES.join(', ')}, separated by commas, or 'all'`)
    .default(byDefault, byDefault.join())
    .argParser((text) => (text === 'all' ? DTYPES : list(text, dtypeOf)));
}

/** A whole number, checked. */
export function integerOption(flags: string, description: string, min: number, max: number): Option {
  return new Option(flags, description).argParser((text) => wholeNumber(flags.split(' ')[0]!, text, min, max));
}

export function threadsOption(min = 1): Option {
  return integerOption(
    '--threads <n>',
    `number of threads, including the caller's; default: ${CORES}`,
    min,
    MAX_THREADS,
  );
}

/** Without a number: those of a launcher, which are taken in any case. */
export function ranksOption(): Option {
  return new Option(
    '--ranks [n]',
    'deal the rows to ranks, with a memory and threads of their own: those of mpirun or srun, else n',
  ).argParser((text) => wholeNumber('--ranks', text, 1, MAX_RANKS));
}

export function threadListOption(byDefault: readonly number[]): Option {
  return new Option('--threads <list>', 'numbers of threads, separated by commas')
    .default(byDefault, byDefault.join())
    .argParser((text) => list(text, (part) => wholeNumber('--threads', part, 1, MAX_THREADS)));
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw mismatch('argument', name, `an integer from ${min} to ${max}`, text);
  return value;
}

/** Each different item of a list once. */
function list<T>(text: string, read: (part: string) => T): T[] {
  return [...new Set(text.split(',').map((part) => read(part.trim())))];
}

function dtypeOf(text: string): Dtype {
  const dtype = DTYPES.find((known) => known === text);
  if (dtype === undefined) throw mismatch('argument', '--dtype', `${DTYPES.join(' | ')} | all`, text);
  return dtype;
}

/** The name of a format as its matrices give it, without parameters that have their defaults. */
function normalSpec(text: string): string {
  if (text === AUTO) return AUTO;
  const { name, given } = parseSpec('format', text);
  const { parameters } = formatByName(name);
  return formatSpec(name, parameters, resolveParameters(name, parameters, given), given);
}
