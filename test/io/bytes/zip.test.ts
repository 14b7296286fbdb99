import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { crc32 } from '#dist/io/bytes/crc32.js';
import { inflate } from '#dist/io/bytes/inflate.js';
import type { ZipTools } from '#dist/io/bytes/unpacking.js';
import { ZIP_TOOLS } from '#dist/io/bytes/unpacking.node.js';
import { zipEntries } from '#dist/io/bytes/zip.js';
import { read } from '#dist/io/read.node.js';
import { temporaryFolder } from '../../cli/run-cli.js';
import { havePython, runPython, skipNote } from '../kinds/support.js';
import { bytesOf, entriesOf, failure, pieces } from '../support.js';
import { type ZipEnd, type ZipFile, zipArchive } from './zip-archive.js';

const TOOLS: Readonly<Record<string, ZipTools>> = { 'a page': { inflate, crc32 }, Node: ZIP_TOOLS };

/** Path → content. */
async function filesOf(
  archive: Uint8Array,
  lengths: Iterable<number> = [],
  tools: ZipTools = ZIP_TOOLS,
): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for await (const { path, chunks } of zipEntries(pieces(archive, lengths), 'x.zip', tools))
    files[path] = await joined(chunks);
  return files;
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk.slice());
  return new Uint8Array(Buffer.concat(read));
}

const A = bytesOf('content of a');
const B = bytesOf('b'.repeat(300));

/** Contents with signatures of zip in them, and archives in archives. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  fc
    .array(fc.oneof(fc.constantFrom('PK\x03\x04', 'PK\x01\x02', 'PK\x07\x08', 'P'), fc.string({ maxLength: 30 })))
    .map((texts) => bytesOf(texts.join(''))),
  fc.constant(zipArchive([{ path: 'inner', bytes: A, streamed: true }])),
  fc.constant(new Uint8Array(70_000)),
);
const file = fc.record({
  bytes,
  deflated: fc.boolean(),
  streamed: fc.constantFrom(false, true, 'bare' as const),
  wide: fc.boolean(),
});

/** 22 bytes, packed into 14: the sizes of eight bytes behind it end like a descriptor with sizes of four. */
const EIGHT_MORE = {
  bytes: Uint8Array.from([32, 80, 75, 3, 4, 80, 75, 3, 4, 80, 75, 1, 2, 80, 75, 3, 4, 32, 80, 75, 3, 4]),
  ...({ deflated: true, streamed: 'bare', wide: true } as const),
};

describe.each(Object.entries(TOOLS))('a zip archive of any make, unpacked in %s', (_, tools) => {
  it('gives its files, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([
          fc.array(file, { maxLength: 4 }),
          fc.boolean(),
          fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
        ] as const),
        async (contents, wide, cuts) => {
          const files = contents.map((content, k) => ({ ...content, path: `ü${k}` }));
          const archive = zipArchive(files, { wide, comment: 'PK' });
          const found = await filesOf(archive, cuts, tools);
          expect(Object.keys(found)).toEqual(files.map(({ path }) => path));
          // Much faster than `toEqual`.
          for (const { path, bytes: content } of files) expect(Buffer.compare(found[path]!, content)).toBe(0);
        },
      ),
      { numRuns: 200, examples: [[[EIGHT_MORE], false, []]] },
    );
  });

  it('cut anywhere is an error', async () => {
    const archive = zipArchive([
      { path: 'a', bytes: A, streamed: true, deflated: true },
      { path: 'b', bytes: B, wide: true },
    ]);
    for (let length = 1; length < archive.length; length++) {
      const error = await failure(filesOf(archive.subarray(0, length), [7], tools));
      expect(error.message).toMatch(/^x\.zip, byte \d+: expected .+, got the end of the file$/);
    }
  });

  it('gives files that were kept behind its end', async () => {
    for (const streamed of [true, false]) {
      const archive = zipArchive([
        { path: 'b', bytes: B, deflated: true, streamed },
        { path: 'c', bytes: A },
      ]);
      const kept: AsyncIterable<Uint8Array>[] = [];
      for await (const { path, keep, chunks } of zipEntries(pieces(archive, [40]), 'x', tools)) {
        if (path === 'c') continue;
        expect(await keep(2)).toBe(false);
        expect(await keep(100)).toBe(true);
        kept.push(chunks);
      }
      expect(await joined(kept[0]!)).toEqual(B);
    }
  });

  it.skipIf(!havePython)(`of Python${skipNote}`, async () => {
    const at = temporaryFolder();
    runPython(
      `
import zipfile
class Pipe:
    def __init__(self, path): self.file = open(path, "wb")
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
for name, target in (("file", args[0]), ("pipe", Pipe(args[1]))):
    with zipfile.ZipFile(target, "w") as archive:
        for method in (0, 8):
            for force in (False, True):
                with archive.open(zipfile.ZipInfo(f"{method}{force}"), "w", force_zip64=force) if method == 0 else archive.open(f"{method}{force}", "w", force_zip64=force) as f:
                    f.write(b"0123456789" * 20000)
    if name == "pipe": target.flush()
`,
      ...[at('file.zip'), at('pipe.zip')],
    );
    const { readFileSync } = await import('node:fs');
    for (const name of ['file.zip', 'pipe.zip']) {
      const files = await filesOf(new Uint8Array(readFileSync(at(name))), [1000], tools);
      expect(Object.keys(files)).toEqual(['0False', '0True', '8False', '8True']);
      for (const content of Object.values(files))
        expect(Buffer.compare(content, bytesOf('0123456789'.repeat(20000)))).toBe(0);
    }
  });
});

describe.each(Object.entries(TOOLS))(
  'a zip archive that contradicts itself is one clear error, in %s',
  (place, tools) => {
    const two = (second: Partial<ZipFile>, end: ZipEnd = {}) =>
      zipArchive(
        [
          { path: 'a', bytes: A },
          { path: 'b', bytes: B, ...second },
        ],
        end,
      );
    const damaged = (reason: string) =>
      `x.zip: expected a complete zip archive, got one that is cut short or damaged (${reason})`;
    const at = two({}).length - 22 - 2 * 47;
    it.each<[string, Uint8Array, string]>([
      ['another name', two({ central: { path: 'c' } }), damaged('the name of b is b, in its directory c')],
      ['another method', two({ central: { method: 8 } }), damaged('the method of b is 0, in its directory 8')],
      ['another size', two({ central: { size: 7 } }), damaged('the size of b is 300, in its directory 7')],
      [
        'another compressed size',
        two({ deflated: true, central: { packedSize: 1 } }),
        damaged(`the compressed size of b is ${deflateRawSync(B).length}, in its directory 1`),
      ],
      ['another checksum', two({ central: { crc: 1 } }), damaged('the checksum of b is 915939558, in its directory 1')],
      ['another place', two({ central: { begin: 0 } }), damaged('no file b at byte 0, as its directory says')],
      ['a file less', two({}, { unlisted: [0] }), damaged('a is not in its directory')],
      [
        'another number of files',
        two({}, { count: 1 }),
        damaged(
          `2 files in a directory of 94 bytes at byte ${at}, at its end 1 files in a directory of 94 bytes at byte ${at}`,
        ),
      ],
      [
        'another begin of the directory',
        two({}, { begin: 9, wide: true }),
        damaged(
          `2 files in a directory of 94 bytes at byte ${at}, at its end 2 files in a directory of 94 bytes at byte 9`,
        ),
      ],
      [
        'bytes between its files',
        two({}, { gap: bytesOf('gap!') }),
        damaged(`no header of a file and no directory at byte ${at}`),
      ],
      [
        'bytes behind its end',
        two({}, { behind: A }),
        `x.zip, byte ${two({}).length}: expected the end of the file, got more bytes`,
      ],
      ['a wrong checksum', two({ local: { crc: 1 }, central: { crc: 1 } }), damaged('a wrong checksum of b')],
      [
        'a wrong checksum behind a file',
        two({ streamed: true, local: { crc: 1 }, central: { crc: 1 } }),
        damaged('a wrong checksum of b'),
      ],
      [
        'fewer bytes than declared',
        two({ deflated: true, local: { size: 301 } }),
        damaged('300 of the 301 bytes of b'),
      ],
      ['more bytes than declared', two({ deflated: true, local: { size: 7 } }), damaged('more than the 7 bytes of b')],
      [
        'half a file',
        two({ deflated: true, packed: deflateRawSync(B).subarray(0, 5) }),
        damaged(place === 'Node' ? 'unexpected end of file' : 'unexpected EOF'),
      ],
      [
        'bytes behind the compressed ones',
        two({ deflated: true, packed: Buffer.concat([deflateRawSync(B), new Uint8Array(1 << 19)]) }),
        damaged('bytes behind the end of b'),
      ],
      [
        'an encrypted file',
        two({ local: { flags: 1 } }),
        'x.zip/b: expected a file that is not encrypted, got an encrypted one',
      ],
      ...(
        [
          [9, 'Deflate64'],
          [12, 'bzip2'],
          [14, 'LZMA'],
          [93, 'Zstandard'],
          [95, 'xz'],
          [98, 'PPMd'],
        ] as const
      ).map(([method, name]): [string, Uint8Array, string] => [
        name,
        two({ local: { method } }),
        `x.zip/b: expected a file that is stored or deflated (methods 0 and 8), got compression method ${method} (${name})`,
      ]),
      [
        'an unknown method',
        two({ local: { method: 77 } }),
        'x.zip/b: expected a file that is stored or deflated (methods 0 and 8), got compression method 77',
      ],
    ])('%s', async (_, archive, message) => {
      expect((await failure(filesOf(archive, [], tools))).message).toBe(message);
    });

    it('files that are not wanted are not unpacked', async () => {
      const archive = zipArchive([
        { path: 'b', bytes: B, local: { method: 98 }, central: { method: 98 } },
        { path: 'a', bytes: A },
      ]);
      for await (const { path, chunks } of zipEntries(pieces(archive, []), 'x.zip', tools))
        if (path === 'a') expect(await joined(chunks)).toEqual(A);
    });
  },
);

describe('a zip archive of files', () => {
  const mtx = strToU8('%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 5\n');
  it('has the matrix with the name of its folder or of the archive', async () => {
    const archive = zipSync({ 'readme.html': strToU8('<html>'), 'a/a_b.mtx': strToU8('none'), 'a/a.mtx': mtx });
    expect(entriesOf(await read(archive))).toEqual([[1, 2, 5]]);
    expect((await failure(read(zipSync({ text: strToU8('a') }), { name: 'x.zip' }))).message).toBe(
      'x.zip: expected an archive with an .mtx or .rb file in it, got one with text',
    );
  });

  it('is refused where a checksum, its directory or its end is wrong', async () => {
    const archive = zipSync({ 'a.mtx': [mtx, { level: 0 }] });
    // 2 3 5 becomes 2 3 7.
    const digit = archive.indexOf('5'.charCodeAt(0), 80);
    for (const [wrong, reason] of [
      [
        archive.with(digit, '7'.charCodeAt(0)),
        ': expected a complete zip archive, got one that is cut short or damaged (a wrong checksum of a.mtx)',
      ],
      [
        archive.subarray(0, -60),
        ', byte 106: expected the header of a file in a zip archive, or its directory, got the end of the file',
      ],
      [
        zipArchive([{ path: 'a.mtx', bytes: mtx, central: { size: 1 } }]),
        ': expected a complete zip archive, got one that is cut short or damaged (the size of a.mtx is 58, in its directory 1)',
      ],
    ] as const) {
      for (const name of ['x.zip', 'a.zip']) expect((await failure(read(wrong, { name }))).message).toBe(name + reason);
    }
  });
});
