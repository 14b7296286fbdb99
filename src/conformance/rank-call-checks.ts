/**
 * What ranks must do together with vectors, and what they tell each other, whatever they reach each other by. Every rank runs these checks at the same time, and finds
 * the same.
 */
import { SparlaneError } from '../core/errors.js';
import type { Communicator } from '../ranks/communicator.js';
import { Findings } from './findings.js';
import { sampleVector } from './matrices.js';
import { DEALS } from './rank-checks.js';

/** Sums over vectors of which each rank has a part, of unequal lengths, also none. */
export function checkRankVectors(comm: Communicator): Findings {
  const findings = new Findings();
  const { rank, size } = comm;
  for (const rows of [0, 1, size, 1025, 5000]) {
    findings.about(`${rows} elements`);
    const bounds = DEALS.uneven!(rows, size);
    const [first, end] = [bounds[rank]!, bounds[rank + 1]!];
    const [xs, ys] = [sampleVector(rows, 'integer', 1), sampleVector(rows, 'integer', 2)];
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from({ length: rows }, (_, i) => a[i]! * b[i]!).reduce((s, v) => s + v, 0);
    using x = comm.vector(xs.subarray(first, end));
    using y = comm.vector(ys.subarray(first, end));
    using s = comm.scalar();
    using t = comm.scalar();
    const is = (what: string, value: number, expected: number) =>
      findings.expect(value === expected, what, () => `${value} instead of ${expected}`);
    is('dot', x.dot(y, s).value, dot(xs, ys));
    is('norm', x.norm(s).value, Math.sqrt(dot(xs, xs)));
    x.dots([y, x], [s, t]);
    is('dots', s.value, dot(xs, ys));
    is('dots', t.value, dot(xs, xs));
    using recording = comm.space.record(() => {
      x.dot(y, s);
      s.setProduct(s, 2);
      x.dots([x, y], [t, t]);
    });
    recording.launch();
    recording.launch();
    is('recorded dot', s.value, 2 * dot(xs, ys));
    is('recorded dots', t.value, dot(xs, ys));
    checkBlocks(
      findings,
      comm,
      [xs.subarray(first, end), ys.subarray(first, end)],
      [dot(xs, xs), dot(xs, ys), dot(ys, ys)],
    );
  }
  return findings;
}

/** Sums of blocks of two columns. */
function checkBlocks(
  findings: Findings,
  comm: Communicator,
  columns: readonly [Float64Array, Float64Array],
  [xx, xy, yy]: readonly number[],
): void {
  const [left, right] = columns;
  using block = comm.vector(Float64Array.of(...left, ...right), { columns: 2, order: 'column' });
  using gram = comm.vector(2, { columns: 2 });
  using s = comm.scalar();
  using t = comm.scalar();
  block.gram(block, gram);
  const got = [...gram.toArray()];
  findings.expect(
    [xx, xy, xy, yy].every((value, i) => value === got[i]),
    'gram',
    () => got.join(),
  );
  block.columnDots(block, [s, t]);
  findings.expect(s.value === xx && t.value === yy, 'columnDots', () => `${s.value}, ${t.value}`);
}

function isRefused(call: () => unknown): boolean {
  try {
    call();
  } catch (error) {
    return error instanceof SparlaneError && error.code === 'argument';
  }
  return false;
}

/** What ranks tell each other, whatever its size. */
export function checkRankCalls(comm: Communicator): Findings {
  const findings = new Findings();
  const { rank, size } = comm;
  const is = (what: string, holds: boolean) => findings.expect(holds, what, () => 'it is not');
  const ranks = Array.from({ length: size }, (_, r) => r);
  for (const length of [0, 1, 13, 14, 15, 5000, 40_000]) {
    findings.about(`${length} numbers`);
    const sums = comm.allreduce(Float64Array.from({ length }, (_, i) => i + rank));
    is('sum', sums.length === length && sums.every((value, i) => value === size * i + (size * (size - 1)) / 2));
    const maxima = comm.allreduce(
      Float64Array.from({ length }, (_, i) => (i % size === rank ? i : -1)),
      'max',
    );
    is(
      'maximum',
      maxima.every((value, i) => value === i),
    );
    const root = length % size;
    const told = comm.broadcast(
      Uint32Array.from({ length }, (_, i) => (rank === root ? 3 * i : 7)),
      root,
    );
    is(
      'broadcast',
      told.every((value, i) => value === 3 * i),
    );
    const all = comm.allgather(new Float32Array(length * rank).fill(rank + 0.5));
    const expected = ranks.flatMap((r) => new Array<number>(length * r).fill(r + 0.5));
    is('allgather', all.length === expected.length && all.every((value, i) => value === expected[i]));
    // Every other rank gets nothing from the others.
    const sizeOf = (to: number) => (to % 2 === 0 ? length : 0);
    const parts = comm.alltoall(ranks.map((to) => new Float64Array(sizeOf(to)).fill(size * rank + to)));
    const isFrom = (part: Float64Array, from: number) => part.every((value) => value === size * from + rank);
    is(
      'alltoall',
      parts.length === size && parts.every((part, from) => part.length === sizeOf(rank) && isFrom(part, from)),
    );
    const gathered = comm.gather(new Float64Array(length).fill(rank), root);
    const isWhole = (part: Float64Array, from: number) =>
      part.length === length && part.every((value) => value === from);
    is('gather', gathered.length === (rank === root ? size : 0) && gathered.every(isWhole));
    const scattered = comm.scatter(
      rank === root ? ranks.map((to) => new Float64Array(length).fill(to)) : undefined,
      root,
    );
    is('scatter', isWhole(scattered, rank));
    comm.barrier();
  }
  is('minimum', comm.allreduce(rank, 'min') === 0 && comm.allreduce(Float64Array.of(-rank, 3), 'min')[0] === 1 - size);
  is('number', comm.allreduce(rank) === (size * (size - 1)) / 2);
  is('NaN', Number.isNaN(comm.allreduce(rank === 0 ? Number.NaN : 1, 'max')));
  // Rounded differently in any other order than that of the tree.
  const thirds = comm.allreduce(1 / (3 + rank));
  const same = comm.allgather(Float64Array.of(thirds));
  is(
    'the same bits on all ranks',
    same.every((value) => value === thirds),
  );
  findings.about('started reductions');
  for (let turn = 0; turn < 5; turn++) {
    const started = comm.startAllreduce(Float64Array.of(1 / (3 + rank), turn), turn === 3 ? 'max' : 'sum');
    // Other calls may come in between.
    if (turn % 2 === 0) comm.barrier();
    const blocking = comm.allreduce(Float64Array.of(1 / (3 + rank), turn), turn === 3 ? 'max' : 'sum');
    const reduced = started.wait();
    is(
      'the bits of allreduce',
      reduced.every((value, i) => value === blocking[i]),
    );
    is('the same again', started.wait() === reduced);
  }
  const least = comm.startAllreduce(rank + 1, 'min');
  is(
    'one at a time',
    isRefused(() => comm.startAllreduce(1)),
  );
  is('number that was started', least.wait() === 1);
  is(
    'few numbers',
    isRefused(() => comm.startAllreduce(new Float64Array(15))),
  );
  return findings;
}
