/** Which loops of conversions other threads run in JavaScript: those without a kernel, and only those. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Job, Loop } from '#dist/formats/layout/loop.js';
import { LOOPS } from '#dist/formats/layout/loops.js';

const FORMATS = fileURLToPath(new URL('../../../dist/formats', import.meta.url));

function isLoop(value: unknown): value is Loop<Job> {
  return typeof value === 'object' && value !== null && ('fields' in value || 'header' in value) && 'run' in value;
}

/** The names of all loops under `formats/`. */
async function declared(): Promise<Map<Loop<Job>, string>> {
  const files = readdirSync(FORMATS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const modules = await Promise.all(files.map((file) => import(join(FORMATS, file))));
  const loops = modules.flatMap((module) => Object.entries(module).filter(([, value]) => isLoop(value)));
  return new Map(loops.map(([name, loop]) => [loop as Loop<Job>, name]));
}

test('a loop is in the list of loops if it has no kernel', async () => {
  const loops = await declared();
  const without = [...loops].filter(([{ kernel }]) => kernel === undefined).map(([, name]) => name);
  expect(LOOPS.map((loop) => loops.get(loop)).sort()).toEqual(without.sort());
  expect(loops.size).toBeGreaterThan(LOOPS.length);
});
