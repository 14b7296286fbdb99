/**
 * One of three ranks does not do what the others do. `main` returns what a rank got: that there was no error, or the error. Under a launcher, and as a program that
 * joins three ranks, the argument is what rank 1 does, and each rank prints what it got.
 */
import { cg, gallery, joinRanks, partition, rowsOfRank } from 'sparlane';

export async function main(comm, deed) {
  try {
    await deedsOf(comm)[deed]();
    return 'no error';
  } catch (error) {
    return `${error}`;
  }
}

/** Blocks the thread. */
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function deedsOf(comm) {
  const { rank } = comm;
  const matrix = gallery('laplace2d5', { nx: 12, ny: 12 });
  const rows = rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), rank);
  const A = comm.operator(rows);
  const B = comm.operator(rows);
  /** No rank needs elements of another one. */
  const D = comm.operator({
    ...{ firstRow: 4 * rank, rows: 4, cols: 12, rowPtr: [0, 1, 2, 3, 4] },
    colIdx: [0, 1, 2, 3].map((i) => 4 * rank + i),
  });
  const x = comm.vector(A.rows).fill(1);
  const y = comm.vector(A.rows);
  const short = [comm.vector(4).fill(1), comm.vector(4)];
  const norm = comm.scalar();
  const sum = () => y.norm(norm).value;
  const isOther = rank === 1;

  return {
    'skips a product': () => {
      if (!isOther) A.apply(x, y);
      sum();
    },
    'skips the second of three products': () => {
      A.apply(x, y);
      if (!isOther) A.apply(x, y);
      A.apply(x, y);
      sum();
    },
    'multiplies in another order': () => {
      for (const operator of isOther ? [B, A] : [A, B]) operator.apply(x, y);
      sum();
    },
    'multiplies by the transpose': () => {
      const At = A.transposed();
      (isOther ? At : A).apply(x, y);
      sum();
    },
    'skips a product that needs nobody': () => {
      if (!isOther) D.apply(...short);
      sum();
    },
    'makes products that need nobody in another order': () => {
      const E = comm.operator({ firstRow: rank, rows: 1, cols: 3, rowPtr: [0, 1], colIdx: [rank] });
      const one = [comm.vector(1).fill(1), comm.vector(1)];
      const products = [() => D.apply(...short), () => E.apply(...one)];
      for (const product of isOther ? products.reverse() : products) product();
      sum();
    },
    'sums other numbers': () => comm.allreduce(isOther ? new Float64Array(2) : 1),
    'applies no preconditioner': () => {
      const M = comm.precondition(A, 'ic0', { overlap: 1, dtype: 'f64' });
      if (!isOther) M.apply(x, y);
      sum();
    },
    'solves instead': () => {
      if (isOther) cg(A, x);
      else comm.precondition(A, 'ic0');
    },
    'stops its solve': () => cg(A, x, { onStep: ({ iteration }) => !(isOther && iteration === 2) }),
    'goes on after an error of its own': () => {
      if (!isOther) A.apply(x, y);
      else
        try {
          A.apply(comm.vector(1), y);
        } catch (error) {
          if (!error.message.startsWith('x: expected length')) throw error;
        }
      sum();
    },
    'ends during a product': () => {
      if (isOther) return;
      A.apply(x, y);
      A.apply(x, y);
    },
    'ends during a sum': () => {
      if (!isOther) sum();
    },
    'is rank 0, and ends': () => {
      if (rank === 0) return;
      A.apply(x, y);
      sum();
    },
    'catches the error, and stays': async () => {
      try {
        if (!isOther) A.apply(x, y);
        sum();
      } catch (error) {
        // The other ranks must learn of the error while this rank neither ends nor waits for them.
        if (isOther) await new Promise((resolve) => setTimeout(resolve, 4000));
        throw error;
      }
    },
    'waits for a message that nobody sends': () => {
      if (isOther) comm.receive(0);
      sum();
    },
    'waits for a message instead of a product': () => {
      if (isOther) comm.receive(2, 7);
      else A.apply(x, y);
      sum();
    },
    'waits for a message of its neighbour, as all do': () => comm.receive((rank + 1) % 3),
    'waits for a rank that waits for a message of the next': () => {
      if (rank > 0) comm.receive((rank + 1) % 3);
      sum();
    },
    'ends before it sends': () => {
      if (!isOther) comm.receive(1);
    },
    'sends with another tag': () => {
      if (isOther) comm.send(new Float64Array(1), 0, 1);
      if (rank === 0) comm.receive(1);
      sum();
    },
    'waits in a product until its elements have left': () => {
      // Rank 0 needs all elements of rank 1, which needs none: a message that MPI does not send before somebody receives it.
      const [mine, all] = [100_000, 300_000];
      const rowPtr = Int32Array.from({ length: mine + 1 }, (_, i) => (rank === 0 ? i : 0));
      const colIdx = Int32Array.from({ length: rowPtr[mine] }, (_, i) => mine + i);
      const F = comm.operator({ firstRow: mine * rank, rows: mine, cols: all, rowPtr, colIdx });
      const long = [comm.vector(mine).fill(1), comm.vector(mine)];
      if (rank === 0) comm.receive(1);
      F.apply(...long);
      if (isOther) comm.send(new Float64Array(1), 0);
      sum();
    },
    'waits for a reader that waits for another rank': () => {
      // Rank 2 needs the elements of both other ranks, which need none. Rank 1 has no room for a third turn before rank 2 has read the first one.
      const needs = rank === 2 ? [0, 1] : [];
      const F = comm.operator({ firstRow: rank, rows: 1, cols: 3, rowPtr: [0, needs.length], colIdx: needs });
      const one = [comm.vector(1).fill(1), comm.vector(1)];
      if (rank === 0) comm.receive(1);
      for (let turn = 0; turn < 3; turn++) F.apply(...one);
      if (isOther) comm.send(new Float64Array(1), 0);
      sum();
    },
    'starts another sum': () => {
      const started = isOther ? comm.startAllreduce(new Float64Array(3)) : comm.startAllreduce(1);
      started.wait();
    },
    'starts no sum': () => {
      if (isOther) sum();
      const started = comm.startAllreduce(1);
      if (!isOther) sum();
      started.wait();
      sum();
    },
    'skips a product after the start of a sum': () => {
      const started = comm.startAllreduce(1);
      if (!isOther) A.apply(x, y);
      started.wait();
      sum();
    },
    'waits for no result': () => {
      const started = comm.startAllreduce(1);
      if (!isOther) started.wait();
      sum();
    },
    'waits in a group for a rank that waits for a result': () => {
      const group = comm.split(rank < 2 ? 0 : undefined);
      if (isOther) group.barrier();
      comm.startAllreduce(1).wait();
    },
    'sums in a group instead': () => {
      const group = comm.split(rank < 2 ? 0 : undefined);
      if (isOther) group.allreduce(1);
      sum();
    },
    'makes another call in a group': () => {
      const group = comm.split(rank > 0 ? 3 : undefined);
      if (isOther) group.barrier();
      else group?.allreduce(1);
      sum();
    },
    'skips a product of a group': () => {
      const group = comm.split(rank < 2 ? 0 : undefined);
      const own = group && { firstRow: group.rank, rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1] };
      const C = own && group.operator(own);
      if (rank === 0) C.apply(group.vector(1), group.vector(1));
      sum();
    },
    'makes another product of a group': () => {
      // A rank needs elements of the other one for C alone.
      const group = comm.split(rank < 2 ? 0 : undefined);
      const rows = { firstRow: group?.rank, rows: 1, cols: 2 };
      const C = group?.operator({ ...rows, rowPtr: [0, 2], colIdx: [0, 1] });
      const D = group?.operator({ ...rows, rowPtr: [0, 1], colIdx: [group.rank] });
      (isOther ? D : C)?.apply(group.vector(1), group.vector(1));
      sum();
    },
    'waits for a message of a group': () => {
      const group = comm.split(0, -rank);
      if (isOther) group.receive(0, 4);
      sum();
    },
    'waits in a group for a rank that waits in the next one, as all do': () => {
      const groups = [0, 1, 2].map((out) => comm.split(rank === out ? undefined : 0));
      groups[(rank + 2) % 3].barrier();
    },
    'waits in a group for a rank that waits for a message of the next': () => {
      const groups = [0, 1, 2].map((out) => comm.split(rank === out ? undefined : 0));
      if (rank === 0) comm.receive(1);
      else groups[(rank + 2) % 3].barrier();
    },
    'ends before the sum of a group': () => {
      const group = comm.split(rank < 2 ? 0 : undefined);
      if (isOther) return;
      group?.allreduce(1);
      sum();
    },
    'is late': () => {
      for (let step = 0; step < 3; step++) {
        if (step === rank) sleep(400);
        A.apply(x, y);
        if (step === rank) sleep(400);
        sum();
      }
    },
  };
}

const [, , argument] = process.argv;
if (argument !== undefined) {
  const comm = await joinRanks({ ranks: 3, threads: 1 });
  process.stdout.write(`rank ${comm.rank}: ${await main(comm, argument)}\n`);
}
