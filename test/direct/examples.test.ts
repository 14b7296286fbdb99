/** The examples of direct solvers that are not those of one method: they find what they promise. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

function run(name: string): string {
  const program = fileURLToPath(new URL(`../../examples/${name}/${name}.mjs`, import.meta.url));
  return execFileSync(process.execPath, [program], { encoding: 'utf8' });
}

test('truss: the stress of no bar is above the limit, and the bars carry the load', () => {
  const said = run('truss');
  expect(said).toMatch(/6938 bars, 3782 unknowns, cholesky/);
  const [, before] = /all bars alike: (\S+) m³/.exec(said)!;
  const [, after, stress] = /after \d+ updates: (\S+) m³, stress up to (\S+) MPa/.exec(said)!;
  expect(Number(after)).toBeLessThan(0.1 * Number(before));
  expect(Number(stress)).toBeLessThan(160.3);
  const [, left] = /force left at a joint: (\S+) N/.exec(said)!;
  expect(Number(left)).toBeLessThan(1e-6);
});

test('interior-point: an optimum in some 15 steps, with the inertia that each step needs', () => {
  const said = run('interior-point');
  expect(said).toMatch(/6240 edges, 1599 nodes, ldlt/);
  const [, steps, replaced] = /(\d+) steps, inertia right but for (\d+) replaced pivots/.exec(said)!;
  expect(Number(steps)).toBeLessThan(20);
  expect(Number(replaced)).toBeLessThan(20);
  const [, gap, balance] = /gap (\S+), balance (\S+)/.exec(said)!;
  expect(Number(gap)).toBeLessThan(1e-5);
  expect(Number(balance)).toBeLessThan(1e-9);
});
