import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_KINDS } from '#dist/io/kinds/registry.js';
import { read as readInPage, readVector as readVectorInPage } from '#dist/io/read.js';
import { read, readVector } from '#dist/io/read.node.js';
import { fixture, fixturePath } from './kinds/support.js';
import { bytesOf, entriesOf, failure } from './support.js';

let server: Server;
let site: string;
const folder = mkdtempSync(join(tmpdir(), 'sparlane-read-'));

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    if (url === '/silent.npz') return void response.writeHead(200).write('PK');
    const found = url?.startsWith('/csr.npz') || url === '/vector.npy';
    response.writeHead(found ? 200 : 404).end(found ? fixture(url!.slice(1).replace(/\?.*/, '')) : 'nothing');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

describe('the registry', () => {
  it('has a name, a line and a source of each kind, and extensions of one kind only', () => {
    const extensions = FILE_KINDS.flatMap((kind) => kind.extensions);
    expect(new Set(extensions).size).toBe(extensions.length);
    for (const { name, summary, source } of FILE_KINDS) {
      expect(name).toMatch(/^[a-z-]+$/);
      expect(summary).toMatch(/^[^\n]{10,100}$/);
      expect(source.length).toBeGreaterThan(10);
    }
  });

  it.each([
    ['csr.npz', 'npz'],
    ['block.npy', 'npy'],
    ['matrix.petsc', 'petsc'],
    ['coo.mtx', 'matrix-market'],
    ['real.rua', 'harwell-boeing'],
  ])('finds %s by its bytes, whatever its name', async (file, kind) => {
    for (const name of ['x', 'x.csv', 'x.mtx', 'x.npz'])
      if (kind !== 'harwell-boeing' || name !== 'x.mtx') expect((await read(fixture(file), { name })).kind).toBe(kind);
  });
});

describe('a source', () => {
  it('is a URL of the net, in Node and in a page', async () => {
    const expected = entriesOf(await read(fixturePath('csr.npz')));
    for (const reader of [read, readInPage]) {
      expect(entriesOf(await reader(`${site}/csr.npz?v=2`))).toEqual(expected);
      expect(entriesOf(await reader(new URL(`${site}/csr.npz`)))).toEqual(expected);
    }
    expect((await readVector(`${site}/vector.npy`)).length).toBe(5);
    expect((await readVectorInPage(`${site}/vector.npy`)).length).toBe(5);
  });

  it('that cannot be fetched is one clear error', async () => {
    for (const reader of [read, readInPage]) {
      const { code, message } = await failure(reader(`${site}/none.npz`));
      expect([code, message]).toEqual([
        'parse',
        `${site}/none.npz: expected a file that can be fetched, got 'HTTP status 404'`,
      ]);
      expect((await failure(reader('http://127.0.0.1:1/a'))).message).toContain(
        'expected a file that can be fetched, got',
      );
    }
  });

  it('stops when its signal is aborted', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    await expect(read(`${site}/silent.npz`, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('is a file: URL, and any kind in gzip', async () => {
    copyFileSync(fixturePath('csr.npz'), join(folder, 'ü.npz'));
    expect((await read(pathToFileURL(join(folder, 'ü.npz')))).kind).toBe('npz');
    for (const name of ['csr.npz', 'block.npy', 'matrix.petsc', 'real.rua'])
      expect((await read(gzipSync(fixture(name)))).nnz).toBeGreaterThan(4);
  });

  it('is an archive with Rutherford-Boeing', async () => {
    const body = fixture('real.rua');
    const archive = await packTar([{ header: { name: 'a/a.rb', size: body.length, type: 'file' }, body }]);
    expect((await read(archive)).kind).toBe('harwell-boeing');
  });

  it.each([
    ['an HDF5 file', '\x89HDF\r\n\x1a\n', 'an HDF5 file'],
    ['a web page', '<!DOCTYPE html>', 'an HTML page'],
    ['nothing', '', 'an empty file'],
    ['other text', 'no matrix', "'no matrix'"],
    ['other bytes', '\0\x01\x02', "'???'"],
  ])('of no known kind is one clear error: %s', async (_, text, got) => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { code, message } = await failure(read(bytes, { name: 'x' }));
    expect(code).toBe('parse');
    const kinds = FILE_KINDS.map(({ name }) => name).join(', ');
    expect(message).toBe(`x: expected a file of a known kind (${kinds}), got ${got}`);
  });

  it.each([
    ['of no known kind', '\0'],
    ['with a wrong header', '\x93NUMPY\x09\0\0\0'],
    ['with a wrong line', '0,1\n2,x\n"'],
  ])('%s is let go', async (_, text) => {
    let closed = false;
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield bytes;
        for (;;) yield new Uint8Array(5000).fill(0x20);
      } finally {
        closed = true;
      }
    }
    expect((await failure(read(source()))).code).toBe('parse');
    await expect.poll(() => closed).toBe(true);
  });

  it('of another type, and an unknown option, are refused', async () => {
    expect((await failure(read(5 as never))).code).toBe('argument');
    expect((await failure(read(bytesOf(''), { edge: {} } as never))).message).toBe(
      "options: expected only the options name, onProgress, signal, threads, edges, got 'edge'",
    );
    expect((await failure(read(bytesOf(''), null as never))).code).toBe('argument');
  });
});
