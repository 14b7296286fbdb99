/** Tasks of a symmetric factorization: complete, in order, and enough for several threads. */
import { describe, expect, test } from 'vitest';
import { supernodesOf } from '#dist/direct/symmetric/supernodes.js';
import { type Tasks, tasksOf } from '#dist/direct/symmetric/tasks.js';
import { updatesOf } from '#dist/direct/symmetric/updates.js';
import { gallery } from '#dist/index.node.js';
import { amd } from '#dist/reorder/amd.js';
import { symmetricGraph } from '#dist/reorder/graph.js';

const MATRICES = {
  'a cube': gallery('laplace3d7', { nx: 22, ny: 22, nz: 22 }),
  'a grid': gallery('laplace2d5', { nx: 300, ny: 300 }),
  'a mesh': gallery('delaunay', { n: 40_000 }),
};

/** When the last task ends if threads claim them in order, each after those that it needs. */
function endOf({ count, work, before }: Tasks, threads: number): number {
  const free = new Float64Array(threads);
  const ends = new Float64Array(count);
  for (let task = 0; task < count; task++) {
    const thread = free.indexOf(Math.min(...free));
    let begin = free[thread]!;
    for (let k = before.ptr[task]!; k < before.ptr[task + 1]!; k++) begin = Math.max(begin, ends[before.idx[k]!]!);
    ends[task] = free[thread] = begin + work[task]!;
  }
  return Math.max(...free);
}

describe.each(Object.entries(MATRICES))('%s', (_, matrix) => {
  const graph = symmetricGraph(matrix);
  const nodes = supernodesOf(graph, amd(graph));
  const updates = updatesOf(nodes);
  const tasks = tasksOf(nodes, updates);

  test('every supernode and every update is in one task, after what it needs', () => {
    const filled = new Uint8Array(nodes.count);
    const applied = new Uint8Array(updates.ptr[nodes.count]!);
    for (let task = 0; task < tasks.count; task++) {
      const [first, last, begin, end] = tasks.words.subarray(4 * task, 4 * task + 4) as unknown as number[];
      for (let u = begin!; u < end!; u++) applied[u]!++;
      for (let s = first!; s < last!; s++) if (end! >= updates.ptr[s + 1]!) filled[s]!++;
      for (let k = tasks.before.ptr[task]!; k < tasks.before.ptr[task + 1]!; k++)
        expect(tasks.before.idx[k]).toBeLessThan(task);
    }
    expect(filled.every((times) => times === 1)).toBe(true);
    expect(applied.every((times) => times === 1)).toBe(true);
  });

  test('two threads share nearly all of the work, and no task is a large share of it', () => {
    const total = tasks.work.reduce((sum, work) => sum + work, 0);
    expect(total / endOf(tasks, 2)).toBeGreaterThan(1.9);
    expect(Math.max(...tasks.work)).toBeLessThan(total / 50);
  });
});
