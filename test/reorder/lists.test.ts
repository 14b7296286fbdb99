import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderMemory } from '#dist/reorder/order-memory.js';

it('lists move to the front, in their order, with their entries', () => {
  const gapped = fc.array(fc.record({ gap: fc.nat(3), list: fc.array(fc.nat(50), { maxLength: 5 }) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(gapped, fc.nat(), (parts, turn) => {
      const count = parts.length;
      // The owners of neighbouring lists are not neighbours.
      const ownerOf = (k: number) => (k * 7 + turn) % Math.max(count, 1);
      const isOrder = new Set(parts.map((_, k) => ownerOf(k))).size === count;
      fc.pre(isOrder);
      const start = new Int32Array(count);
      const length = new Int32Array(count);
      const all: number[] = [];
      for (const [k, { gap, list }] of parts.entries()) {
        all.push(...new Array<number>(gap).fill(99));
        start[ownerOf(k)] = all.length;
        length[ownerOf(k)] = list.length;
        all.push(...list);
      }
      const lists = Int32Array.from(all);
      using memory = OrderMemory.take();
      const [listsAt, startAt] = [memory.place(lists), memory.place(start)];
      const end = memory.run.moveToFront(listsAt, startAt, memory.place(length), count, lists.length);
      lists.set(memory.read(listsAt, lists.length));
      start.set(memory.read(startAt, count));
      const kept = parts.flatMap(({ list }) => list);
      expect([...lists.subarray(0, end)]).toEqual(kept);
      for (const [k, { list }] of parts.entries()) {
        const at = start[ownerOf(k)]!;
        if (list.length > 0) expect([...lists.subarray(at, at + list.length)]).toEqual(list);
      }
    }),
  );
});
