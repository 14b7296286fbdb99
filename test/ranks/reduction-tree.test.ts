/** Ranks under MPI combine numbers by a tree. */
import { expect, test } from 'vitest';
import { jointsOf } from '#dist/ranks/reduction-tree.js';

/** Returns what every rank has in the end if it combines texts; fails where a rank would receive what nobody sends. */
function combined(size: number): readonly string[] {
  const joints = Array.from({ length: size }, (_, rank) => jointsOf(rank, size));
  const depth = Math.max(...joints.map(({ length }) => length));
  let held = joints.map((_, rank) => `${rank}`);
  for (let d = depth - 1; d >= 0; d--) {
    const sent = new Set(joints.flatMap((ofRank, from) => (ofRank[d]?.to ?? []).map((to) => `${from} to ${to}`)));
    held = held.map((mine, rank) => {
      const joint = joints[rank]![d];
      if (joint === undefined) return mine;
      expect(sent.delete(`${joint.from} to ${rank}`)).toBe(true);
      const theirs = held[joint.from]!;
      return joint.isLower ? `(${mine} ${theirs})` : `(${theirs} ${mine})`;
    });
    expect(sent.size).toBe(0);
  }
  return held;
}

function byHalves(begin: number, end: number): string {
  const middle = (begin + end) >>> 1;
  return end - begin === 1 ? `${begin}` : `(${byHalves(begin, middle)} ${byHalves(middle, end)})`;
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 100, 129])('%i ranks combine by halves, all in the same order', (size) => {
  expect(combined(size)).toEqual(new Array(size).fill(byHalves(0, size)));
});

test('4096 ranks take twelve turns of two messages at most', () => {
  for (const rank of [0, 1, 2047, 4095]) expect(jointsOf(rank, 4096)).toHaveLength(12);
  for (let rank = 0; rank < 4095; rank++)
    for (const { to } of jointsOf(rank, 4095)) expect(to.length).toBeLessThanOrEqual(2);
});
