/**
 * The peers: their input and answers, the reason why one is missing, and the products of the C loop and the JavaScript peers
 * against the reference. (`bench/peers/check.mjs` verifies those that have to be installed.)
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { workedExample } from '#dist/conformance/matrices.js';
import { csrMatrix } from '#dist/core/csr.js';
import { gallery } from '#dist/gallery/registry.js';
import { compile, whyNot } from '../../bench/peers/compile.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from '../../bench/peers/index.mjs';
import { JAVASCRIPT } from '../../bench/peers/javascript.mjs';

const peer = (name: string) => PEERS.find((one: { name: string }) => one.name === name);

const C = peer('gcc -O3');
const reason = C.missing();
if (reason !== undefined) process.emitWarning(`tests of the C peer are skipped: ${reason}`);
const skipNote = reason === undefined ? '' : ` — SKIPPED: ${reason}`;

const WORKED = workedExample();

const MATRICES = {
  'the worked example': WORKED,
  'empty rows at both ends': csrMatrix({
    rows: 6,
    cols: 2,
    rowPtr: [0, 0, 0, 1, 2, 2, 2],
    colIdx: [1, 0],
    values: [3, -2],
  }),
  'explicit zeros': csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 2, 3], colIdx: [0, 1, 1], values: [0, 5, 0] }),
  'no entries': csrMatrix({ rows: 3, cols: 2, rowPtr: [0, 0, 0, 0], colIdx: [], values: [] }),
  'one long row': csrMatrix({
    rows: 3,
    cols: 300,
    rowPtr: [0, 1, 301, 301],
    colIdx: [7, ...Array.from({ length: 300 }, (_, j) => j)],
    values: Array.from({ length: 301 }, (_, k) => 1 + k / 8),
  }),
  'a power-law graph': gallery('rmat', { scale: 8, edgeFactor: 6 }),
};

const vector = (length: number) => Float64Array.from({ length }, (_, j) => 1 / (1 + (j % 7)) - (j % 3 === 1 ? 1 : 0));

async function verify(
  name: string,
  matrix: (typeof MATRICES)[keyof typeof MATRICES],
  dtype: 'f64' | 'f32',
  threads: number,
) {
  const Floats = dtype === 'f64' ? Float64Array : Float32Array;
  const x = Floats.from(vector(matrix.cols));
  const y = new Floats(matrix.rows).fill(Number.NaN);
  const matrixFile = join(temporaryFolder(), 'under-test');
  writeMatrixFile(matrix, matrixFile);
  const opened = await peer(name).open({ matrix, matrixFile, dtype, threads, x });
  try {
    await opened.product(y);
    expect(compareProduct(expectedProduct(matrix, dtype, x, y, 1, 0), y).firstWrong).toBe(-1);
    const times: number[] = await opened.time(3);
    expect(times).toHaveLength(3);
    expect(times.every((ms) => ms >= 0)).toBe(true);
    expect(opened.setupMs).toBeGreaterThanOrEqual(0);
    expect(opened.version).toMatch(/\d/);
  } finally {
    await opened.close();
  }
}

test('a matrix file holds sizes, row pointers, columns and f64 values, one after the other', () => {
  const path = join(temporaryFolder(), 'written');
  writeMatrixFile(WORKED, path);
  const { buffer } = new Uint8Array(readFileSync(path));
  expect([...new Uint32Array(buffer, 0, 3 + 5 + 6)]).toEqual([4, 3, 6, 0, 2, 2, 3, 6, 0, 2, 2, 0, 1, 2]);
  expect([...new Float64Array(buffer, 56)]).toEqual([10, 20, 30, 40, 50, 60]);
});

describe('a peer that is missing says why', () => {
  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
  });

  test('no compiler', () => {
    process.env.PATH = '';
    const here = compile({ source: 'csr.c', flags: ['-O0'] }, 'f64');
    expect(here).toEqual({ missing: 'no gcc: run bench/peers/setup' });
  });

  test.each([
    ['peers/rsb.c:5:10: fatal error: rsb.h: No such file or directory', 'no header rsb.h: run bench/peers/setup'],
    ['/usr/bin/ld: cannot find -lgraphblas: No such file or directory', 'no library graphblas: run bench/peers/setup'],
    [
      "Package eigen3 was not found in the pkg-config search path.\nPackage 'eigen3' not found",
      'no package eigen3: run bench/peers/setup',
    ],
    ["Package 'mpi', required by 'PETSc', not found", 'no package mpi: run bench/peers/setup'],
    ['simd.h:16:2: error: #error neither AVX-512 nor AVX2 on this CPU', 'neither AVX-512 nor AVX2 on this CPU'],
    ["rsb.c:9:1: error: expected ';' before 'x'\n    9 | x", "error: expected ';' before 'x'"],
  ])('%s', (stderr, expected) => {
    expect(whyNot({ message: 'Command failed', stderr })).toBe(expected);
  });

  test('what is not in Debian has a remedy of its own', () => {
    const stderr = 'amgcl-solve.cpp:8:10: fatal error: amgcl/amg.hpp: No such file or directory';
    expect(whyNot({ stderr }, 'clone it')).toBe('no header amgcl/amg.hpp: clone it');
    expect(whyNot({ stderr: '/usr/bin/ld: cannot find -laoclsparse: No such file or directory' }, 'clone it')).toBe(
      'no library aoclsparse: clone it',
    );
  });

  test('another error: the message itself', () => {
    expect(whyNot({ message: 'spawn E2BIG', stderr: '' })).toBe('spawn E2BIG');
  });
});

describe.skipIf(reason !== undefined)(`the C peer${skipNote}`, () => {
  for (const [name, matrix] of Object.entries(MATRICES)) {
    test.each([
      ['f64', 1],
      ['f64', 2],
      ['f32', 1],
      ['f32', 3],
    ] as const)(`multiplies ${name}, %s, %d threads`, (dtype, threads) => verify('gcc -O3', matrix, dtype, threads));
  }

  test('reports a file that is too short', async () => {
    const matrixFile = join(temporaryFolder(), 'short');
    writeFileSync(matrixFile, Uint32Array.of(4, 3, 6, 0));
    const opening = C.open({ matrixFile, dtype: 'f64', threads: 1, x: Float64Array.of(1, 2, 3) });
    await expect(opening).rejects.toThrow('gcc -O3: the file ends too early');
  });

  test('reports when it ends in the middle', async () => {
    const matrixFile = join(temporaryFolder(), 'ended');
    writeMatrixFile(WORKED, matrixFile);
    const opened = await C.open({ matrixFile, dtype: 'f64', threads: 1, x: Float64Array.of(1, 2, 3) });
    await opened.close();
    await expect(opened.time(1)).rejects.toThrow('gcc -O3: ended with status 0');
  });

  test('leaves neither x nor y behind', async () => {
    await verify('gcc -O3', MATRICES['the worked example'], 'f64', 1);
    expect(readdirSync(temporaryFolder()).filter((file) => /-[xy]$/.test(file))).toEqual([]);
  });
});

for (const { name, dtypes, missing } of JAVASCRIPT) {
  describe(name, () => {
    test('is installed', () => {
      expect(missing()).toBeUndefined();
    });

    for (const dtype of dtypes) {
      test.each(Object.entries(MATRICES))(`multiplies %s, ${dtype}`, (_, matrix) => verify(name, matrix, dtype, 1));
    }
  });
}
