/** The nearest of the names that an error lists: of the registries, and of Commander's choices. */

import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { withSuggestion } from '#dist/cli/suggest.js';
import { mismatch } from '#dist/core/errors.js';
import { DTYPES } from '#dist/core/types.js';
import { formatByName } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('expected an error');
}

const suggested = (message: string) => / \(Did you mean (\S+)\?\)$/.exec(withSuggestion(message))?.[1];

test.each([
  ['sel', 'sell'],
  ['SELL', 'sell'],
  ['crs', 'csr'],
  ['csrk5', 'csrk'],
  ['inodes', 'inode'],
  ['zebra', undefined],
  ['', undefined],
])('format %s', (typed, nearest) => {
  expect(suggested(messageOf(() => formatByName(typed)))).toBe(nearest);
});

test.each([
  [() => gallery('laplce2d5' as never), 'laplace2d5'],
  [() => gallery('laplace2d5', { nxx: 9 } as never), 'nx'],
  [() => gallery('rmat', { edgefactor: 9 } as never), 'edgeFactor'],
])('the gallery and its parameters: %#', (call, nearest) => {
  expect(suggested(messageOf(call))).toBe(nearest);
});

test('choices of Commander', () => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  program.addOption(new Option('--dtype <dtype>').choices(DTYPES));
  expect(suggested(messageOf(() => program.parse(['--dtype', 'f46'], { from: 'user' })))).toBe('f64');
  expect(suggested(messageOf(() => program.parse(['--dtype', 'int8'], { from: 'user' })))).toBeUndefined();
});

test('an error without names keeps its text', () => {
  const { message } = mismatch('argument', '--threads', 'an integer from 1 to 64', 'four');
  expect(withSuggestion(message)).toBe(message);
});
