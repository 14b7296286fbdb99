/** `sparlane tune`: the paper's tuning method on this machine. The results for the CPU are stored for later engines. */
import type { Command } from 'commander';
import { mismatch } from '../core/errors.js';
import { SUPER_ROW_SIZE } from '../core/groups.js';
import type { CostTuning, CsrkFit, Tuning } from '../core/tuning.js';
import { DTYPES, type Dtype } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { cpuModel, isOfThisMachine, readTuning, saveTuning, tuningFile } from '../engine/tuning.node.js';
import { GPU_GROUP_SIZES, SUPER_ROW_SIZES } from '../formats/csrk/sizes.js';
import { createEngine } from '../index.node.js';
import { checkSource, loadMatrix } from './load.js';
import { CORES, deviceOption, dtypesOption, integerOption, jsonOption, threadsOption } from './options.js';
import { complain, printJson, showProgress } from './output.js';
import { measureCosts } from './tune-costs.js';
import { type DeviceTuneOptions, tuneDevice } from './tune-device.js';
import { DEVICE_SUITE } from './tune-device-suite.js';
import { measureCurve, outcomeOf, SUITE, type SuiteCurve, type SuiteOutcome } from './tune-suite.js';
import { printOutcome, printStored } from './tune-table.js';

interface TuneOptions {
  readonly dtype: readonly Dtype[];
  readonly device: 'cpu' | 'cuda';
  readonly threads?: number;
  readonly sizes?: boolean;
  readonly time: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const TIME_MS = 100;

const HELP = `
Measures what format 'auto' must know of this machine, in some ten seconds: the speed of reads in
order and of gathers at random from L2, L3 and memory, the sizes of these caches as one thread sees
them, reads by all threads, and the start of a product. Later engines on this machine use the
figures, relative to those of the machine where the cost model was fitted.

With --sizes, or if matrices are given, it measures something else: it times csrk?index=16 with
${SUPER_ROW_SIZES.length} super-row sizes from ${SUPER_ROW_SIZES[0]} to ${SUPER_ROW_SIZES.at(-1)} rows on ${SUITE.length} matrices of the gallery, or on those that are given,
and fits the logarithm of the best size to that of the entries per row (Lane & Booth 2022, §4), in
some 20 seconds for each dtype. Later engines use the fit for csrk with k = 2, unless superRowSize
is given. The fit of a dtype is stored where it loses less than the built-in ${SUPER_ROW_SIZE} rows; stored
fits of other dtypes are kept. With 32-bit columns the size hardly matters.
--json prints the tuning, the file (null with --dry-run), and for every dtype its fit, its losses
and the times of all sizes.

With --device cuda it times csrk?k=3 instead, with the paper's kernels GPUSpMV-3 and -3.5 (method
gpuspmv): ${GPU_GROUP_SIZES.length ** 2} pairs of sizes, ${GPU_GROUP_SIZES[0]} to ${GPU_GROUP_SIZES.at(-1)} rows and as many super-rows, on ${DEVICE_SUITE.length} matrices, with L2
emptied before each product; in f64 unless --dtype is given. It fits both sizes to the entries per
row, finds the sizes that lose least in each of the paper's four cases, and times both against the
paper's formulas for Volta and Ampere and the built-in ones for Hopper. Nothing is stored: the
formulas for GPUs are part of the library.
--json prints the device and, for every dtype, its fit and losses, and for every matrix the times of
all sizes and of the proposed sizes.`;

export function addTune(program: Command): void {
  program
    .command('tune')
    .summary('measure the caches and the memory of this machine, for later engines')
    .description('Measures the caches and the memory of this machine, and stores the figures for later engines.')
    .argument('[matrices...]', 'files or gallery:name?parameters: fit the super-row sizes of csrk to these instead')
    .addOption(dtypesOption(DTYPES))
    .addOption(deviceOption(['cpu', 'cuda']))
    .addOption(threadsOption())
    .option('--sizes', `fit the super-row sizes of csrk instead, to ${SUITE.length} matrices of the gallery`)
    .addOption(integerOption('--time <ms>', 'time for each super-row size, in milliseconds', 1, 1e6).default(TIME_MS))
    .option('--dry-run', 'store nothing')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action((matrices: readonly string[], options: TuneOptions, command: Command) =>
      options.device === 'cuda' ? tuneDevice(deviceOptions(options, command)) : tune(matrices, options),
    );
}

/** @throws SparlaneError `argument` for options that are only valid for the CPU */
function deviceOptions({ dtype, json = false }: TuneOptions, command: Command): DeviceTuneOptions {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  const refused = (what: string, value: unknown) =>
    mismatch('argument', what, 'no value with --device cuda (only valid with --device cpu)', value);
  for (const [name, flag] of CPU_OPTIONS) if (isGiven(name)) throw refused(flag, command.getOptionValue(name));
  if (command.args.length > 0) throw refused('matrices', command.args[0]);
  return { dtypes: isGiven('dtype') ? dtype : ['f64'], json };
}

const CPU_OPTIONS = [
  ['threads', '--threads'],
  ['sizes', '--sizes'],
  ['time', '--time'],
  ['dryRun', '--dry-run'],
] as const;

async function tune(
  given: readonly string[],
  { dtype: dtypes, threads = CORES, sizes = given.length > 0, time, dryRun = false, json }: TuneOptions,
): Promise<void> {
  const sources = given.length > 0 || !sizes ? given : SUITE;
  for (const source of sources) checkSource(source);
  await using engine = await createEngine({
    threads,
    tuning: 'built-in',
    onHint: ({ message }) => complain(message),
  });
  const curves = await measureSuite(engine, sources, dtypes, time);
  const outcomes = sizes ? dtypes.map((dtype) => outcomeOf(dtype, curves, engine.threads)) : [];
  const costs = sizes ? undefined : await measureWithProgress(engine);
  const file = dryRun ? undefined : await tuningFile();
  const before = file === undefined ? undefined : await readTuning(file).catch(() => undefined);
  const tuning = tuningOf(engine, { outcomes, costs }, before);
  if (file !== undefined) await saveTuning(file, tuning);
  if (json) {
    printJson({ tuning, file: file ?? null, superRowSizes: SUPER_ROW_SIZES, outcomes });
    return;
  }
  for (const outcome of outcomes) printOutcome(outcome, engine.threads);
  printStored(tuning, file);
}

async function measureWithProgress(engine: Engine): Promise<CostTuning> {
  using progress = showProgress('measuring this machine');
  return measureCosts(engine, (step) => progress.say(step));
}

async function measureSuite(
  engine: Engine,
  sources: readonly string[],
  dtypes: readonly Dtype[],
  timeMs: number,
): Promise<SuiteCurve[]> {
  const curves: SuiteCurve[] = [];
  for (const [k, source] of sources.entries()) {
    const matrix = await loadMatrix(source);
    if (matrix.nnz === 0) throw mismatch('argument', source, 'a matrix with entries', 'one without');
    for (const dtype of dtypes) {
      using _ = showProgress(`${k + 1} of ${sources.length}: timing ${source} in ${dtype}`);
      curves.push(await measureCurve(engine, source, matrix, dtype, timeMs));
    }
  }
  return curves;
}

interface Measured {
  readonly outcomes: readonly SuiteOutcome[];
  readonly costs: CostTuning | undefined;
}

/** The new measurements, merged over older ones of the same machine with the same number of threads. */
function tuningOf({ threads, binary }: Engine, { outcomes, costs }: Measured, before: Tuning | undefined): Tuning {
  const machine = { cpu: cpuModel(), threads, binary };
  const isSame = before !== undefined && isOfThisMachine(before, binary) && before.machine.threads === threads;
  const csrk: Partial<Record<Dtype, CsrkFit>> = { ...(isSame ? before.csrk : {}) };
  for (const { dtype, fit, isBetter } of outcomes) {
    if (isBetter) csrk[dtype] = fit;
    else delete csrk[dtype];
  }
  const measured = { csrk, ...(costs !== undefined && { costs }) };
  return { ...(isSame ? before : {}), version: 1, date: new Date().toISOString(), machine, ...measured };
}
