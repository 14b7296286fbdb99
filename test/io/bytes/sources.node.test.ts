/** Readable sources, and the errors for all others: in Node, and in a page. */
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as page from '#dist/index.browser.js';
import * as node from '#dist/index.node.js';
import { temporaryFolder } from '../../cli/run-cli.js';
import { bytesOf, failure } from '../support.js';

const MATRIX = '%%MatrixMarket matrix coordinate real general\n2 1 1\n2 1 5\n';

const ACCEPTED =
  'source: expected a Blob or File, a ReadableStream (response.body), an async iterable of Uint8Array, or a Uint8Array' +
  ' (in Node also the path or file: URL of a file, and the source that openFile gives), got ';

const WRONG: [string, unknown, string][] = [
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a number', 5, '5'],
  ['a plain object', { matrix: 5 }, 'Object'],
  ['a Response, without .body', new Response(MATRIX), 'Response'],
  ['an ArrayBuffer', new ArrayBuffer(8), 'ArrayBuffer'],
  ['an array of pieces', [bytesOf(MATRIX)], 'Array of length 1'],
  ['numbers of another kind', new Float64Array(3), 'Float64Array of length 3'],
];

describe.each<[string, (source: never) => Promise<unknown>, (source: never) => Promise<unknown>]>([
  ['Node', node.readMatrixMarket, node.readMatrixMarketVector],
  ['a page', page.readMatrixMarket, page.readMatrixMarketVector],
])('in %s', (_, readMatrix, readVector) => {
  it.each(WRONG)('%s is no source', async (_, source, got) => {
    for (const reader of [readMatrix, readVector]) {
      const { code, message } = await failure(reader(source as never));
      expect([code, message]).toEqual(['argument', `${ACCEPTED}${got}`]);
    }
  });

  it('nor is a stream of text, or one that another reads', async () => {
    const text = await failure(readMatrix(Readable.from([MATRIX]) as never));
    expect(text.code).toBe('argument');
    expect(text.message).toMatch(/^source: expected pieces that are Uint8Array, got '%%MatrixMarket [^\n]*'$/);
    const { body } = new Response(MATRIX);
    body!.getReader();
    const taken = await failure(readMatrix(body as never));
    expect(taken.message).toBe('source: expected a stream that has no reader yet, got ReadableStream');
  });
});

describe('a path', () => {
  it('is read in Node, also as a file: URL', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a.mtx'), MATRIX);
    writeFileSync(at('b.mtx.gz'), gzipSync(MATRIX));
    for (const path of [at('a.mtx'), at('b.mtx.gz')]) {
      for (const source of [path, pathToFileURL(path), pathToFileURL(path).href]) {
        expect((await node.readMatrixMarket(source)).rows).toBe(2);
        expect(await node.readMatrixMarketVector(source)).toEqual(Float64Array.of(0, 5));
      }
    }
  });

  it('names the file in errors, or the caller does', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a.mtx'), 'no matrix');
    expect((await failure(node.readMatrixMarket(at('a.mtx')))).message).toMatch(/^a\.mtx:1: expected a banner/);
    const named = node.readMatrixMarketVector(at('a.mtx'), { name: 'x' });
    expect((await failure(named)).message).toMatch(/^x:1: expected a banner/);
    const none = await failure(node.readMatrixMarket(at('none.mtx')));
    expect(none.code).toBe('parse');
    expect(none.message).toContain(`${at('none.mtx')}: expected a file that can be read, got ENOENT`);
  });

  it('in a page is an error with instructions', async () => {
    for (const source of ['a.mtx', new URL('https://example.org/a.mtx')]) {
      for (const reader of [page.readMatrixMarket, page.readMatrixMarketVector]) {
        const { code, message } = await failure(reader(source as never));
        expect(code).toBe('argument');
        expect(message).toContain(ACCEPTED);
      }
    }
  });

  // The open files of the process are listed there.
  it.skipIf(process.platform !== 'linux')('leaves no file open, whatever happens', async () => {
    const at = temporaryFolder();
    writeFileSync(at('good.mtx'), MATRIX);
    writeFileSync(at('bad.mtx'), 'no matrix');
    symlinkSync('good.mtx', at('link.mtx'));
    const count = () => readdirSync('/proc/self/fd').length;
    const before = count();
    for (let k = 0; k < 5; k++) {
      await node.readMatrixMarket(at('link.mtx'));
      await failure(node.readMatrixMarket(at('bad.mtx')));
      await failure(node.readMatrixMarket(at('good.mtx'), { names: 'x' } as never));
      await failure(node.readMatrixMarket(at('good.mtx'), null as never));
      const aborted = node.readMatrixMarket(at('good.mtx'), { signal: AbortSignal.abort(new Error('enough')) });
      await expect(aborted).rejects.toThrow('enough');
      await failure(node.saveStream(at('out.mtx'), undefined as never));
    }
    await expect.poll(count).toBeLessThanOrEqual(before);
  });
});

describe('options', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'options: expected an object, got null'],
    [
      'a misspelt one',
      { onprogress: () => {} },
      "options: expected only the options name, onProgress, signal, threads, got 'onprogress'",
    ],
  ])('%s', async (_, options, expected) => {
    for (const { readMatrixMarket, readMatrixMarketVector } of [node, page]) {
      for (const reader of [readMatrixMarket, readMatrixMarketVector]) {
        const { code, message } = await failure(reader(bytesOf(MATRIX), options as never));
        expect([code, message]).toEqual(['argument', expected]);
      }
    }
  });
});
