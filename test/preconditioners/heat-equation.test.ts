/** The example of time steps: few iterations by updates, and the order of Crank–Nicolson, without which it fails. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('heat-equation: updated multigrid, and the error falls with the square of the step', () => {
  const example = fileURLToPath(new URL('../../examples/heat-equation/heat-equation.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [example, '120', '16'], { encoding: 'utf8' });
  expect(said).toMatch(/^14400 unknowns, amg in \d+ ms, \d levels\n/);
  const iterations = [...said.matchAll(/^step .* (\d+) iterations, update \d+ ms, solve \d+ ms$/gm)].map(numberIn);
  expect(iterations).toHaveLength(16);
  expect(Math.max(...iterations)).toBeLessThan(18);
  const [zeros, stale, updated] = [...said.matchAll(/^the last step .*: (\d+) iterations/gm)].map(numberIn);
  expect(zeros).toBeGreaterThan(iterations.at(-1)!);
  expect(stale).toBeGreaterThan(1.5 * updated!);
  expect(said).toMatch(/order [12]\.\d\d\n$/);
});

function numberIn([, digits]: RegExpExecArray): number {
  return Number(digits);
}
