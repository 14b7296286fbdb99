/** Common to the tests of the kinds: the fixtures, which SciPy and PETSc wrote (`fixtures/write-*`), and what is in them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FIXTURES = join(import.meta.dirname, 'fixtures');

export function fixturePath(name: string): string {
  return join(FIXTURES, name);
}

export function fixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(fixturePath(name)));
}

/** The matrix of the fixtures, dense: 6 × 4. It has an entry 0 in row 3, column 1. */
export const DENSE = [
  [1.5, 0, 0, -2],
  [4, 0, 0, 0],
  [0, 0, 0, 0],
  [0, 0, 0, 0],
  [1e10, 0.25, 0, 0],
  [0, 3, 0, -7],
];

/** The rows of a block. */
export function rowsOf({ rows, columns, values }: { rows: number; columns: number; values: ArrayLike<number> }) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => values[i * columns + j]!));
}

const python = ['/usr/bin/python3', 'python3'].find(
  (name) => spawnSync(name, ['-c', 'import scipy.sparse, scipy.io']).status === 0,
);
export const havePython = python !== undefined;
export const skipNote = havePython ? '' : ' — SKIPPED: no python3 with SciPy here';
if (!havePython) process.emitWarning('tests against SciPy are skipped: there is no python3 with SciPy');

/** What a program of Python prints. `np`, `sp` and `io` are imported; its arguments are `args`. */
export function runPython(program: string, ...args: string[]): string {
  const imports = 'import sys, numpy as np, scipy.sparse as sp, scipy.io as io\nargs = sys.argv[1:]\n';
  const { status, stdout, stderr } = spawnSync(python!, ['-c', imports + program, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
