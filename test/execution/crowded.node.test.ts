/** More threads than cores, other load on them, and a process that is stopped at any moment. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const PRODUCTS = 300;

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A load ends by itself where nobody is left to end it. */
const SPIN = 'const end = Date.now() + 60_000; while (Date.now() < end);';

describe.skipIf(!hasTaskset())('eight threads on one core, under load', () => {
  // Engines that know their cores let threads sleep. Told of eight cores, threads spin on the only one.
  test.each([1, 8])(
    'stopped and continued: every bit is right (told: %i cores)',
    { timeout: 60_000 },
    async (cores) => {
      const load = spawn('taskset', ['-c', '0', process.execPath, '-e', SPIN], { stdio: 'ignore' });
      const script = fileURLToPath(new URL('./fixtures/crowded.mjs', import.meta.url));
      const child = spawn('taskset', ['-c', '0', process.execPath, script, `${PRODUCTS}`, `${cores}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await once(child.stdout.setEncoding('utf8'), 'data');
        const rest = text(child.stdout);
        for (let stop = 0; stop < 10 && child.exitCode === null; stop++) {
          await sleep(7 * stop);
          child.kill('SIGSTOP');
          await sleep(20);
          child.kill('SIGCONT');
        }
        const report = JSON.parse(await rest);
        expect(report).toMatchObject({ products: PRODUCTS, wrong: 0, errors: [] });
        expect(report.hints).toEqual(cores === 1 ? ['oversubscribed'] : []);
        expect(report.byMembers).toBeGreaterThan(0);
      } finally {
        load.kill('SIGKILL');
        child.kill('SIGKILL');
      }
    },
  );
});
