/** `sparlane svds`: singular values and vectors of a matrix of any shape. */
import { type Command, Option } from 'commander';
import type { SingularMethod, SvdsOptions } from '../eigen/singular/singular.js';
import { svdsAsync } from '../eigen/singular/svds.js';
import { createEngine } from '../index.node.js';
import { formatCount } from '../pictures/figures.js';
import { checkSource, loadMatrix } from './load.js';
import { CORES } from './options.js';
import { complain, printJson, showProgress } from './output.js';
import { NOT_CONVERGED } from './solve-input.js';
import {
  addSpectrumOptions,
  EXIT_HELP,
  npyFile,
  printSpectrum,
  refuseSource,
  type SpectrumCommandOptions,
  saveBlock,
  saveSpectrum,
  spectrumReport,
  untilInterrupted,
} from './spectrum.js';

interface SvdsCommandOptions extends SpectrumCommandOptions {
  readonly which: 'largest' | 'smallest';
  readonly method: SingularMethod | 'auto';
  readonly outputU?: string;
  readonly outputV?: string;
}

export function addSvds(program: Command): void {
  const command = program
    .command('svds')
    .summary('finds singular values of a matrix')
    .description('Finds some singular values σ of A, with A v = σ u, for a matrix of any shape.')
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .addOption(
      new Option('--which <which>', 'the largest or the smallest').choices(['largest', 'smallest']).default('largest'),
    )
    .addOption(
      new Option('--method <method>', 'randomized: a few digits of the largest, in few passes over A')
        .choices(['auto', 'lanczos', 'cross', 'inverse', 'randomized'])
        .default('auto'),
    )
    .addOption(new Option('--output-u <file>', 'write U to this file: .npy').argParser(npyFile('--output-u')))
    .addOption(new Option('--output-v <file>', 'write V to this file: .npy').argParser(npyFile('--output-v')));
  addSpectrumOptions(command).addHelpText('after', EXIT_HELP).action(run);
}

async function run(source: string, options: SvdsCommandOptions): Promise<void> {
  const { k, which, method, outputU, outputV, svg, json, tolerance, maxIterations, threads = CORES } = options;
  checkSource(source);
  await refuseSource(source, { 'output-u': outputU, 'output-v': outputV, svg });
  const matrix = await loadMatrix(source);
  await using engine = await createEngine({ threads, onHint: ({ message }) => complain(message) });
  using progress = showProgress('searching');
  const given: SvdsOptions = {
    ...{ which, method, tolerance },
    ...(maxIterations !== undefined && { maxIterations }),
    onProgress: ({ iteration, converged }) =>
      progress.say(`searching: iteration ${formatCount(iteration)}, ${converged} of ${k} found`),
  };
  const found = await untilInterrupted((signal) => svdsAsync(engine, matrix, k, { ...given, signal }));
  progress[Symbol.dispose]();
  using U = found.U;
  using V = found.V;
  const report = spectrumReport(source, matrix, engine, found);
  const { errorBound } = found;
  if (json) printJson({ ...report, ...(errorBound !== undefined && { errorBound }) });
  else printSpectrum(report, 'singular value');
  await saveBlock(outputU, U);
  await saveBlock(outputV, V);
  await saveSpectrum(svg, report, 'singular value');
  if (found.reason !== 'tolerance' && found.reason !== 'passes') process.exitCode = NOT_CONVERGED;
}
