/** Slots as kernels leave them, and their addition to y. */
import { expect, test } from 'vitest';
import { CARRIES_BYTES, Carries, MAX_PARTS } from '#dist/execution/carries.js';

const NO_ROW = 0xffff_ffff;
const ADDRESS = 192;

/** Carries whose parts left these rows and sums. */
function carries(...slots: (readonly [row: number, sum: number])[]): Carries {
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true });
  const made = new Carries(memory, ADDRESS);
  for (const [part, [row, sum]] of slots.entries()) {
    new Uint32Array(memory.buffer, made.slotOf(part), 1)[0] = row;
    new Float64Array(memory.buffer, made.slotOf(part) + 8, 1)[0] = sum;
  }
  return made;
}

test('every part has a separate cache line, up to the maximum number of parts', () => {
  expect([0, 1, 2].map((part) => carries().slotOf(part))).toEqual([ADDRESS, ADDRESS + 64, ADDRESS + 128]);
  expect(carries().slotOf(MAX_PARTS)).toBe(ADDRESS + CARRIES_BYTES);
});

test('sums are added to their rows; a part whose last row is complete adds nothing', () => {
  const y = Float64Array.of(1, 2, 3);
  carries([2, 10], [NO_ROW, Number.NaN], [2, 20], [0, 5]).addTo(y, 4);
  expect(y).toEqual(Float64Array.of(6, 2, 33));
});

test('only the parts of this product count, not what an earlier one with more parts has left', () => {
  const y = Float64Array.of(0);
  carries([0, 1], [0, 2], [0, 4]).addTo(y, 2);
  expect(y[0]).toBe(3);
});

test('several sums of one row are added in the order of the parts', () => {
  const y = Float64Array.of(1);
  carries([0, 2 ** 60], [0, -(2 ** 60)]).addTo(y, 2);
  expect(y[0]).toBe(0);
  y[0] = 1;
  carries([0, -1], [0, 2 ** 60]).addTo(y, 2);
  expect(y[0]).toBe(2 ** 60);
});

test('sums are f64 for every dtype, and rounded where they are added to f32', () => {
  const y = Float32Array.of(1);
  carries([0, 2 ** -24 + 2 ** -40]).addTo(y, 1);
  expect(y[0]).toBe(1 + 2 ** -23);
});

test('NaN and infinity are carried like other values', () => {
  const y = Float64Array.of(0, 0);
  carries([0, Number.NaN], [1, Number.NEGATIVE_INFINITY]).addTo(y, 2);
  expect(y).toEqual(Float64Array.of(Number.NaN, Number.NEGATIVE_INFINITY));
});
