#!/usr/bin/env node
/**
 * The command `sparlane`. One file per command; this one puts them together and turns errors into one line on stderr and an
 * exit code: 0 ok, 1 failed, 2 wrong usage, 3 not converged.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { SparlaneError } from '../core/errors.js';
import { complain } from './output.js';
import { withSuggestion } from './suggest.js';

/** In the order of the help text. Loading all of them takes as long as starting Node. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  demo: async () => (await import('./demo.js')).addDemo,
  info: async () => (await import('./info.js')).addInfo,
  multiply: async () => (await import('./multiply.js')).addMultiply,
  explain: async () => (await import('./explain.js')).addExplain,
  solve: async () => (await import('./solve.js')).addSolve,
  eigs: async () => (await import('./eigs.js')).addEigs,
  svds: async () => (await import('./svds.js')).addSvds,
  bench: async () => (await import('./bench.js')).addBench,
  formats: async () => (await import('./formats.js')).addFormats,
  tune: async () => (await import('./tune.js')).addTune,
  selftest: async () => (await import('./selftest.js')).addSelftest,
};

const FAILED = 1;
const USAGE = 2;

const MATRIX_HELP = `
MATRIX is a file: Matrix Market (also .gz, or the .tar.gz of the SuiteSparse collection),
SciPy .npz, NumPy .npy, edges as .csv or .tsv, Harwell-Boeing, Rutherford-Boeing, PETSc binary;
or a matrix of the gallery: gallery:laplace2d5?nx=1000&ny=1000
info, multiply and solve also take files with complex numbers.

FORMAT is auto, or a format of 'sparlane formats' with its parameters: csrk?k=3&superRowSize=64

Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 not converged (solve, eigs, svds).`;

/** With the command that is called, or with all of them where none is. */
async function createProgram(called = ''): Promise<Command> {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const program = new Command('sparlane')
    .description('Sparse matrix × vector at the speed of the memory bus.')
    .version(version)
    .helpCommand(true)
    .addHelpText('after', MATRIX_HELP)
    .configureOutput({ outputError: (text) => complain(withSuggestion(text.replace(/^error: /, ''))) })
    .exitOverride();
  const loaders = Object.hasOwn(COMMANDS, called) ? [COMMANDS[called]!] : Object.values(COMMANDS);
  for (const add of await Promise.all(loaders.map((load) => load()))) add(program);
  return program;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  complain(withSuggestion(error instanceof Error ? error.message : String(error)));
  return error instanceof SparlaneError && error.code === 'argument' ? USAGE : FAILED;
}

// A reader that closes the pipe early (`sparlane formats | head -1`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  complain(`standard output: expected one that can be written, got ${error.message}`);
  process.exit(FAILED);
});
// stderr is closed: nothing can be reported.
process.stderr.on('error', () => {});

try {
  const program = await createProgram(process.argv[2]);
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
