/** The table of docs/platforms.md is made from the record of the checks. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, RECORD, withPlatformsTable } from '../../scripts/platforms-table.mjs';

const ROOT = new URL('../../', import.meta.url);
const document = readFileSync(new URL('docs/platforms.md', ROOT), 'utf8');

interface Platform {
  readonly version: string;
  readonly results: Readonly<Record<string, true | string>>;
  readonly elsewhere?: Readonly<Record<string, string>>;
}

describe('the table in docs/platforms.md', () => {
  it('is up to date (else: node scripts/platforms-table.mjs)', () => {
    expect(document).toBe(withPlatformsTable(document));
  });

  it('has a column for each platform of the record, with a result of each check that it has', () => {
    expect(Object.keys(PLATFORMS)).toEqual(Object.keys(RECORD));
    const [head, , ...rows] = document.split('\n').filter((line) => line.startsWith('|'));
    expect(head!.split('|').length).toBe(Object.keys(RECORD).length + 3);
    const yes = rows.join().split('yes').length - 1;
    const found = Object.values(RECORD as Record<string, Platform>).flatMap(({ results, elsewhere = {} }) => [
      ...Object.values(results).filter((result) => result === true),
      ...Object.keys(elsewhere),
    ]);
    expect(yes).toBe(found.length);
  });

  it('has GPUs from a record of that version of Node on one', () => {
    const { node24 } = RECORD as { readonly node24: Platform };
    const { cuda } = node24.elsewhere as { readonly cuda: string };
    const [first] = gunzipSync(readFileSync(new URL(cuda, ROOT)))
      .toString()
      .split('\n');
    expect(JSON.parse(first!)).toMatchObject({ node: node24.version, device: 'NVIDIA H200' });
  });
});
