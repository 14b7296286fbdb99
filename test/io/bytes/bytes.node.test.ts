import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { createTarPacker, packTar, type TarHeader } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import type { ByteSource } from '#dist/io/bytes/source.js';
import { readMatrixMarket } from '#dist/io/matrix-market/matrix-market.js';
import { readMatrixMarket as readInNode } from '#dist/io/matrix-market/matrix-market.node.js';
import { bytesOf, failure, pieces } from '../support.js';

/** So that memory in use is measured, and not garbage as well. */
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** n × n with n on the diagonal: the value shows which file was read. */
function diagonal(n: number): string {
  const lines = Array.from({ length: n }, (_, k) => `${k + 1} ${k + 1} ${Math.sqrt(k)}\n`);
  return `%%MatrixMarket matrix coordinate real general\n${n} ${n} ${n}\n${lines.join('')}`;
}

const N = 5000;
const TEXT = bytesOf(diagonal(N));
const gzip = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(bytes, { level: 1 }));
const tar = (body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  packTar([{ header: { name: 'a/a.mtx', size: body.length, type: 'file' }, body }]);
const GZIP = gzip(TEXT);
const rowsOf = async (source: ByteSource, name = 'x'): Promise<number> =>
  (await readMatrixMarket(source, { name })).rows;
/** For decompression by Node instead of the stream that a page has. */
const rowsInNode = async (source: ByteSource, name = 'x'): Promise<number> =>
  (await readers.node(source, { name })).rows;

const readers = { page: readMatrixMarket, node: readInNode };
type Wrap = (text: Uint8Array) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;

describe.each<[string, keyof typeof readers, Wrap]>([
  ['text', 'page', (text) => new Uint8Array(text)],
  ['gzip', 'page', gzip],
  ['gzip', 'node', gzip],
  ['tar', 'page', tar],
  ['tar.gz', 'page', async (text) => gzip(await tar(text))],
  ['tar.gz', 'node', async (text) => gzip(await tar(text))],
])('a source of %s (%s)', async (_, platform, wrap) => {
  const readMatrixMarket = readers[platform];
  const rowsOf = async (source: ByteSource): Promise<number> => (await readMatrixMarket(source)).rows;
  const bytes = await wrap(TEXT);
  const lengths = Array<number>(bytes.length >> 10).fill(1000);
  it.each<[string, () => ByteSource]>([
    ['Uint8Array', () => bytes],
    ['Buffer', () => Buffer.from(bytes)],
    ['shared memory', () => new Uint8Array(shared(bytes))],
    ['Blob', () => new Blob([bytes])],
    ['Response body', () => new Response(bytes).body!],
    ['ReadableStream', () => streamOf(pieces(bytes, lengths))],
    ['Node stream', () => Readable.from(pieces(bytes, lengths))],
    ['async generator', () => pieces(bytes, lengths)],
    ['single bytes first', () => pieces(bytes, [1, 0, 1, 1])],
  ])('may be a %s', async (_, source) => {
    expect(await rowsOf(source())).toBe(N);
  });

  it('reports its progress in bytes of the source', async () => {
    const reports: number[] = [];
    await readMatrixMarket(pieces(bytes, lengths), { onProgress: (read) => reports.push(read) });
    expect(reports).toEqual([...reports].sort((a, b) => a - b));
    expect(reports[0]).toBe(1000);
    expect(reports.at(-1)).toBe(bytes.length);
  });

  it('passes on an error of the source unchanged', async () => {
    const reason = new Error('the line went dead');
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 2000);
      throw reason;
    }
    await expect(readMatrixMarket(failing())).rejects.toBe(reason);
  });

  it('is left alone at an error in the text, and told so', async () => {
    let closed = false;
    let exhausted = false;
    // noise, so that it is as long when compressed
    const noise = Array.from({ length: 150_000 }, (_, k) => `%${Math.sin(k)}\n`).join('');
    const content = await wrap(bytesOf(`${diagonal(3)}too much\n${noise}`));
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (let at = 0; at < content.length; at += 1000) yield content.subarray(at, at + 1000);
        exhausted = true;
      } finally {
        closed = true;
      }
    }
    expect((await failure(readMatrixMarket(source()))).detail.line).toBe(6);
    await expect.poll(() => closed).toBe(true);
    expect(exhausted).toBe(false);
  });

  it('stops when its signal is aborted', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    let cancelled: unknown;
    const silent = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(bytes.subarray(0, 2000)),
      pull: () => new Promise(() => {}),
      cancel: () => {
        cancelled = true;
      },
    });
    const result = readMatrixMarket(silent, {
      signal: controller.signal,
      onProgress: () => setTimeout(() => controller.abort(reason), 10),
    });
    await expect(result).rejects.toBe(reason);
    await expect.poll(() => cancelled).toBe(true);
  });

  it('is not read at all when that was said before', async () => {
    const reason = new Error('enough');
    await expect(readMatrixMarket(bytes, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

describe('the name in errors', () => {
  const wrong = bytesOf('no matrix');
  it.each<[string, ByteSource, string | undefined, string]>([
    ['the option', new File([wrong], 'a.mtx'), 'b.mtx', 'b.mtx:1: '],
    ['that of a File', new File([wrong], 'a.mtx'), undefined, 'a.mtx:1: '],
    ["else 'input'", wrong, undefined, 'input:1: '],
  ])('is %s', async (_, source, name, message) => {
    expect((await failure(readMatrixMarket(source, { name }))).message).toContain(message);
  });
});

describe('gzip', () => {
  const bgzip = (bytes: Uint8Array, size: number): Uint8Array =>
    Buffer.concat([
      ...Array.from({ length: Math.ceil(bytes.length / size) }, (_, k) =>
        gzip(bytes.subarray(k * size, (k + 1) * size)),
      ),
      gzip(new Uint8Array(0)),
    ]);

  it.each([17, 1000, 65_280])('in members of %i bytes of text is one text', async (size) => {
    const bytes = bgzip(size < 100 ? bytesOf(diagonal(40)) : TEXT, size);
    expect(await rowsInNode(bytes)).toBe(size < 100 ? 40 : N);
  });

  it('in two members is one text, wherever it is cut', async () => {
    const half = TEXT.length >> 1;
    const first = gzip(TEXT.subarray(0, half));
    const both = Buffer.concat([first, gzip(TEXT.subarray(half))]);
    const cuts = [0, ...Array.from({ length: 26 }, (_, k) => first.length - 12 + k), both.length];
    for (const cut of cuts) expect(await rowsInNode(pieces(both, [cut])), `cut at ${cut}`).toBe(N);
  });

  it('may be followed by zeros, as on a tape', async () => {
    expect(await rowsInNode(Buffer.concat([GZIP, new Uint8Array(512)]))).toBe(N);
  });

  it('whose second member is damaged or cut short is one clear error', async () => {
    const both = Buffer.concat([GZIP, gzip(bytesOf('% more\n'))]);
    for (const bytes of [both.subarray(0, -1), both.subarray(0, -12), both.with(-6, both.at(-6)! ^ 1)]) {
      expect((await failure(rowsInNode(bytes))).message).toContain('x: expected a complete gzip file');
    }
  });

  const last = GZIP.length - 1;
  it.each<[string, Uint8Array]>([
    ['in its header', GZIP.subarray(0, 5)],
    ['in its data', GZIP.subarray(0, GZIP.length >> 1)],
    ['before its checksum', GZIP.subarray(0, last - 7)],
    ['in its checksum', GZIP.subarray(0, last)],
  ])('that is cut %s is one clear error', async (_, bytes) => {
    for (const reader of [rowsOf, rowsInNode]) {
      const { code, message } = await failure(reader(bytes, 'x.mtx.gz'));
      expect(code).toBe('parse');
      expect(message).toMatch(
        /^x\.mtx\.gz: expected a complete gzip file, got one that is cut short or damaged \(.+\)$/,
      );
    }
  });

  it.each<[string, Uint8Array]>([
    ['with a wrong checksum', GZIP.with(last - 7, GZIP[last - 7]! ^ 1)],
    ['with other bytes behind it', Buffer.concat([GZIP, bytesOf('other bytes')])],
    ['in name only', Uint8Array.of(0x1f, 0x8b, ...bytesOf('other bytes'))],
  ])('%s is one clear error', async (_, bytes) => {
    for (const reader of [rowsOf, rowsInNode]) {
      expect((await failure(reader(bytes))).message).toContain('x: expected a complete gzip file');
    }
  });
});

describe('tar', () => {
  /** Each path has a matrix of another size, from 1 on; other names than `.mtx` have none. */
  const packed = (...paths: string[]): Promise<Uint8Array<ArrayBuffer>> =>
    packTar(
      paths.map((name, k) => {
        if (name.endsWith('/')) return { header: { name, size: 0, type: 'directory' } };
        const body = name.endsWith('.mtx') ? diagonal(k + 1) : 'text';
        return { header: { name, size: body.length, type: 'file' }, body };
      }),
    );

  it.each<[string, string, string[], number]>([
    ['the only .mtx', 'x.tar', ['README', 'any.mtx', 'any.rb'], 2],
    ['the one called as its folder', 'x.tar', ['a/', 'a/a_b.mtx', 'a/a_coord.mtx', 'a/a.mtx', 'a/a_x.mtx'], 4],
    ['the one called as its folder, first', 'x.tar', ['a/a.mtx', 'a/a_b.mtx'], 1],
    ['the one called as the archive', 'some/where/c.tar.gz', ['a.mtx', 'b.mtx', 'c.mtx'], 3],
    ['the first, where none is called so', 'x.tgz', ['a/b.mtx', 'a/c.mtx'], 1],
    ['one below the current folder', 'x.tar', ['./a/b.mtx', './a/a.mtx'], 2],
    ['a file, where a folder is called .mtx', 'x.tar', ['a.mtx/', 'a.mtx/b.mtx'], 2],
    ['the file itself, not what a Mac puts beside it', 'x.tar', ['._a.mtx', 'a.mtx'], 2],
  ])('gives %s', async (_, name, paths, rows) => {
    expect(await rowsOf(await packed(...paths), name)).toBe(rows);
    expect(await rowsOf(gzipSync(await packed(...paths)), name)).toBe(rows);
  });

  it('of Unix V7, which has no magic, is recognized by its checksum', async () => {
    const bytes = await packed('a/a_b.mtx', 'a/a.mtx');
    for (let at = 0; at < bytes.length; at += 512) {
      const header = bytes.subarray(at, at + 512);
      if (new TextDecoder().decode(header.subarray(257, 262)) !== 'ustar') continue;
      header.fill(0, 257);
      header[156] = 0;
      header.fill(0x20, 148, 156);
      const sum = header.reduce((total, byte) => total + byte, 0);
      header.set(bytesOf(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
    }
    expect(await rowsOf(bytes)).toBe(2);
    expect(await rowsOf(gzip(bytes))).toBe(2);
    const damaged = bytes.with(0, bytes[0]! ^ 1);
    expect((await failure(rowsOf(damaged))).message).toContain('x:1: expected a banner');
  });

  it('with a wrong checksum is one clear error', async () => {
    const bytes = await packed('a/a.mtx');
    const { code, message } = await failure(rowsOf(bytes.with(0, bytes[0]! ^ 1)));
    expect(code).toBe('parse');
    expect(message).toMatch(/^x: expected a complete tar archive, got one that is cut short or damaged \(.+\)$/);
  });

  describe('with a large file in front', () => {
    const MIB = 1 << 20;
    /** A first file of zeros, then matrices of 1, 2 … rows. */
    async function* archive(path: string, mebibytes: number, ...paths: string[]): AsyncGenerator<Uint8Array> {
      const header = { name: path, size: mebibytes * MIB, type: 'file' as const };
      yield* headerOf(header);
      for (let k = 0; k < mebibytes; k++) yield new Uint8Array(MIB);
      yield await packed(...paths);
    }
    async function* headerOf(header: TarHeader): AsyncGenerator<Uint8Array> {
      const { readable, controller } = createTarPacker();
      controller.add(header).getWriter();
      const { value } = await readable.getReader().read();
      yield value!.subarray(0, 512);
    }

    it.each(['a/a_b.mtx', 'a/text'])('finds the matrix behind it, and does not keep it: %s', async (path) => {
      const { arrayBuffers } = process.memoryUsage();
      let most = 0;
      let pieces = 0;
      const onProgress = () => {
        if (++pieces % 50 !== 0) return;
        collectGarbage();
        most = Math.max(most, process.memoryUsage().arrayBuffers - arrayBuffers);
      };
      const { rows } = await readMatrixMarket(archive(path, 300, 'a/README', 'a/a.mtx'), { onProgress });
      expect(rows).toBe(2);
      expect(pieces).toBeGreaterThan(300);
      expect(most).toBeLessThan(150 * MIB);
    });

    it('does not take it for the matrix for want of another', async () => {
      const { code, message } = await failure(rowsOf(archive('b.mtx', 65, 'c.mtx'), 'x.tar'));
      expect(code).toBe('parse');
      expect(message).toBe(
        `x.tar: expected an .mtx file with the name of its folder or of the archive, or one of at most ${64 * MIB} bytes, got b.mtx of ${65 * MIB} bytes`,
      );
    });

    it('reads it where it is the matrix', async () => {
      const { message } = await failure(rowsOf(archive('b.mtx', 65, 'c.mtx'), 'b.tar'));
      expect(message).toContain('b.tar/b.mtx:1: expected a line of at most 64 KiB');
    });
  });

  it('lists the first of very many files', async () => {
    const many = await packed(...Array.from({ length: 1000 }, (_, k) => `${k}`));
    const { message } = await failure(rowsOf(many, 'x.tar'));
    expect(message).toMatch(/got one with 0, 1, 2, 3, 4 and 995 more$/);
  });

  it('does not depend on where it is cut', async () => {
    const bytes = await packed('a/a_b.mtx', 'a/a.mtx', 'a/README');
    for (let at = 0; at <= bytes.length; at += 37) expect(await rowsOf(pieces(bytes, [at]))).toBe(2);
  });

  it('gives large files too, from the middle of an archive', async () => {
    const body = diagonal(100_000);
    const entry = (name: string) => ({ header: { name, size: body.length, type: 'file' as const }, body });
    const bytes = await packTar([entry('a/a_b.mtx'), entry('a/a.mtx'), entry('a/a_c.mtx')]);
    expect(await rowsOf(bytes)).toBe(100_000);
  });

  it('names the file in the archive where that is wrong', async () => {
    const body = diagonal(3).replace('3 3 3', '3 3 4');
    const bytes = await packTar([{ header: { name: 'a/a.mtx', size: body.length }, body }]);
    const { message } = await failure(rowsOf(bytes, 'a.tar.gz'));
    expect(message).toContain('a.tar.gz/a/a.mtx:5: expected 4 entries');
  });

  it.each<[string[], string]>([
    [['a/a.rb', 'a/README'], 'a/a.rb, a/README'],
    [['1', '2', '3', '4', '5', '6', '7'], '1, 2, 3, 4, 5 and 2 more'],
  ])('says what is there when no .mtx is: %j', async (paths, listed) => {
    const { code, message } = await failure(rowsOf(await packed(...paths), 'x.tar'));
    expect(code).toBe('parse');
    expect(message).toBe(`x.tar: expected an archive with an .mtx file in it, got one with ${listed}`);
  });

  it.each(['a/a.mtx', 'a/b.mtx'])('that is cut short in %s is one clear error', async (path) => {
    const body = diagonal(N);
    const bytes = await packTar([{ header: { name: path, size: body.length }, body }]);
    const { code, message } = await failure(rowsOf(bytes.subarray(0, bytes.length >> 1), 'x.tar'));
    expect(code).toBe('parse');
    expect(message).toMatch(/^x\.tar: expected a complete tar archive, got one that is cut short or damaged \(.+\)$/);
  });

  it.each(['a/a.mtx', 'a/b.mtx'])(
    'in a gzip file that is cut short in %s is the error of the gzip file',
    async (path) => {
      const body = diagonal(N);
      const bytes = gzipSync(await packTar([{ header: { name: path, size: body.length }, body }]));
      const { message } = await failure(rowsOf(bytes.subarray(0, bytes.length >> 1), 'x.tar.gz'));
      expect(message).toContain('x.tar.gz: expected a complete gzip file');
    },
  );
});
