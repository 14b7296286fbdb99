/** Which loops of conversions other threads run in JavaScript: those without a kernel, and only those. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Job, kernelOfCopy, type Loop } from '#dist/formats/layout/loop.js';
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

test('a loop that reads entries in windows has a kernel, whose header has their arrays', async () => {
  const reading = [...(await declared()).keys()].filter(({ reads }) => reads !== undefined);
  expect(reading.length).toBeGreaterThan(10);
  for (const { kernel, header, reads } of reading) {
    expect(kernel).toBeTypeOf('function');
    expect(Object.keys(header!)).toEqual(expect.arrayContaining([...reads!.fields, ...(reads!.writes ?? [])]));
  }
});

test('the kernel of a copy is that of both arrays, and none for other ones', () => {
  const [f64, f32, codes] = [new Float64Array(1), new Float32Array(1), new Uint8Array(1)];
  expect(kernelOfCopy('place', f64, f64)).toBe('place_f64');
  expect(kernelOfCopy('place', f32, f64)).toBe('place_widened');
  expect(kernelOfCopy('place', f64, f32)).toBe('place_mixed');
  expect(kernelOfCopy('place', f32, f32)).toBe('place_f32');
  expect(kernelOfCopy('place', codes, codes)).toBe('place_codes');
  expect(() => kernelOfCopy('place', f64, new Uint16Array(1))).toThrow(
    'place: expected to store f64, f32 or codes, got Uint16Array of length 1',
  );
});
