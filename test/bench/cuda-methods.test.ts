/** The methods of kernels on a GPU, without one: their cases, and the verdict on a record of their times. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { caseNames, caseOf, METHODS } from '../../bench/cuda/method-cases.mjs';
import { temporaryFolder } from '../cli/run-cli.js';

const METHODS_PROGRAM = fileURLToPath(new URL('../../bench/cuda/methods.mjs', import.meta.url));

test('a name of a case says which matrix it is', () => {
  for (const kernel of ['sell', 'bsr']) expect(new Set(caseNames(kernel, 3)).size).toBe(caseNames(kernel, 3).length);
  const { matrix, formats } = caseOf('blocks of 5, 100000', 'bsr');
  expect(formats).toEqual(['bsr?blockSize=5']);
  expect([matrix.rows % 5, matrix.nnz > 0.5e5, matrix.nnz < 1.5e5]).toEqual([0, true, true]);
  expect(caseOf('27-point 0.001', 'sell').matrix.rows).toBe(13 ** 3);
  expect(caseOf('seed 2', 'sell').formats).toBe(METHODS.sell.formats);
});

test('a choice is judged by the least of all methods, which have the parameters of their estimates', () => {
  const line = { kind: 'product', library: 'sparlane', matrix: 'm', scale: 1, dtype: 'f64', format: 'sell' };
  const estimates = [
    [
      { method: 'split?width=4', ns: 8000 },
      { method: 'split?width=2', ns: 9000 },
      { method: 'row?unroll=5', ns: 1e4 },
    ],
  ];
  const lines = [
    { ...line, method: 'split?width=4', coldUs: 10, estimates },
    { ...line, method: 'split?width=2', coldUs: 12, estimates: [[]] },
    { ...line, method: 'row?unroll=5&block=256', coldUs: 5, estimates: [[]] },
    { ...line, method: 'row?unroll=7&block=256', coldUs: 1, estimates: [[]] },
    { ...line, format: 'hyb', method: 'split?width=4 + runs', coldUs: 10, estimates: [estimates[0], []] },
  ];
  const file = temporaryFolder()('methods.jsonl');
  writeFileSync(file, lines.map((one) => JSON.stringify(one)).join('\n'));
  const text = execFileSync(process.execPath, [METHODS_PROGRAM, file], { encoding: 'utf8' });
  expect(text).toContain(
    '2.00  m 1 f64 sell : split?width=4; split?width=4 10.0 (expected 8.0), split?width=2 12.0 (expected 9.0), row?unroll=5 5.0 (expected 10.0)',
  );
  expect(text).toContain('1 choices, 0 of the fastest method; 10 µs, least 5');
});
