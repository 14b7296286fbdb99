/** What holds for every kind of file. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FILE_KINDS } from '#dist/io/kinds/registry.js';

test.each(FILE_KINDS)('$name has a row in docs/files.md', ({ name, write, writeBlock, extensions }) => {
  const guide = readFileSync(new URL('../../../docs/files.md', import.meta.url), 'utf8');
  const [, row] = new RegExp(`^\\| \`${name}\` \\|(.*)\\|$`, 'm').exec(guide) ?? [];
  expect(row).toBeDefined();
  const written = row!.split('|').at(-1)!.trim();
  if (write === undefined && writeBlock === undefined) expect(written).toBe('–');
  else expect(written).toContain(`\`.${extensions[0]}\``);
});

test('every extension is of one kind', () => {
  const extensions = FILE_KINDS.flatMap((kind) => kind.extensions);
  expect(new Set(extensions).size).toBe(extensions.length);
});
