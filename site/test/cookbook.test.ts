/** The programs of the cookbook and of the first screen print what stands beside them. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../cookbook', import.meta.url));
const programs = readdirSync(FOLDER).filter((name) => name.endsWith('.mjs'));
const page = readFileSync(join(FOLDER, '../cookbook.md'), 'utf8');

describe('cookbook', () => {
  it('has twelve programs, each shown on the page with its output', () => {
    expect(programs).toHaveLength(12);
    const shown = programs.filter((name) =>
      page.includes(`<<< ./cookbook/${name}\n<<< ./cookbook/${name.replace('.mjs', '.txt')}\n`),
    );
    expect(shown).toEqual(programs);
  });

  it.each([...programs, '../home/first.mjs'])('%s', async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(FOLDER, name)], { timeout: 50_000 });
    expect(stdout).toBe(readFileSync(join(FOLDER, name.replace('.mjs', '.txt')), 'utf8'));
  });
});
