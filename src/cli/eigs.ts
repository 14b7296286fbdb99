/** `sparlane eigs`: eigenvalues and eigenvectors of a symmetric matrix. */
import { type Command, Option } from 'commander';
import { mismatch } from '../core/errors.js';
import { eigsAsync } from '../eigen/eigs.js';
import type { EigsOptions, Which } from '../eigen/method.js';
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

interface EigsCommandOptions extends SpectrumCommandOptions {
  readonly which: Which;
  readonly shift?: number;
  readonly mass?: string;
  readonly method?: string;
  readonly output?: string;
}

export function addEigs(program: Command): void {
  const command = program
    .command('eigs')
    .summary('finds eigenvalues of a symmetric matrix')
    .description(
      'Finds some eigenvalues λ of A x = λ x, or of A x = λ B x, with their vectors, for symmetric matrices.',
    )
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .addOption(
      new Option('--which <which>', 'the smallest, the largest, or those nearest to --shift')
        .choices(['smallest', 'largest', 'nearest'])
        .default('smallest'),
    )
    .addOption(new Option('--shift <number>', 'for --which nearest; default: 0').argParser(shift))
    .option('--mass <matrix>', 'B, symmetric positive semi-definite; default: the identity')
    .option('--method <method>', 'default: chosen for the matrix')
    .addOption(new Option('--output <file>', 'write the vectors to this file: .npy').argParser(npyFile('--output')));
  addSpectrumOptions(command).addHelpText('after', EXIT_HELP).action(run);
}

function shift(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw mismatch('argument', '--shift', 'a finite number', text);
}

async function run(source: string, options: EigsCommandOptions): Promise<void> {
  const { k, which, shift, mass, method, output, svg, json, tolerance, maxIterations, threads = CORES } = options;
  checkSource(source);
  if (mass !== undefined) checkSource(mass);
  await refuseSource(source, { output, svg });
  const matrix = await loadMatrix(source);
  const B = mass === undefined ? undefined : await loadMatrix(mass);
  await using engine = await createEngine({ threads, onHint: ({ message }) => complain(message) });
  using progress = showProgress('searching');
  const given: EigsOptions = {
    ...{ which, tolerance },
    ...(shift !== undefined && { shift }),
    ...(B !== undefined && { B }),
    ...(method !== undefined && { method }),
    ...(maxIterations !== undefined && { maxIterations }),
    onProgress: ({ iteration, converged }) =>
      progress.say(`searching: iteration ${formatCount(iteration)}, ${converged} of ${k} found`),
  };
  const found = await untilInterrupted((signal) => eigsAsync(engine, matrix, k, { ...given, signal }));
  progress[Symbol.dispose]();
  using vectors = found.vectors;
  const report = spectrumReport(source, matrix, engine, found);
  if (json) printJson(report);
  else printSpectrum(report, 'eigenvalue');
  await saveBlock(output, vectors);
  await saveSpectrum(svg, report, 'eigenvalue');
  if (found.reason !== 'tolerance') process.exitCode = NOT_CONVERGED;
}
