/** `sparlane eigs`: eigenvalues and eigenvectors of a square matrix, by `eigs` or, where it is not symmetric, `eigsGeneral`. */
import { type Command, Option } from 'commander';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import { eigsAsync } from '../eigen/eigs.js';
import type { ComplexNumber } from '../eigen/general/complex-residual.js';
import { eigsGeneralAsync } from '../eigen/general/eigs-general.js';
import type { WhichGeneral } from '../eigen/general/spectral-map.js';
import type { EigsOptions, Which } from '../eigen/method.js';
import type { Engine } from '../engine/engine.js';
import { createEngine } from '../index.node.js';
import type { Vector } from '../memory/vector.js';
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
  type SpectrumAnswer,
  type SpectrumCommandOptions,
  saveBlock,
  saveSpectrum,
  spectrumReport,
  untilInterrupted,
} from './spectrum.js';

interface EigsCommandOptions extends SpectrumCommandOptions {
  readonly which?: Which | WhichGeneral;
  readonly shift?: number | ComplexNumber;
  readonly mass?: string;
  readonly method?: string;
  readonly output?: string;
  readonly outputImaginary?: string;
  readonly left?: boolean;
  readonly outputLeft?: string;
  readonly outputLeftImaginary?: string;
}

/** What `--which` may be, and what it is by default. */
const SYMMETRIC = ['smallest', 'largest', 'nearest'] as const satisfies Which[];
const GENERAL = [
  ...(['largest', 'largest-real', 'smallest-real'] as const),
  ...(['largest-imaginary', 'nearest'] as const),
] satisfies WhichGeneral[];

export function addEigs(program: Command): void {
  const command = program
    .command('eigs')
    .summary('finds eigenvalues of a matrix')
    .description(
      'Finds some eigenvalues λ of A x = λ x, or of A x = λ B x, with their vectors. Those of matrices that are not symmetric may be complex.',
    )
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .addOption(
      new Option(
        '--which <which>',
        'which ones; default: smallest, or largest, by modulus, if A is not symmetric',
      ).choices([...new Set([...SYMMETRIC, ...GENERAL])]),
    )
    .addOption(
      new Option(
        '--shift <number>',
        'for --which nearest; complex if A is not symmetric: 0.5+2i; default: 0',
      ).argParser(shift),
    )
    .option('--mass <matrix>', 'B; for symmetric A positive semi-definite; default: the identity')
    .option('--method <method>', 'for symmetric matrices; default: chosen for the matrix')
    .addOption(new Option('--output <file>', 'write the vectors to this file: .npy').argParser(npyFile('--output')))
    .addOption(
      new Option('--output-imaginary <file>', 'their imaginary parts, if A is not symmetric: .npy').argParser(
        npyFile('--output-imaginary'),
      ),
    )
    .option('--left', 'left eigenvectors, too, and condition numbers, if A is not symmetric')
    .addOption(new Option('--output-left <file>', 'write the left vectors: .npy').argParser(npyFile('--output-left')))
    .addOption(
      new Option('--output-left-imaginary <file>', 'their imaginary parts: .npy').argParser(
        npyFile('--output-left-imaginary'),
      ),
    );
  addSpectrumOptions(command).addHelpText('after', EXIT_HELP).action(run);
}

/** A decimal number without its sign. */
const NUMBER = '(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?';
/** An imaginary part, after a real one where there is one: `0.5-2i`, `2i`. */
const COMPLEX = new RegExp(`^([+-]?${NUMBER}(?=[+-]))?([+-]?${NUMBER})i$`, 'i');

function shift(text: string): number | ComplexNumber {
  const complex = COMPLEX.exec(text.replaceAll(' ', ''));
  if (complex !== null) return { real: Number(complex[1] ?? 0), imaginary: Number(complex[2]) };
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw mismatch('argument', '--shift', 'a finite number, also a complex one such as 0.5+2i', text);
}

async function run(source: string, options: EigsCommandOptions): Promise<void> {
  const { k, mass, output, outputImaginary, outputLeft, outputLeftImaginary, svg, json } = options;
  const { tolerance, maxIterations, threads = CORES } = options;
  checkSource(source);
  if (mass !== undefined) checkSource(mass);
  await refuseSource(source, {
    ...{ output, 'output-imaginary': outputImaginary, svg },
    ...{ 'output-left': outputLeft, 'output-left-imaginary': outputLeftImaginary },
  });
  const matrix = await loadMatrix(source);
  const B = mass === undefined ? undefined : await loadMatrix(mass);
  const isSymmetric = [matrix, ...(B === undefined ? [] : [B])].every((one) => likenessOfTranspose(one) !== 'none');
  const search = isSymmetric ? symmetricSearch(options) : generalSearch(options);
  await using engine = await createEngine({ threads, onHint: ({ message }) => complain(message) });
  using progress = showProgress('searching');
  const given: Given = {
    tolerance,
    ...(B !== undefined && { B }),
    ...(maxIterations !== undefined && { maxIterations }),
    onProgress: ({ stage, iteration, converged }) =>
      progress.say(
        `searching: ${stage === 'iterations' ? `iteration ${formatCount(iteration)}` : `set-up, ${stage}`}, ${converged} of ${k} found`,
      ),
  };
  const found = await untilInterrupted((signal) => search(engine, matrix, { ...given, signal }));
  progress[Symbol.dispose]();
  using vectors = found.vectors;
  using imaginary = found.imaginary;
  using left = found.left?.real;
  using leftImaginary = found.left?.imaginary;
  const report = spectrumReport(source, matrix, engine, found.answer);
  if (json) printJson(report);
  else printSpectrum(report, 'eigenvalue');
  await saveBlock(output, vectors);
  if (imaginary !== undefined) await saveBlock(outputImaginary, imaginary);
  if (left !== undefined) await saveBlock(outputLeft, left);
  if (leftImaginary !== undefined) await saveBlock(outputLeftImaginary, leftImaginary);
  await saveSpectrum(svg, report, 'eigenvalue');
  if (found.answer.reason !== 'tolerance') process.exitCode = NOT_CONVERGED;
}

type Given = Pick<EigsOptions, 'tolerance' | 'B' | 'maxIterations' | 'signal' | 'onProgress'>;

/** The pairs; the caller disposes the blocks. */
interface Pairs {
  readonly answer: SpectrumAnswer;
  readonly vectors: Vector;
  readonly imaginary?: Vector;
  readonly left?: { readonly real: Vector; readonly imaginary: Vector };
}

type Search = (engine: Engine, matrix: CsrMatrix, given: Given) => Promise<Pairs>;

/** @throws SparlaneError `argument` for options of the other search */
function symmetricSearch({ k, which = 'smallest', shift, method, ...others }: EigsCommandOptions): Search {
  const known = oneOfBoth(which, SYMMETRIC, 'a symmetric matrix');
  for (const option of ['outputImaginary', 'left', 'outputLeft', 'outputLeftImaginary'] as const)
    if (others[option] !== undefined)
      throw mismatch('argument', flagOf(option), 'none for a symmetric matrix', others[option]);
  if (typeof shift === 'object')
    throw mismatch('argument', '--shift', 'a real number for a symmetric matrix', 'a complex one');
  return async (engine, matrix, given) => {
    const own = { which: known, ...(shift !== undefined && { shift }), ...(method !== undefined && { method }) };
    const answer = await eigsAsync(engine, matrix, k, { ...given, ...own });
    return { answer, vectors: answer.vectors };
  };
}

/** The flag of an option: `--output-left`. */
function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @throws SparlaneError `argument` for options of the other search */
function generalSearch({ k, which = 'largest', shift, method, ...files }: EigsCommandOptions): Search {
  const { output, outputImaginary, outputLeft, outputLeftImaginary } = files;
  const isTwoSided = files.left === true || outputLeft !== undefined || outputLeftImaginary !== undefined;
  const known = oneOfBoth(which, GENERAL, 'a matrix that is not symmetric');
  if (method !== undefined) throw mismatch('argument', '--method', 'none for a matrix that is not symmetric', method);
  return async (engine, matrix, given) => {
    const own = { which: known, left: isTwoSided, ...(shift !== undefined && { shift }) };
    const { values, vectors, left, ...counts } = await eigsGeneralAsync(engine, matrix, k, { ...given, ...own });
    const pairs = Array.from(values.real, (real, j) => [real, values.imaginary[j]!] as const);
    const hasImaginary = pairs.some(([, imaginary]) => imaginary !== 0);
    if (output !== undefined && outputImaginary === undefined && hasImaginary)
      complain('--output has the real parts of the vectors, --output-imaginary would have the others');
    if (outputLeft !== undefined && outputLeftImaginary === undefined && hasImaginary)
      complain('--output-left has the real parts of the vectors, --output-left-imaginary would have the others');
    const decision = { method: 'krylov-schur', reasons: ['krylov-schur: the matrices are not symmetric'] };
    const conditions = left && { conditions: left.conditions, leftResidualNorms: left.residualNorms };
    return {
      answer: { ...counts, values: pairs, decision, ...conditions },
      ...{ vectors: vectors.real, imaginary: vectors.imaginary, ...(left && { left: left.vectors }) },
    };
  };
}

/** @throws SparlaneError `argument` */
function oneOfBoth<W extends string>(which: string, known: readonly W[], of: string): W {
  const found = known.find((name) => name === which);
  if (found === undefined) throw mismatch('argument', '--which', `${known.join(' | ')} for ${of}`, which);
  return found;
}
