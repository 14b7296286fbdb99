/** Lists of edges as other programs and people write them: each is read right, or refused with the line and its text. */
import { describe, expect, it } from 'vitest';
import { read, readBlock, readVector } from '#dist/io/read.node.js';
import { rowsOf } from '../kinds/support.js';
import { bytesOf, entriesOf, failure } from '../support.js';

type Edges = NonNullable<NonNullable<Parameters<typeof read>[1]>['edges']>;
const matrixOf = (text: string | Uint8Array, edges: Edges = {}) =>
  read(typeof text === 'string' ? bytesOf(text) : text, { name: 'x.csv', edges });
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** 0 → 1 with 7, 1 → 2 with 2.5. */
const WEIGHTED = [
  [0, 1, 7],
  [1, 2, 2.5],
];
const PATTERN = WEIGHTED.map(([row, col]) => [row, col, 1]);

describe('is read right', () => {
  it.each<[string, string, Edges?]>([
    ['line ends of old Macs', '0,1,7\r1,2,2.5\r'],
    ['line ends of three kinds', '# c\r\n\r0,1,7\r1,2,2.5\n'],
    ['semicolons with decimal commas', '0;1;7\n1;2;2,5\n'],
    ['semicolons with decimal points', '0;1;7\n1;2;2.5\n'],
    ['networkx, with attributes', "0 1 {'weight': 7}\n1 2 {'since': '1, 2', 'weight': 2.5, 'of': [{'weight': 3}]}\n"],
    ['networkx, with commas', '0,1,{"weight": 7}\n1,2,{"a": "}", "weight": 2.5}\n'],
    ['attributes in quotes', `0,1,"{'weight': 7}"\n1,2,"{'weight': 2.5}"\n`],
    ['nodes of pandas that are floating-point numbers', '0.0,1.0,7\n1,2.0,2.5\n'],
    ['an index of pandas', ',source,target,weight\n0,0,1,7\n1,1,2,2.5\n'],
    ['row names of R', '"","from","to","weight"\n"1",0,1,7\n"2",1,2,2.5\n'],
    ['columns in another order', 'weight,to,id,from\n7,1,x,0\n2.5,2,y,1\n'],
    ['names of columns that are not known', 'u,v,how much\n0,1,7\n1,2,2.5\n'],
    ['a year as the name of the weights', 'source,target,2020\n0,1,7\n1,2,2.5\n'],
    ['a separator behind the last field', '0,1,7,\n1,2,2.5,\n'],
    ['that, with names of columns', 'from,to,weight,\n0,1,7,\n1,2,2.5,\n'],
    ['tabs and spaces', '0 1\t7\n1\t2  2.5\n'],
    ['numbers of other forms', '0,1,+7.\n1,2,.25e+01\n'],
    ['a fourth column, which is not asked for', '0,1,7,x\n1,2,2.5,y\n', { weights: true }],
  ])('%s', async (_, text, options) => {
    const matrix = await matrixOf(text, options);
    expect([matrix.field, matrix.rowNames]).toEqual(['real', undefined]);
    expect(entriesOf(matrix)).toEqual(WEIGHTED);
  });

  it.each<[string, string, Edges?]>([
    ['networkx, without attributes', '0 1 {}\n1 2 {}\n'],
    ['networkx, with other attributes', "0 1 {'color': 'red'}\n1 2 {}\n"],
    ['nothing behind the last separator', '0,1,\n1,2,\n'],
    ['a column of text with a name', 'source,target,kind\n0,1,a\n1,2,b\n'],
    ['a column of text that is not asked for', '0,1,5kg\n1,2,6\n', { weights: false }],
    ['integers of R', '1e+00,1\n1,2.0\n', {}],
  ])('without weights: %s', async (_, text, options) => {
    const matrix = await matrixOf(text, options);
    expect(matrix.field).toBe('pattern');
    const expected = text.startsWith('1e') ? [[1, 1, 1], PATTERN[1]] : PATTERN;
    expect(entriesOf(matrix)).toEqual(expected);
  });

  it('weights that are no finite numbers', async () => {
    const { values } = await matrixOf('0,0,inf\n0,1,-Infinity\n0,2,nan\n0,3,1e999\n');
    expect([...values]).toEqual([Infinity, -Infinity, NaN, Infinity]);
  });

  it.each<[string, string, string[], Edges?]>([
    ['separators in quotes', '"a, b","c;d"\n"c;d","a, b"\n', ['a, b', 'c;d']],
    ['quotes between spaces', '"New York" "a b"\n"a b" "New York"\n', ['New York', 'a b']],
    ['commas beside semicolons', 'Doe, J;Roe, R\nRoe, R;Doe, J\n', ['Doe, J', 'Roe, R']],
    ['nodes with names of columns', 'source,target\ntarget,source\n', ['source', 'target']],
    ['nodes with short names', 'u,v\nv,u\n', ['u', 'v']],
    ['integers beside names', '1.0,x\nx,1\n', ['1', 'x']],
    ['names that look like numbers, on request', '1.0,1\n1,1.0\n', ['1.0', '1'], { names: true }],
    ['hexadecimal names', '1e5,b\nb,1e5\n', ['1e5', 'b']],
    ['several numbers in quotes', '"1 2",b\nb,"1 2"\n', ['1 2', 'b']],
    ['other than ASCII', 'Møller,Åsa\nÅsa,Møller\n', ['Møller', 'Åsa']],
  ])('names: %s', async (_, text, names, options) => {
    const matrix = await matrixOf(text, options);
    expect(matrix.rowNames).toEqual(names);
    expect(entriesOf(matrix)).toEqual([
      [0, 1, 1],
      [1, 0, 1],
    ]);
  });
});

const MORE =
  'source, target and perhaps a weight on a line (of more columns, names in the first line or edges.weights say what they are)';

describe('is refused with the line and its text', () => {
  it.each<[string, string | Uint8Array, string, Edges?]>([
    ['a missing weight first', '0,1,n/a\n1,2,5\n', "1: expected a weight (unless edges.weights is false), got 'n/a'"],
    ['between names', 'ann,bob,n/a\nbob,cid,5\n', "1: expected a weight (unless edges.weights is false), got 'n/a'"],
    [
      'an empty weight first',
      '0,1,\n1,2,5\n',
      "2: expected nothing behind the last separator, as on line 1, got '1,2,5'",
    ],
    ['an empty weight later', '1,2,5\n0,1,\n', "2: expected a weight, got ''"],
    ['a missing weight below names', 'a,b,weight\n0,1,n/a\n1,2,5\n', "2: expected a weight, got 'n/a'"],
    [
      'numbers in a column of text',
      'from,to,amount\n0,1,n/a\n1,2,5\n',
      "3: expected no number (unless edges.weights says what it is), as on line 2, got '5'",
    ],
    ['a unit', '0,1,5kg\n', "1: expected a weight (unless edges.weights is false), got '5kg'"],
    [
      'a unit between names',
      'ann,bob,5kg\ncid,dan,6\n',
      "1: expected a weight (unless edges.weights is false), got '5kg'",
    ],
    ['a currency', 'ann,bob,$5\ncid,dan,6\n', "1: expected a weight (unless edges.weights is false), got '$5'"],
    [
      'a word for a weight, between nodes that come again',
      'ann,bob,soon\nbob,cid,5\n',
      "1: expected a weight (unless edges.weights is false), got 'soon'",
    ],
    ['hexadecimal weights', '0,1,0x10\n', "1: expected a weight (unless edges.weights is false), got '0x10'"],
    ['thousands', '0;1;1.234,5\n', "1: expected a weight (unless edges.weights is false), got '1.234,5'"],
    [
      'two kinds of decimals',
      '0;1;2,5\n1;2;2.5\n',
      "2: expected a weight with a decimal comma, as in lines before, got '2.5'",
    ],
    [
      'the same the other way',
      '0;1;2.5\n1;2;2,5\n',
      "2: expected a weight with a decimal point, as in lines before, got '2,5'",
    ],
    ['decimal commas between tabs', '0\t1\t7\n1\t2\t2,5\n', "2: expected a weight, got '2,5'"],
    ['decimal commas between commas', '0,1,2,5\n', `1: expected ${MORE}, got '0,1,2,5'`],
    ['a fourth field', '0 1 1 1082040961\n', `1: expected ${MORE}, got '0 1 1 1082040961'`],
    ['a fourth field later', '0,1,2\n1,2,3,4\n', "2: expected 3 fields, as on line 1, got '1,2,3,4'"],
    ['a third field later', '0,1\n1,2,3\n', "2: expected 2 fields, as on line 1, got '1,2,3'"],
    ['fewer names than columns', 'from,to\n\n0,1,2\n', "3: expected 2 fields, as on line 1, got '0,1,2'"],
    [
      'a number behind the last separator',
      '0,1,5,\n1,2,6,7\n',
      "2: expected nothing behind the last separator, as on line 1, got '1,2,6,7'",
    ],
    [
      'columns without names',
      ',,weight\n0,1,5\n',
      "1: expected names of the columns of source and target on the first line, got ',,weight'",
      { header: true },
    ],
    ['no weights', '0,1\n', "1: expected source, target and weight on a line, got '0,1'", { weights: true }],
    ['an attribute that is no number', "0 1 {'weight': None}\n", "1: expected a weight, got '{'weight': None}'"],
    [
      'a weight among attributes later',
      "0 1 {}\n1 2 {'weight': 3}\n",
      "2: expected attributes without a weight, as on line 1, got '{'weight': 3}'",
    ],
    ['no weight among attributes later', "0 1 {'weight': 3}\n1 2 {}\n", "2: expected a weight, got '{}'"],
    [
      'half of the attributes',
      "0 1 {'weight': 3\n",
      "1: expected a weight (unless edges.weights is false), got '{'weight': 3'",
    ],
    ['another separator later', '0,1\n1;2\n', "2: expected 2 fields, as on line 1, got '1;2'"],
    ['two separators', '0 1,2\n', "1: expected one node between separators, or in double quotes, got '0 1'"],
    [
      'a comment behind an edge',
      '0,1 # x\n',
      "1: expected one node between separators, or in double quotes, got '1 # x'",
    ],
    ['an empty field between tabs', '0\t\t5\n', "1: expected source and target on a line, got '0\\t\\t5'"],
    ['no separator that is known', '0|1\n', "1: expected source and target on a line, got '0|1'"],
    [
      'a fraction for a node',
      '0,1\n1,0.5\n',
      "2: expected a node, an integer or a name (readBlock reads tables of numbers), got '0.5'",
    ],
    [
      'a missing node',
      '0,1\n1,nan\n',
      "2: expected a node, an integer or a name (readBlock reads tables of numbers), got 'nan'",
    ],
    [
      'an integer that was rounded',
      '0,1.5e+16\n',
      "1: expected a node, an integer or a name (readBlock reads tables of numbers), got '1.5e+16'",
    ],
    [
      'text behind quotes',
      '"a"b,c\n',
      `1: expected a field in double quotes that ends on its line, before a separator, got '"a"b,c'`,
    ],
    [
      'text behind quotes between spaces',
      '"a"b c\n',
      `1: expected a field in double quotes that ends on its line, before a separator, got '"a"b c'`,
    ],
    [
      'Latin-1',
      latin1('0,1\n# \xe9\nM\xf8ller,b\nM\xfcller,c\n'),
      "3: expected text in UTF-8, got the byte 0xf8 in 'M?ller', byte 9 of the file",
    ],
    [
      'Latin-1 in a header',
      latin1('# c\nfrom,nach \xfc\n'),
      "2: expected text in UTF-8, got the byte 0xfc in 'nach ?', byte 14 of the file",
    ],
    [
      'half a character',
      Buffer.concat([bytesOf('\ufffd,b\na,"Å'), latin1('\xc3"\n')]),
      "2: expected text in UTF-8, got the byte 0xc3 in 'Å?', byte 11 of the file",
    ],
    [
      'a line of more than 64 KiB',
      `0,1\n0,${'1'.repeat(1 << 16)}\n0,1\n`,
      '2: expected a line of at most 64 KiB, got one of 65538 bytes or more',
    ],
  ])('%s', async (_, text, message, options) => {
    const error = await failure(matrixOf(text, options));
    expect([error.code, error.message]).toEqual(['parse', `x.csv:${message}`]);
  });

  it('with the byte', async () => {
    expect((await failure(matrixOf(latin1('a,\xe9\n')))).detail).toMatchObject({ line: 1, byte: 2 });
  });
});

describe('a table of numbers', () => {
  it('has line ends of old Macs, and decimal commas', async () => {
    expect(await readVector(bytesOf('x\r1\r-0.5\r'), { name: 'b.csv' })).toEqual(Float64Array.of(1, -0.5));
    expect(rowsOf(await readBlock(bytesOf('a;b\n1;2,5\n3;4\n'), { name: 'b.csv' }))).toEqual([
      [1, 2.5],
      [3, 4],
    ]);
  });

  it.each([
    ['a missing number first', 'n/a\n1\n', "1: expected a number, got 'n/a'"],
    ['words beside numbers', 'x,1\n2,3\n', "1: expected a number, got 'x'"],
    [
      'two kinds of decimals',
      '1;2,5\n3;4.5\n',
      "2: expected a number with a decimal comma, as in lines before, got '4.5'",
    ],
    ['an empty field', '1,2\n3,\n', "2: expected a number, got ''"],
  ])('is refused with %s', async (_, text, message) => {
    expect((await failure(readBlock(bytesOf(text), { name: 'b.csv' }))).message).toBe(`b.csv:${message}`);
  });
});
