/** What docs/coming-from.md has beside the names of other libraries is in its program, which programs.long.test.ts runs. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { programsIn } from '../../scripts/programs.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENT = 'docs/coming-from.md';

const [program] = programsIn(ROOT, DOCUMENT);
const rows = readFileSync(`${ROOT}${DOCUMENT}`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/\| sparlane \||---/.test(line))
  .map((line) => line.split(' | '));

test.each(rows)('%s', (_, ours) => {
  const pieces = Array.from(ours!.matchAll(/`([^`]+)`/g), ([, piece]) => piece);
  expect(pieces.length).toBeGreaterThan(0);
  for (const piece of pieces) expect(program!.text).toContain(piece);
});
