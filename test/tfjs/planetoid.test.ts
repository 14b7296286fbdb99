/** The reader of Planetoid's files, on a graph of five papers that is pickled here as Python 2, NumPy and SciPy did it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The module of the example is not of the project of the tests. */
const PLANETOID = '../../examples/graph-network/planetoid.mjs';
const { readPlanetoid } = await import(PLANETOID);

const pickle = (...parts: string[]) => Buffer.from(`\x80\x02${parts.join('')}.`, 'latin1');
const int = (value: number) => (value < 256 && value >= 0 ? `K${String.fromCharCode(value)}` : `J${little(value)}`);
const little = (value: number) => Buffer.from(Int32Array.of(value).buffer).toString('latin1');
const text = (value: string) => `U${String.fromCharCode(value.length)}${value}`;
const tuple = (...items: string[]) => `(${items.join('')}t`;
const global = (module: string, name: string) => `c${module}\n${name}\n`;

function array(shape: readonly number[], numbers: Int32Array | Float32Array): string {
  const type = numbers instanceof Int32Array ? 'i4' : 'f4';
  const dtype = `${global('numpy', 'dtype')}${text(type)}K\0K\x01\x87R${tuple('K\x03', text('<'), 'NNN', int(-1), int(-1), 'K\0')}b`;
  const bytes = Buffer.from(numbers.buffer).toString('latin1');
  const state = tuple('K\x01', tuple(...shape.map(int)), dtype, '\x89', `T${little(bytes.length)}${bytes}`);
  return `${global('numpy.core.multiarray', '_reconstruct')}${global('numpy', 'ndarray')}K\0\x85${text('b')}\x87R${state}b`;
}

/** The rows of this matrix are the words of the papers. */
function matrix(cols: number, rows: readonly (readonly number[])[]): string {
  const ends = rows.map((_, i) => rows.slice(0, i + 1).flat().length);
  const nnz = rows.flat().length;
  const members = [
    [text('_shape'), `${int(rows.length)}${int(cols)}\x86`],
    [text('indptr'), array([rows.length + 1], Int32Array.of(0, ...ends))],
    [text('indices'), array([nnz], Int32Array.from(rows.flat()))],
    [text('data'), array([nnz], new Float32Array(nnz).fill(1))],
  ];
  return `${global('scipy.sparse.csr', 'csr_matrix')})\x81}(${members.flat().join('')}ub`;
}

const oneHot = (labels: readonly number[], classes: number) =>
  array(
    [labels.length, classes],
    Int32Array.from(labels.flatMap((label) => [...Array(classes).keys()].map((c) => +(c === label)))),
  );

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sparlane-planetoid-'));
  // Papers 3 and 4 are for tests; their file has them in the order 4, 3. An entry of the memo is read once.
  const lists = `K\0](K\x01J${little(4)}eq\x01K\x01]K\x02aK\x02](K\x02K\x03eK\x03]K\x04a`;
  const files = {
    x: pickle(matrix(300, [[0]])),
    y: pickle(oneHot([2], 3)),
    allx: pickle(matrix(300, [[0], [1, 2], []])),
    ally: pickle(oneHot([2, 0, 1], 3)),
    tx: pickle(matrix(300, [[299], [5, 7]])),
    ty: pickle(oneHot([1, 2], 3)),
    graph: pickle(`${global('collections', 'defaultdict')}${global('__builtin__', 'list')}\x85R(${lists}u`),
    'test.index': '4\n3\n',
  };
  for (const [part, content] of Object.entries(files)) writeFileSync(join(folder, `ind.toy.${part}`), content);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('reads the graph, the words, the labels and the split', () => {
  const { graph, features, labels, train, validation, test } = readPlanetoid(folder, 'toy');
  // Citations count in both directions, twice said once; paper 2 cites itself.
  expect([...graph.rowPtr]).toEqual([0, 2, 4, 7, 9, 11]);
  expect([...graph.colIdx]).toEqual([1, 4, 0, 2, 1, 2, 3, 2, 4, 0, 3]);
  expect([features.rows, features.cols]).toEqual([5, 300]);
  expect([...features.rowPtr]).toEqual([0, 1, 3, 3, 5, 6]);
  expect([...features.colIdx]).toEqual([0, 1, 2, 5, 7, 299]);
  expect([...labels]).toEqual([2, 0, 1, 2, 1]);
  expect([train, validation.length, validation[0], test]).toEqual([[0], 500, 1, [4, 3]]);
});

it('refuses what it does not know', () => {
  writeFileSync(join(folder, 'ind.toy.ally'), pickle('G12345678'));
  expect(() => readPlanetoid(folder, 'toy')).toThrow('a pickle: expected a known instruction, got "G"');
});
