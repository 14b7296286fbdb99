/** Lists of edges in random dialects, right ones and wrong ones, cut anywhere: the same as by a simple reader, on every path. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SparlaneError } from '#dist/core/errors.js';
import type { FileMatrix } from '#dist/io/kinds/kind.js';
import { read as readInPage } from '#dist/io/read.js';
import { read } from '#dist/io/read.node.js';
import { bytesOf, entriesOf, pieces } from '../support.js';
import { type Edges, edgesIn } from './reference.js';

const integer = fc.nat(12).map(String);
const number = fc.oneof(
  fc.integer({ min: -50, max: 50 }).map(String),
  fc.constantFrom('1.5', '-.25', '+2', '1e3', '2,5', '-0,5', '7.', '1D2', 'inf', 'nan'),
);
const attributes = fc
  .tuple(fc.option(number), fc.boolean())
  .map(
    ([weight, more]) =>
      `{${[...(weight === null ? [] : [`'weight': ${weight}`]), ...(more ? ["'of': 'a, b; c'"] : [])].join(', ')}}`,
  );
const NODES = {
  integers: integer,
  floats: fc.oneof(
    integer,
    integer.map((text) => `${text}.0`),
  ),
  names: fc.constantFrom('ann', 'Åsa', '日本', '7', '007', '"a, b;c"', '"say ""hi"""', '"1 2"'),
  mixed: fc.oneof(integer, fc.constantFrom('bob', '0.5', '')),
};
const WEIGHTS = {
  none: undefined,
  numbers: number,
  integers: integer,
  attributes,
  any: fc.oneof({ weight: 8, arbitrary: integer }, fc.constantFrom('', 'n/a', '5kg', '0x1')),
};

/** Lines are alike, but one in twenty, which has another separator, another number of fields or other quotes. */
const list = fc
  .record({
    separator: fc.constantFrom(',', ';', '\t', ' ', ', ', '  '),
    nodes: fc.constantFrom(...Object.values(NODES)),
    weights: fc.constantFrom(...Object.values(WEIGHTS)),
    hasHeader: fc.boolean(),
    trailing: fc.constantFrom('', '', '', '|'),
    quotes: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    front: fc.constantFrom('', '\ufeff', '# a comment, of two\n', '\n\n% b\n'),
    isClosed: fc.boolean(),
  })
  .chain(({ separator, nodes, weights, hasHeader, trailing, quotes, lineEnd, front, isClosed }) => {
    const behind = trailing === '' ? '' : separator.trim() || ' ';
    const field = (text: string) => (quotes && !/["{]/.test(text) ? `"${text}"` : text);
    const edge = fc.tuple(nodes, nodes, weights ?? fc.constant('')).map(
      (fields) =>
        fields
          .slice(0, weights === undefined ? 2 : 3)
          .map(field)
          .join(separator) + behind,
    );
    const odd = fc.constantFrom('', '#', '1', '1,2', '1;2', '1\t2', '1 2', '"1', '"1"2,3', '1,2,3,4', ' ');
    const line = fc.oneof({ weight: 19, arbitrary: edge }, odd);
    const names = ['source', 'target', 'weight'].slice(0, weights === undefined ? 2 : 3).join(separator) + behind;
    return fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => {
      const all = hasHeader ? [names, ...lines] : lines;
      return { hasHeader, text: front + all.join(lineEnd) + (isClosed ? lineEnd : '') };
    });
  });

/** What is read; undefined for an error of the file, which names a line. */
async function outcome(promise: Promise<FileMatrix>): Promise<Edges | undefined> {
  try {
    const matrix = await promise;
    return {
      entries: entriesOf(matrix),
      names: matrix.rowNames && [...matrix.rowNames],
      isWeighted: matrix.field === 'real',
    };
  } catch (error) {
    if (error instanceof SparlaneError && /^x\.csv:\d+: expected .+, got /.test(error.message)) return undefined;
    throw error;
  }
}

it('a list in any dialect', async () => {
  const counts = { right: 0, wrong: 0 };
  await fc.assert(
    fc.asyncProperty(
      list,
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 }),
      async ({ text, hasHeader }, cuts) => {
        const expected = edgesIn(text, hasHeader);
        counts[expected === undefined ? 'wrong' : 'right']++;
        const bytes = bytesOf(text);
        const options = { name: 'x.csv', edges: { header: hasHeader } };
        expect(await outcome(read(bytes, options))).toEqual(expected);
        expect(await outcome(read(pieces(bytes, cuts), options))).toEqual(expected);
        expect(await outcome(read(pieces(bytes, Array(bytes.length).fill(1)), options))).toEqual(expected);
        expect(await outcome(read(gzipSync(bytes), options))).toEqual(expected);
        expect(await outcome(readInPage(new Blob([bytes]), options))).toEqual(expected);
        // WebAssembly reads the lines of files that begin with a long piece.
        const long = bytesOf(text.replace(/^\ufeff?/, (mark) => `${mark}#${' '.repeat(1 << 14)}\n`));
        expect(await outcome(read(long, options))).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
  expect(Math.min(counts.right, counts.wrong)).toBeGreaterThan(20);
});

it('a list of integers whose lines are mostly usual', async () => {
  const node = fc.oneof(
    { weight: 20, arbitrary: fc.nat(40).map(String) },
    fc.constantFrom('54321', '00', '4.0', '"7"', '123456789'),
  );
  const weight = fc.oneof(
    { weight: 20, arbitrary: fc.double({ noNaN: true }).map(String) },
    fc.constantFrom('NaN', '1d3'),
  );
  const form = fc.record({
    separator: fc.constantFrom(',', '\t', ' ', ', ', ' \t '),
    hasWeights: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n', ' \n'),
    front: fc.constantFrom('', ' '),
  });
  await fc.assert(
    fc.asyncProperty(
      form,
      fc.array(fc.tuple(node, node, weight), { minLength: 1, maxLength: 40 }),
      async (how, edges) => {
        const { separator, hasWeights, lineEnd, front } = how;
        const lines = edges.map((fields) => front + fields.slice(0, hasWeights ? 3 : 2).join(separator) + lineEnd);
        const text = lines.join('');
        const options = { name: 'x.csv', edges: { header: false } };
        // In short pieces, no line is read by WebAssembly.
        const expected = await read(pieces(bytesOf(text), [1]), options);
        const found = await read(bytesOf(`#${' '.repeat(1 << 14)}\n${text}`), options);
        expect(entriesOf(found)).toEqual(entriesOf(expected));
        expect(found.rowNames).toEqual(expected.rowNames);
      },
    ),
    { numRuns: 200 },
  );
});

it('a long list, in order or not, with a line of another form or a wrong one', async () => {
  const count = 200_000;
  const edges = Array.from({ length: count }, (_, k) => [(k * 7919) % 50_021, (k * 104_729) % 49_999] as const);
  const text = (lines: typeof edges) => lines.map(([source, target]) => `${source}\t${target}\n`).join('');
  const ordered = edges.toSorted(([a, b], [c, d]) => a - c || b - d);
  const expected = await read(bytesOf(text(ordered)), { name: 'x.csv' });
  expect([expected.rows, expected.nnz]).toEqual([50_021, count]);
  const middle = `${text(edges.slice(0, 150_000))}# a comment\n"1" \t 2\n1\t2\n`;
  const found = await read(bytesOf(middle + text(edges.slice(150_000))), { name: 'x.csv' });
  const again = await read(bytesOf(`${text(ordered)}1\t2\n1\t2\n`), { name: 'x.csv' });
  for (const key of ['rowPtr', 'colIdx', 'values'] as const)
    expect(Buffer.compare(Buffer.from(found[key].slice().buffer), Buffer.from(again[key].slice().buffer))).toBe(0);
  for (const wrong of ['1\t\n', '1\t2\t3\n', `1${' '.repeat(1 << 16)}\t2\n`])
    await expect(read(bytesOf(middle + wrong), { name: 'x.csv' })).rejects.toThrow(/^x\.csv:150004: expected /);
});
