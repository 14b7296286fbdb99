/** No output of the command line is wider than a terminal of 100 columns; the tests of `tune` check its output. */
import { describe, expect, it } from 'vitest';
import { wrapText } from '#dist/cli/output.js';
import { renderTable } from '#dist/cli/table.js';
import { runCli } from './run-cli.js';

const MAX_COLUMNS = 100;

const GRID = 'gallery:laplace2d5?nx=20&ny=20&values=integer&seed=12345678';
const GRAPH = 'gallery:rmat?scale=9&edgeFactor=16&seed=12345';
/** The longest names of formats that 'auto' takes, and longer ones. */
const FORMATS = 'auto,csr,ell,dia,sss,sell?index=16&values=table,csrk?k=3&superRowSize=64&superSuperRowSize=4&index=16';

const wideLines = (text: string) => text.split('\n').filter((line) => [...line].length > MAX_COLUMNS);

describe.concurrent('within 100 columns', () => {
  it.each(['', ...['demo', 'info', 'multiply', 'explain', 'bench', 'formats', 'tune', 'selftest']])(
    '%s --help',
    async (command) => {
      const { code, stdout } = await runCli(...(command === '' ? [] : [command]), '--help');
      expect(code).toBe(0);
      expect(wideLines(stdout)).toEqual([]);
    },
  );

  it.each([
    ['formats'],
    ['info', GRID],
    ['info', GRAPH],
    ['explain', GRID, '--threads', '2', '--products', 'many'],
    ['explain', GRAPH, '--threads', '2', '--allow-permutation'],
    ['multiply', GRID, '--format', 'sell?index=16&values=table', '--threads', '2', '--repeat', '2'],
    ['multiply', GRAPH, '--threads', '1', '--repeat', '2'],
    ['bench', GRID, GRAPH, '--formats', FORMATS, '--dtype', 'f64,mixed', '--threads', '1,2', '--time', '1'],
    ['selftest', '--brief', '--threads', '2', '--formats', 'sell?sortScope=64&index=16&values=table,csr'],
  ])('%s', async (...args) => {
    const { code, stdout } = await runCli(...args);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(5);
    expect(wideLines(stdout)).toEqual([]);
  });
});

describe('a table that is too wide', () => {
  const words = 'some words that go on for quite a while and then for a while more, until there is no room left at all';

  it('wraps its widest column of text, between words, and no other', () => {
    const lines = renderTable(['name', 'n', 'text'], [['csr', '12', words]], [1], 60).split('\n');
    expect(lines.filter(({ length }) => length > 60)).toEqual([]);
    expect(lines[1]).toMatch(/^csr {3}12 {2}some words/);
    expect(lines.slice(1).join(' ').replaceAll(/ +/g, ' ')).toBe(`csr 12 ${words}`);
  });

  it('is left alone where it is not', () => {
    expect(renderTable(['a', 'b'], [['x', words]], [], 200)).toBe(`a  b\nx  ${words}`);
  });

  it('cuts a word that is longer than its column, and loses nothing of it', () => {
    const spec = 'sell?index=16&values=table&sortScope=64';
    const lines = renderTable(['format', 'ms'], [[spec, '1.00']], [1], 30).split('\n');
    expect(lines.filter(({ length }) => length > 30)).toEqual([]);
    expect(
      lines
        .slice(1)
        .join('')
        .replaceAll(/ |1\.00/g, ''),
    ).toBe(spec);
  });
});

it('text is wrapped between words, and where it has lines of its own', () => {
  expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapText('one\ntwo three', 20)).toEqual(['one', 'two three']);
  expect(wrapText('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
  expect(wrapText('', 4)).toEqual(['']);
});
