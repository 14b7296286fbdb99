/**
 * The figures of `docs/eigenvalues.md`: those that the examples draw. They have no times.
 *
 * usage: npx bench report/eigenvalue-figures [--check]
 *   --check   writes nothing, and fails if a figure in `docs/` is another one. Numbers may differ by 1 in their last places: eigenvectors are known to their
 *             tolerance, and another processor or version of Node rounds otherwise.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const EXAMPLES = ['umap-initialization', 'latent-semantics', 'truss-modes', 'heat-kernel'];
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });

const draw = (example, file) =>
  execFileSync(process.execPath, [join(ROOT, 'examples', example, `${example}.mjs`), file], { stdio: 'pipe' });

const NUMBER = /-?\d+(?:\.\d+)?/g;
/** Whether two texts are the same but for the last places of numbers. */
function isAlike(a, b) {
  if (a.replace(NUMBER, '0') !== b.replace(NUMBER, '0')) return false;
  const [first, second] = [a, b].map((text) => text.match(NUMBER) ?? []);
  return first.every((number, k) => {
    const places = number.split('.')[1]?.length ?? 0;
    return Math.abs(number - second[k]) < 1.5 * 10 ** -places;
  });
}

const folder = mkdtempSync(join(tmpdir(), 'sparlane-figures-'));
try {
  for (const example of EXAMPLES) {
    const figure = join(ROOT, 'docs', `eigenvalues-${example}.svg`);
    if (!flags.check) {
      draw(example, figure);
      continue;
    }
    const file = join(folder, `${example}.svg`);
    draw(example, file);
    if (existsSync(figure) && isAlike(readFileSync(figure, 'utf8'), readFileSync(file, 'utf8'))) continue;
    process.stdout.write(
      `docs/eigenvalues-${example}.svg: another figure than that of this run (npx bench report/eigenvalue-figures)\n`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
