/** README's table of formats is made from the formats' own descriptions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '#dist/formats/registry.js';
import { formatsTable, withFormatsTable } from '../../scripts/formats-table.mjs';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('the table of formats in README.md', () => {
  it('is up to date (else: node scripts/formats-table.mjs)', () => {
    expect(readme).toBe(withFormatsTable(readme));
  });

  it('has a line for each format, with its description, its matrices and its source', () => {
    const [, , ...lines] = formatsTable().split('\n') as string[];
    const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()));
    expect(cells).toEqual(
      FORMATS.map(({ name, summary, suits, source }) => ['', `\`${name}\``, summary, suits, source, '']),
    );
  });

  it('replaces the table between the marks, and is refused if they are missing', () => {
    const text = `before\n<!-- formats -->\nold\n<!-- /formats -->\nafter`;
    expect(withFormatsTable(text)).toBe(`before\n<!-- formats -->\n\n${formatsTable()}\n\n<!-- /formats -->\nafter`);
    for (const bad of ['nothing', `${text}\n${text}`, '<!-- /formats --> <!-- formats -->']) {
      expect(() => withFormatsTable(bad)).toThrow(/expected <!-- formats --> … <!-- \/formats --> once/);
    }
  });
});

it.each(FORMATS)('the description of $name fits into a line', ({ summary }) => {
  expect(summary.length).toBeLessThanOrEqual(75);
});
