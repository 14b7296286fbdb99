#!/usr/bin/env node
/**
 * The command `sparlane`. One file per command; this one puts them together and turns errors into one line on stderr and an
 * exit code: 0 ok, 1 failed, 2 wrong usage.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { SparlaneError } from '../core/errors.js';
import { addBench } from './bench.js';
import { addDemo } from './demo.js';
import { addExplain } from './explain.js';
import { addFormats } from './formats.js';
import { addInfo } from './info.js';
import { addMultiply } from './multiply.js';
import { complain } from './output.js';
import { addSelftest } from './selftest.js';
import { addTune } from './tune.js';

const FAILED = 1;
const USAGE = 2;

const MATRIX_HELP = `
MATRIX is a Matrix Market file (.mtx, .mtx.gz, or the .tar.gz of the SuiteSparse collection)
or a matrix of the gallery: gallery:laplace2d5?nx=1000&ny=1000

FORMAT is auto, or a format of 'sparlane formats' with its parameters: csrk?k=3&superRowSize=64

Exit codes: 0 ok, 1 failed, 2 wrong usage.`;

function createProgram(): Command {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const program = new Command('sparlane')
    .description('Sparse matrix × vector at the speed of the memory bus.')
    .version(version)
    .helpCommand(true)
    .addHelpText('after', MATRIX_HELP)
    .configureOutput({ outputError: (text) => complain(text.replace(/^error: /, '')) })
    .exitOverride();
  for (const add of [addDemo, addInfo, addMultiply, addExplain, addBench, addFormats, addTune, addSelftest])
    add(program);
  return program;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  complain(error instanceof Error ? error.message : String(error));
  return error instanceof SparlaneError && error.code === 'argument' ? USAGE : FAILED;
}

// A reader that has seen enough (`sparlane formats | head -1`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  complain(`standard output: expected one that can be written, got ${error.message}`);
  process.exit(FAILED);
});
// Nobody is left to be told.
process.stderr.on('error', () => {});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
