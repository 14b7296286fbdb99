import { expect, test } from 'vitest';
import { OrderMemory } from '#dist/reorder/order-memory.js';

test('a memory gives what it is asked for, up to what an address reaches', () => {
  using memory = OrderMemory.take();
  const [one, other] = [memory.place(Uint32Array.of(1, 2, 3)), memory.place(Int32Array.of(-1))];
  expect([...memory.read(one, 3), ...memory.read(other, 1)]).toEqual([1, 2, 3, 0xffff_ffff]);
  for (const words of [2 ** 30, 2 ** 32 - 1])
    expect(() => memory.reserve(words)).toThrow(/^memory: expected room for an analysis, got no more than \d+ bytes/);
  expect(memory.place(Uint32Array.of(4))).toBe(other + 4);
});

test('an error has the code with which a solve goes on', () => {
  using memory = OrderMemory.take();
  expect(() => memory.reserve(2 ** 31)).toThrow(expect.objectContaining({ code: 'heap' }));
});
