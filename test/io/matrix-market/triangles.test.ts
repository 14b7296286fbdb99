/** Files of one triangle on a disk, whose entries go to buckets of rows, give the matrix and the errors of a stream of the same bytes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { readMatrixMarket } from '#dist/io/matrix-market/matrix-market.node.js';
import { bytesOf } from '../support.js';

const folder = mkdtempSync(join(tmpdir(), 'sparlane-triangles-'));
const path = join(folder, 'x.mtx');
afterAll(() => rmSync(folder, { recursive: true }));

/** Enough for buckets, and for blocks behind the first chunk of the file. */
const SIZE = 60_000;

/**
 * The lower triangle of a band, by columns, in an order that goes to buckets or in theirs, with some lines replaced; line k + 3 of the file
 * is lines[k].
 */
function textOf(banner: string, replaced: Record<number, string> = {}, step = 7919): string {
  const [, field, symmetry] = banner.split(' ');
  const lines: string[] = [];
  for (let k = 0; k < SIZE; k++) {
    const col = 1 + ((k * step) % SIZE);
    for (const row of [col, col + 1, col + 70, col + 71]) {
      if (row > SIZE || (symmetry === 'skew-symmetric' && row === col)) continue;
      lines.push(field === 'pattern' ? `${row} ${col}` : `${row} ${col} ${(row * 7 + col * 3) % 1000}e-1`);
    }
  }
  for (const [k, line] of Object.entries(replaced)) lines[Number(k)] = line;
  const entries = lines.filter((line) => !line.startsWith('%')).length;
  return `%%MatrixMarket matrix ${banner}\n${SIZE} ${SIZE} ${entries}\n${lines.join('\n')}\n`;
}

/** The file on one thread and on two, and its bytes, which are a stream. */
function allWays(text: string): Promise<CsrMatrix>[] {
  writeFileSync(path, text);
  const ways = [1, 2].map((threads) => readMatrixMarket(path, { threads }));
  return [...ways, readMatrixMarket(bytesOf(text), { name: 'x.mtx' })];
}

function bitsOf({ rowPtr, colIdx, values }: CsrMatrix): Buffer[] {
  return [rowPtr, colIdx, values].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
}

async function expectSame(text: string): Promise<CsrMatrix> {
  const [one, two, stream] = await Promise.all(allWays(text));
  for (const matrix of [one!, two!]) {
    const { rowPtr: _p, colIdx: _c, values: _v, ...shape } = matrix;
    expect(stream).toMatchObject(shape);
    expect(bitsOf(matrix).map((array, k) => Buffer.compare(array, bitsOf(stream!)[k]!))).toEqual([0, 0, 0]);
  }
  return one!;
}

async function expectErrors(text: string, message: string): Promise<void> {
  for (const way of await Promise.allSettled(allWays(text)))
    expect(way.status === 'rejected' ? String(way.reason) : 'a matrix').toContain(message);
}

describe('a large file of one triangle', () => {
  it.each(['coordinate real symmetric', 'coordinate integer skew-symmetric', 'coordinate pattern symmetric'])(
    '%s',
    async (banner) => {
      const { nnz } = await expectSame(textOf(banner).replaceAll('e-1', banner.includes('integer') ? '' : 'e-1'));
      const diagonal = banner.includes('skew') ? 0 : SIZE;
      expect(nnz).toBe(diagonal + 2 * (3 * SIZE - 1 - 70 - 71));
    },
  );

  it('near its diagonal', async () => {
    const { nnz } = await expectSame(textOf('coordinate real symmetric', {}, 1));
    expect(nnz).toBe(SIZE + 2 * (3 * SIZE - 1 - 70 - 71));
  });

  it('of another kind of number is refused', async () => {
    await expectErrors(textOf('coordinate complex hermitian'), 'x.mtx:1: expected a field');
  });

  it('hermitian without complex numbers is symmetric', async () => {
    expect((await expectSame(textOf('coordinate real hermitian'))).symmetry).toBe('symmetric');
  });

  it('may have entries of the upper triangle', async () => {
    await expectSame(textOf('coordinate real symmetric', { 150001: '100 40000 1.5', 190000: '7 50000 -1e300' }));
  });

  it('sums duplicates in their order', async () => {
    const lines = {
      1000: '900 41 1e16',
      100000: '900 41 1',
      180000: '900 41 -1e16',
      190000: '41 41 0.1',
      190001: '41 41 0.2',
    };
    await expectSame(textOf('coordinate real symmetric', lines));
    await expectSame(textOf('coordinate real skew-symmetric', { 1000: '900 41 1e16', 100000: '900 41 1' }));
  });

  it('sums duplicates beside entries of both triangles, which are none of each other', async () => {
    const lines = { 1000: '900 41 1', 100000: '900 41 2', 180000: '5 50000 3', 190000: '12 12 4' };
    await expectSame(textOf('coordinate real symmetric', lines));
  });

  it('with an entry and its mirror image is an error, which names both lines', async () => {
    const lines = { 500: '% comment', 150000: '900 41 1', 190000: '41 900 1' };
    const message =
      'x.mtx:190003: expected an entry or its mirror image, not both (symmetric), got (41, 900) after (900, 41) on line 150003';
    await expectErrors(textOf('coordinate real symmetric', lines), message);
  });

  it('skew-symmetric has zeros on its diagonal, or is an error', async () => {
    await expectSame(textOf('coordinate real skew-symmetric', { 160000: '9 9 0', 160001: '10 10 -0' }));
    const message = 'x.mtx:160003: expected no entry on the diagonal but 0 (skew-symmetric)';
    await expectErrors(textOf('coordinate real skew-symmetric', { 160000: '9 9 1e-5' }), message);
  });
});
