import { describe, expect, it } from 'vitest';
import { read, readBlock, readVector } from '#dist/io/read.node.js';
import { rowsOf } from '../kinds/support.js';
import { bytesOf, entriesOf, failure, pieces } from '../support.js';

type Options = Parameters<typeof read>[1];
const edges = (text: string, options: NonNullable<Options>['edges'] = {}, name = 'x.csv') =>
  read(bytesOf(text), { name, edges: options });

/** 0 → 1 with 1.5, 2 → 0 with −2. */
const WEIGHTED = [
  [0, 1, 1.5],
  [2, 0, -2],
];

describe('a list of edges', () => {
  it.each<[string, string]>([
    ['commas', '0,1,1.5\n2,0,-2\n'],
    ['tabs', '0\t1\t1.5\n2\t0\t-2'],
    ['semicolons and spaces', ' 0 ; 1 ;1.5\r\n2; 0; -2\r\n'],
    ['runs of spaces', '0  1 1.5\n  2 0\t-2 \n'],
    ['comments and blank lines', '# SNAP\n% KONECT\n\n0,1,1.5\n \n#\n2,0,-2\n'],
    ['quotes', '"0","1","1.5"\n"2" , 0,-2\n'],
    ['a header', 'source,target,weight\n0,1,1.5\n2,0,-2\n'],
    ['a header of other words', 'who,whom,how much\n0,1,1.5\n2,0,-2\n'],
    ['the weight in another column', 'from,to,date,weight\n0,1,1999-01-01,1.5\n2,0,2000-01-01,-2\n'],
    ['a mark of UTF-8', '\ufeff0,1,1.5\n2,0,-2\n'],
    ['an exponent', '0,1,15E-1\n2,0,-2.0e0\n'],
  ])('with %s', async (_, text) => {
    const matrix = await edges(text);
    expect([matrix.kind, matrix.rows, matrix.cols, matrix.field]).toEqual(['edge-list', 3, 3, 'real']);
    expect(matrix.rowNames).toBeUndefined();
    expect(entriesOf(matrix)).toEqual(WEIGHTED);
    const bytes = bytesOf(text);
    for (let at = 0; at < bytes.length; at++)
      expect(entriesOf(await read(pieces(bytes, [at]), { name: 'x.csv' }))).toEqual(WEIGHTED);
  });

  it('without weights is a pattern', async () => {
    for (const matrix of [await edges('0 1\n2 0\n0 1\n', {}, 'x'), await edges('0,1,7\n2,0,8\n', { weights: false })]) {
      expect(matrix.field).toBe('pattern');
      expect(entriesOf(matrix)).toEqual([
        [0, 1, 1],
        [2, 0, 1],
      ]);
    }
  });

  it('adds the weights of an edge that is listed twice', async () => {
    expect(entriesOf(await edges('0,1,2\n0,1,3\n'))).toEqual([[0, 1, 5]]);
  });

  it('between names numbers them as they appear, and returns them', async () => {
    const matrix = await edges('source,target\nÅsa,"Bo ""B"" Ek"\n"Bo ""B"" Ek",7\n7,Åsa\n');
    expect(matrix.rowNames).toEqual(['Åsa', 'Bo "B" Ek', '7']);
    expect(matrix.colNames).toBe(matrix.rowNames);
    expect(entriesOf(matrix)).toEqual([
      [0, 1, 1],
      [1, 2, 1],
      [2, 0, 1],
    ]);
  });

  it('has names also if the first one that is no integer comes late', async () => {
    const many = Array.from({ length: 300_000 }, (_, k) => `${k % 1000},${(k + 1) % 1000}\n`).join('');
    const matrix = await edges(`${many}7,x\n007,1\n`);
    expect(matrix.rowNames).toHaveLength(1002);
    expect(matrix.rowNames!.slice(-3)).toEqual(['999', 'x', '007']);
    expect([...matrix.colIdx.slice(matrix.rowPtr[7], matrix.rowPtr[8])]).toEqual([8, 1000]);
  });

  it('between integers has names on request, or if they are far more than the edges', async () => {
    const asked = await edges('5,3\n3,9\n', { names: true });
    expect([asked.rowNames, entriesOf(asked)]).toEqual([
      ['5', '3', '9'],
      [
        [0, 1, 1],
        [1, 2, 1],
      ],
    ]);
    for (const id of ['16777216', '4294967295', '12345678901234567890']) {
      expect((await edges(`${id},3\n3,9\n`)).rowNames).toEqual([id, '3', '9']);
    }
    expect((await edges('16777215,3\n')).rows).toBe(2 ** 24);
  });

  it('between two kinds of nodes has names of rows and of columns', async () => {
    const matrix = await edges('user,item,rating\nann,tea,5\nbob,tea,3\nann,milk,1\n', {
      bipartite: true,
      header: true,
    });
    expect([matrix.rowNames, matrix.colNames]).toEqual([
      ['ann', 'bob'],
      ['tea', 'milk'],
    ]);
    expect(entriesOf(matrix)).toEqual([
      [0, 0, 5],
      [0, 1, 1],
      [1, 0, 3],
    ]);
    const { rows, cols } = await edges('0,5\n1,2\n', { bipartite: true });
    expect([rows, cols]).toEqual([2, 6]);
  });

  it('of one edge, and of a header only', async () => {
    expect(entriesOf(await edges('1,0\n'))).toEqual([[1, 0, 1]]);
    expect((await edges('source,target\n')).nnz).toBe(0);
    expect((await edges('a,b\n', { header: false })).rowNames).toEqual(['a', 'b']);
  });

  it('is found by its look without a name', async () => {
    for (const text of ['0,1\n1,2\n', '# c\n3 4\n4 5\n', 'source\ttarget\n1\t2\n'])
      expect((await read(bytesOf(text))).kind).toBe('edge-list');
  });
});

describe('a list of edges that is wrong is one clear error', () => {
  it.each<[string, string, string]>([
    ['a weight', '0,1,2\n1,0,x\n', "x.csv:2: expected a weight, got 'x'"],
    ['a missing weight', '0,1,2\n\n1,0\n', "x.csv:3: expected 3 fields, as on line 1, got '1,0'"],
    ['a missing target', '0,1\n1\n', "x.csv:2: expected 2 fields, as on line 1, got '1'"],
    ['an empty name', 'a,b\n,c\n', "x.csv:2: expected source and target on a line, got ',c'"],
    [
      'a quote',
      '0,1\n1,0\n"1,2\n',
      `x.csv:3: expected a field in double quotes that ends on its line, before a separator, got '"1,2'`,
    ],
    [
      'a table',
      '0.5,1.5\n2.5,1\n',
      "x.csv:1: expected a node, an integer or a name (readBlock reads tables of numbers), got '0.5'",
    ],
    ['nothing', '# nothing\n', 'x.csv:1: expected edges: a source and a target a line, got the end of the file'],
    ['an empty file', '', 'x.csv:1: expected edges: a source and a target a line, got the end of the file'],
  ])('%s', async (_, text, message) => {
    const error = await failure(edges(text));
    expect([error.code, error.message]).toEqual(['parse', message]);
  });

  it('an unknown option', async () => {
    const { code, message } = await failure(edges('0,1\n', { directed: true } as never));
    expect([code, message]).toEqual([
      'argument',
      "edges: expected only the options header, names, bipartite, weights, got 'directed'",
    ]);
  });
});

describe('a table of numbers', () => {
  it('is a vector, or a block', async () => {
    expect(await readVector(bytesOf('x\n1\n-0.5\n1e3\nnan\n'), { name: 'b.csv' })).toEqual(
      Float64Array.of(1, -0.5, 1e3, NaN),
    );
    expect(rowsOf(await readBlock(bytesOf('a;b\n1;2\n3;4\n'), { name: 'b.csv' }))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(await readVector(bytesOf('\ufeff7\n8'), { name: 'b.csv' })).toEqual(Float64Array.of(7, 8));
    expect((await readVector(bytesOf(''), { name: 'b.csv' })).length).toBe(0);
  });

  it('grows as it is read', async () => {
    const values = Float64Array.from({ length: 50_000 }, (_, k) => Math.cos(k));
    expect(await readVector(bytesOf([...values].join('\n')), { name: 'b.txt' })).toEqual(values);
  });

  it.each([
    ['1\n2,3\n', "b.csv:2: expected a number, got '2,3'"],
    ['1 2\n3 4\n', "b.csv:1: expected a vector: one number on a line, got '1 2'"],
    ['1\nx\n', "b.csv:2: expected a number, got 'x'"],
  ])('that is wrong is one clear error: %j', async (text, message) => {
    expect((await failure(readVector(bytesOf(text), { name: 'b.csv' }))).message).toBe(message);
  });
});
