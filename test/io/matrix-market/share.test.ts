/** Shares of the lines of a file together are the file, and each line belongs to one of them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseShare } from '#dist/io/matrix-market/share.js';
import { openKind } from '#dist/io/read.node.js';

const ENTRIES = 9000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-shares-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function shareOf(path: string, number: number, count: number, takesComplex = false) {
  const { file } = await openKind(path, { threads: 1 });
  try {
    return await parseShare(file, { number, count }, takesComplex);
  } finally {
    file.abandon();
  }
}

/** Returns lines of very different lengths, comments and blank lines among them. */
function text(end: string): string {
  const line = (k: number) => `${k % 5 === 0 ? '% comment\n\n' : ''}${k + 1}${' '.repeat(k % 7 === 0 ? 90 : 1)}1 ${k}`;
  const lines = Array.from({ length: ENTRIES }, (_, k) => line(k));
  return `%%MatrixMarket matrix coordinate integer general\n% a\n${ENTRIES} 2 ${ENTRIES}\n${lines.join('\n')}${end}`;
}

test.each([
  ['a newline', '\n'],
  ['nothing', ''],
])('of a file with %s at its end', async (_, end) => {
  const path = join(folder, 'a.mtx');
  await writeFile(path, text(end));
  for (const count of [1, 2, 3, 7]) {
    const found: number[] = [];
    for (let number = 0; number < count; number++) {
      const { parts, header } = (await shareOf(path, number, count))!;
      const entries = parts[0]!;
      expect(header.entries).toBe(ENTRIES);
      // Shares have as many bytes as the others, up to a line, and later lines are longer.
      expect(Math.abs(entries.used - ENTRIES / count)).toBeLessThan(ENTRIES / 20);
      found.push(...entries.values!.subarray(0, entries.used));
    }
    expect(found).toEqual(Array.from({ length: ENTRIES }, (__, k) => k));
  }
});

test('of a file with one line behind the header: one share has it', async () => {
  const path = join(folder, 'b.mtx');
  const comments = '% comment\n'.repeat(9000);
  await writeFile(path, `%%MatrixMarket matrix coordinate pattern general\n${comments}3 3 1\n2 3\n`);
  const counts: number[] = [];
  for (let number = 0; number < 4; number++) counts.push((await shareOf(path, number, 4))!.parts[0]!.used);
  expect(counts.toSorted()).toEqual([0, 0, 0, 1]);
});

test('of complex numbers: real parts, and imaginary parts at the same places', async () => {
  const path = join(folder, 'd.mtx');
  // The first entries are those of the diagonal, which are real.
  const partOf = [(k: number) => k, (k: number) => (k < 7 ? 0 : -0.5 * k)];
  const lines = Array.from({ length: ENTRIES }, (_, k) => `${k + 1} ${(k % 7) + 1} ${partOf[0]!(k)} ${partOf[1]!(k)}`);
  const head = `%%MatrixMarket matrix coordinate complex hermitian\n${ENTRIES} ${ENTRIES} ${ENTRIES}\n`;
  await writeFile(path, `${head}${lines.join('\n')}`);
  await expect(shareOf(path, 0, 2)).rejects.toThrow('readComplex reads complex matrices');
  const found: number[][][] = [[], []];
  for (let number = 0; number < 3; number++) {
    const { header, parts } = (await shareOf(path, number, 3, true))!;
    expect([header.declared, header.symmetry]).toEqual(['hermitian', 'symmetric']);
    for (const [part, { rowIdx, colIdx, values, used }] of parts.entries()) {
      expect(Math.abs(used - ENTRIES / 3)).toBeLessThan(ENTRIES / 20);
      for (let k = 0; k < used; k++) found[part]!.push([rowIdx[k]!, colIdx[k]!, values![k]!]);
    }
  }
  for (const [part, value] of partOf.entries())
    expect(found[part]).toEqual(Array.from(lines, (_, k) => [k, k % 7, value(k)]));
});

test('there are none of an array', async () => {
  const path = join(folder, 'c.mtx');
  for (const field of ['real', 'complex']) {
    const line = field === 'real' ? '1.5\n' : '1.5 2\n';
    await writeFile(path, `%%MatrixMarket matrix array ${field} general\n9000 1\n${line.repeat(9000)}`);
    expect(await shareOf(path, 0, 2, true)).toBeUndefined();
  }
});
