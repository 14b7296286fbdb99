/** Lines of a pattern, which are read two at a time, are the entries that they are one by one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryChunk } from '#dist/core/entries.js';
import type { MatrixMarketHeader } from '#dist/io/matrix-market/header.js';
import { lineScanner } from '#dist/io/matrix-market/scanner.js';
import { bytesOf } from '../support.js';

const scanner = (await lineScanner())!;

const header: MatrixMarketHeader = {
  ...{ file: 'a.mtx', format: 'coordinate', field: 'pattern', symmetry: 'general' },
  ...{ rows: 123_456_789, cols: 123_456_789, entries: 1000 },
};

function read(text: string, shape: Partial<Pick<MatrixMarketHeader, 'rows' | 'cols'>>) {
  const chunk = entryChunk('pattern', 10);
  const { triangles } = scanner.read({ ...header, ...shape }, bytesOf(text), 0, chunk, 10);
  const entries = Array.from({ length: chunk.used }, (_, k) => [chunk.rowIdx[k]! + 1, chunk.colIdx[k]! + 1]);
  return { entries, triangles };
}

describe('lines of a pattern', () => {
  it('between any lines have their indices and triangles', () => {
    const index = fc.oneof(
      { arbitrary: fc.integer({ min: 1, max: 99_999_999 }), weight: 10 },
      { arbitrary: fc.integer({ min: 1, max: 99 }), weight: 10 },
      fc.integer({ min: 1, max: 123_456_789 }),
    );
    const separator = fc.oneof({ arbitrary: fc.constant(' '), weight: 40 }, fc.constantFrom('\t', '  ', ' \t '));
    const end = fc.oneof({ arbitrary: fc.constant('\n'), weight: 40 }, fc.constantFrom('\r\n', ' \n'));
    const line = fc.tuple(index, separator, index, end);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 600, size: 'max' }), fc.integer({ min: 1, max: 1000 }), (lines, most) => {
        const bytes = bytesOf(lines.map((parts) => parts.join('')).join(''));
        const chunk = entryChunk('pattern', 1000);
        const { next, triangles } = scanner.read(header, bytes, 0, chunk, most);
        const read = lines.slice(0, most);
        expect(next).toBe(read.reduce((length, parts) => length + parts.join('').length, 0));
        expect([...chunk.rowIdx.subarray(0, chunk.used)]).toEqual(read.map(([row]) => row - 1));
        expect([...chunk.colIdx.subarray(0, chunk.used)]).toEqual(read.map(([, , col]) => col - 1));
        const isLower = read.some(([row, , col]) => row > col);
        const isUpper = read.some(([row, , col]) => row < col);
        expect(triangles).toBe(Number(isLower) + 2 * Number(isUpper));
      }),
      { numRuns: 300 },
    );
  });

  it('with one wrong byte anywhere are as those that are read one by one', () => {
    const lines = ['12 345', '99999999 1', '7 12345678', '1 2', '100000000 3', '4 5'];
    const bytes = fc.constantFrom(...[...' \t\r\n\f.e+-%x:/019Aa', '\0', '\x7f', '\u00e9']);
    const sizes = fc.constantFrom(1e8, 9e7, 345, 344, 1);
    fc.assert(
      fc.property(
        fc.array(fc.nat(lines.length - 1), { minLength: 1, maxLength: 5 }),
        fc.nat(70),
        bytes,
        sizes,
        sizes,
        fc.boolean(),
        (which, at, byte, rows, cols, inserts) => {
          const text = which.map((k) => lines[k]!).join('\n');
          const place = at % text.length;
          const wrong = text.slice(0, place) + byte + text.slice(inserts ? place : place + 1);
          const values = (given: string) => read(given, { rows, cols });
          const usual = values(`${wrong}\n1 1\n`);
          // A blank before each line makes it unusual.
          const slow = values(` ${wrong.replaceAll('\n', '\n ')}\n 1 1\n`);
          expect(usual.entries).toEqual(slow.entries);
          expect(usual.triangles).toBe(slow.triangles);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('of a matrix without rows or columns are none', () => {
    for (const shape of [{ rows: 0 }, { cols: 0 }, { rows: 0, cols: 0 }])
      for (const line of ['0 0', '1 1', '0 1', '1 0']) expect(read(`${line}\n`.repeat(4), shape).entries).toEqual([]);
  });
});
