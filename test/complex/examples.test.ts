/** The examples of complex systems, which print how far they are from known solutions. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

function saidBy(name: string): string {
  const path = fileURLToPath(new URL(`../../examples/${name}/${name}.mjs`, import.meta.url));
  return execFileSync(process.execPath, [path], { encoding: 'utf8' });
}

test("the error of Helmholtz's equation falls with order 2", () => {
  const said = saidBy('helmholtz');
  expect(said.match(/tolerance/g)).toHaveLength(3);
  expect([...said.matchAll(/order (\d\.\d\d)/g)].map(([, order]) => Math.round(Number(order)))).toEqual([2, 2]);
});

test('the response of a line is that of its chain', () => {
  const said = saidBy('circuit-ac');
  expect(said.match(/gain/g)).toHaveLength(7);
  expect(Number(/difference from the chain: (\S+)/.exec(said)![1])).toBeLessThan(1e-9);
  // At half a wave, the line transforms nothing: 75 Ω behind 50 Ω.
  expect(said).toMatch(/ 0\.1 MHz: gain -4\.78 dB/);
});
