/** Files on a disk are read by blocks, on one thread or on several, with the entries and the errors of a reader of one stream. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskOf } from '#dist/io/bytes/disk.js';
import { openFile } from '#dist/io/files.node.js';
import { CoordinateBody } from '#dist/io/matrix-market/coordinate.js';
import { HeaderReader } from '#dist/io/matrix-market/header.js';
import { readMatrixMarket } from '#dist/io/matrix-market/matrix-market.node.js';
import { readBlocks } from '#dist/io/matrix-market/read-blocks.js';
import { lineScanner } from '#dist/io/matrix-market/scanner.js';
import { parseError } from '#dist/io/parse-error.js';
import { fewOrAll } from '../../soak.js';
import { bytesOf } from '../support.js';

const folder = mkdtempSync(join(tmpdir(), 'sparlane-blocks-'));
const path = join(folder, 'x.mtx');
afterAll(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly entries?: readonly [number[], number[], number[]];
  readonly line?: number;
  readonly error?: unknown;
}

/** What a function reads into a body, or its error. */
async function outcome(text: string, read: (body: CoordinateBody, begin: number) => Promise<void>): Promise<Outcome> {
  const head = new HeaderReader('x.mtx');
  const begin = head.read(bytesOf(text));
  const body = new CoordinateBody(head.header!, head.line, await lineScanner());
  try {
    await read(body, begin);
    body.finish();
  } catch (error) {
    return { error: String(error), line: body.line };
  }
  const { rowIdx, colIdx, values, used } = body.entries.all;
  const list = (array: ArrayLike<number> | undefined) => Array.from(array ?? []).slice(0, used);
  return { entries: [list(rowIdx), list(colIdx), list(values)], line: body.line };
}

const tooLong = (body: CoordinateBody) => () =>
  parseError('x.mtx', body.line + 1, 'a line of at most 64 KiB', 'a longer one');

/** All lines at once. */
const whole = (text: string) =>
  outcome(text, async (body, begin) => {
    const ended = text.endsWith('\n') ? text : `${text}\n`;
    body.read(bytesOf(ended), begin);
  });

/** The file in blocks of some length, by this thread and helpers. */
const byBlocks = (text: string, bytes: number, helpers: number) =>
  outcome(text, async (body, begin) => {
    const contents = bytesOf(text);
    if (begin >= contents.length) return;
    writeFileSync(path, contents);
    const { source } = await openFile(path);
    const disk = diskOf(source)!;
    const scanner = (await lineScanner())!;
    const blocks = { begin, end: contents.length, bytes };
    try {
      await readBlocks(body, scanner, disk, blocks, helpers, tooLong(body));
    } finally {
      // Closes it.
      for await (const _ of source as AsyncIterable<Uint8Array>);
    }
  });

const entry = fc
  .tuple(
    fc.integer({ min: 1, max: 1200 }),
    fc.integer({ min: 1, max: 1200 }),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
  )
  .map(([row, col, value]) => `${row} ${col} ${value}`);
const line = fc.oneof(
  { arbitrary: entry, weight: 300 },
  { arbitrary: fc.constantFrom('', '% comment', '  7\t8   -inf ', '3 4 nan', '\f', '5 6 1\r'), weight: 30 },
  { arbitrary: fc.constantFrom('0 1 1', '1 1', 'x', '1201 1 1', '1 1 1x'), weight: 1 },
);
const file = fc
  .record({
    lines: fc.array(line, { maxLength: 60 }),
    more: fc.constantFrom(0, 0, 0, 0, 1, -1),
    symmetry: fc.constantFrom('general', 'general', 'symmetric', 'skew-symmetric'),
    isEnded: fc.boolean(),
  })
  .map(({ lines, more, symmetry, isEnded }) => {
    const count = lines.filter((text) => /^\s*\d/.test(text)).length;
    const head = `%%MatrixMarket matrix coordinate real ${symmetry}\n1200 1200 ${Math.max(0, count + more)}\n`;
    return `${head}${lines.join('\n')}${isEnded ? '\n' : ''}`;
  });

describe('blocks', () => {
  it('of any length give the entries, the lines and the errors of a stream', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.integer({ min: 1, max: 300 }), async (text, bytes) => {
        expect(await byBlocks(text, bytes, 0)).toEqual(await whole(text));
      }),
      { numRuns: fewOrAll(60, 300) },
    );
  });

  it('may be cut at every byte', async () => {
    const text = '%%MatrixMarket matrix coordinate real general\n9 9 4\n1 2 3.5\n\n% c\n3 4 inf\n5 6 -7e-1\n9 9 1';
    const expected = await whole(text);
    expect(expected.entries![2]).toEqual([3.5, Number.POSITIVE_INFINITY, -0.7, 1]);
    for (let bytes = 1; bytes < 50; bytes++) expect(await byBlocks(text, bytes, 0)).toEqual(expected);
  });

  it('are read by several threads with the same result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 1 }),
        fc.integer({ min: 20, max: 200 }),
        async ([text], bytes) => {
          expect(await byBlocks(text!, bytes, 2)).toEqual(await whole(text!));
        },
      ),
      { numRuns: fewOrAll(8, 25) },
    );
  });
});

const ENTRIES = 2_500_000;
/** The entries of a file of 80 MB, a line each: made once, because that takes as long as reading them on one thread. */
let lines: readonly string[] = [];
beforeAll(() => {
  lines = Array.from({ length: ENTRIES }, (_, k) => `${k + 1} ${(k % 7) + 1} ${(k / 7 - 1e4).toExponential(17)}`);
});
afterAll(() => {
  lines = [];
});

/** The file, which is read by threads, with some of its lines replaced. */
function largeFile(replaced: Record<number, string>, entries = ENTRIES): void {
  const all = ['%%MatrixMarket matrix coordinate real general', `${ENTRIES} 7 ${entries}`, ...lines];
  for (const [k, text] of Object.entries(replaced)) all[Number(k) + 2] = text;
  writeFileSync(path, `${all.join('\n')}\n`);
}

describe('a large file', () => {
  it('has the same matrix on one and on three threads, rare lines included', async () => {
    largeFile({ 400000: '% comment\n\n400001 1 nan', 1299999: '1300000 2 -inf' });
    const one = await readMatrixMarket(path, { threads: 1 });
    const reports: number[] = [];
    const three = await readMatrixMarket(path, { threads: 3, onProgress: (read) => reports.push(read) });
    expect(one.nnz).toBe(ENTRIES);
    for (const key of ['rowPtr', 'colIdx', 'values'] as const)
      expect(Buffer.compare(new Uint8Array(one[key].buffer), new Uint8Array(three[key].buffer))).toBe(0);
    expect(one.values[400_000]).toBeNaN();
    expect(reports).toEqual(reports.toSorted((a, b) => a - b));
    expect(reports.at(-1)).toBeGreaterThan(72e6 * 0.5);
  });

  it.each([
    ['a wrong line', { 900000: '1 1 x', 1200000: '0 0 0' }, ENTRIES, "x.mtx:900003: expected a value, got 'x'"],
    [
      'too few entries',
      { 5: '%' },
      ENTRIES,
      'x.mtx:2500002: expected 2500000 entries, got the end of the file after 2499999',
    ],
    ['too many', {}, ENTRIES - 9, 'x.mtx:2499994: expected the end of the file after 2499991 entries, got'],
    [
      'a line without end',
      { 700000: `1 1 ${'1'.repeat(1e6)}` },
      ENTRIES,
      'x.mtx:700003: expected a line of at most 64 KiB',
    ],
  ])('reports the first error: %s', async (_, replaced, entries, message) => {
    largeFile(replaced as Record<number, string>, entries);
    for (const threads of [1, 2]) await expect(readMatrixMarket(path, { threads })).rejects.toThrow(message);
  });

  it('is aborted', async () => {
    largeFile({});
    const controller = new AbortController();
    const onProgress = (read: number) => read > 10e6 && controller.abort(new Error('enough'));
    const options = { threads: 2, onProgress, signal: controller.signal };
    await expect(readMatrixMarket(path, options)).rejects.toThrow('enough');
  });
});

/** The number of threads that a process of its own has started after each of so many reads of the file, and how long it then took to end. */
function threadsOf(reads: number, entries: number): { readonly started: number[]; readonly ms: number } {
  const program = `
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    const { Worker } = threads;
    let count = 0;
    threads.Worker = class extends Worker {
      constructor(...parameters) {
        super(...parameters);
        count++;
      }
    };
    syncBuiltinESMExports();
    const { readMatrixMarket } = await import(${JSON.stringify(import.meta.resolve('#dist/index.node.js'))});
    const started = [];
    for (let k = 0; k < ${reads}; k++) {
      const { nnz } = await readMatrixMarket(${JSON.stringify(path)}, { threads: 2 });
      if (nnz !== ${entries}) throw new Error(nnz);
      started.push(count);
    }
    const end = performance.now();
    process.on('exit', () => console.log(JSON.stringify({ started, ms: performance.now() - end })));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

describe('threads', () => {
  it('stay for the next file, and let the process end', () => {
    largeFile({});
    const { started, ms } = threadsOf(2, ENTRIES);
    expect(started).toEqual([1, 1]);
    expect(ms).toBeLessThan(3000);
  });

  it('are started for small files after many of them', () => {
    const count = 2 ** 18;
    const lines = Array.from({ length: count }, (_, k) => `${k + 1} ${1 + ((k * 7919) % count)}\n`);
    writeFileSync(
      path,
      `%%MatrixMarket matrix coordinate pattern general\n${count} ${count} ${count}\n${lines.join('')}`,
    );
    const { started } = threadsOf(9, count);
    expect(started[0]).toBe(0);
    expect(started.at(-1)).toBe(1);
  });
});
