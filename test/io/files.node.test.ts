import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { openFile } from '#dist/io/files.node.js';
import { readMatrixMarket } from '#dist/io/matrix-market/matrix-market.js';
import { failure } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'sparlane-io-'));
afterAll(() => rmSync(folder, { recursive: true }));

const count = 50_000;
const lines = Array.from({ length: count }, (_, k) => `${k + 1} 1 ${Math.cos(k)}\n`).join('');
const text = `%%MatrixMarket matrix coordinate real general\n${count} 1 ${count}\n${lines}`;

describe('openFile', () => {
  it('gives the bytes, the size and the name', async () => {
    const bytes = gzipSync(text);
    const path = join(folder, 'a.mtx.gz');
    writeFileSync(path, bytes);
    const { source, size, name } = await openFile(path);
    expect([size, name]).toEqual([bytes.length, 'a.mtx.gz']);
    let read = 0;
    const matrix = await readMatrixMarket(source, { name, onProgress: (bytesRead) => (read = bytesRead) });
    expect(matrix.nnz).toBe(count);
    expect(read).toBe(size);
  });

  it('takes a file: URL', async () => {
    const path = join(folder, 'ü %41.mtx');
    writeFileSync(path, text);
    for (const url of [pathToFileURL(path), pathToFileURL(path).href]) {
      const { source, name } = await openFile(url);
      expect(name).toBe('ü %41.mtx');
      expect((await readMatrixMarket(source)).nnz).toBe(count);
    }
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['a number', 5, '5'],
    ['a URL of the net', new URL('https://example.org/a.mtx'), "'https://example.org/a.mtx'"],
    ['the same as text', 'https://example.org/a.mtx', "'https://example.org/a.mtx'"],
    ['a URL of another machine', 'file://data/a.mtx', "'file://data/a.mtx'"],
  ])('refuses %s for a path', async (_, path, got) => {
    const { code, message } = await failure(openFile(path as string));
    expect(code).toBe('argument');
    expect(message).toBe(
      `path: expected a path or a file: URL (of another URL, read the body: (await fetch(url)).body), got ${got}`,
    );
  });

  it('refuses a file that is not there, and a folder', async () => {
    const path = join(folder, 'none.mtx');
    const { code, message } = await failure(openFile(path));
    expect(code).toBe('parse');
    expect(message).toContain(`${path}: expected a file that can be read, got ENOENT`);
    expect((await failure(openFile(folder))).message).toBe(
      `${folder}: expected a file that can be read, got a directory`,
    );
  });
});
