/** Tables and texts that are wrapped to the width of a terminal. */
import { describe, expect, it } from 'vitest';
import { wrapText } from '#dist/cli/output.js';
import { renderTable } from '#dist/cli/table.js';

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
