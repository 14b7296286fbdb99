/**
 * Makes the calls that `data` lists, on each rank, and tells what they gave or the error. Rank `deviation.rank` makes others from some place on. Under a
 * launcher, the data is the argument, and each rank prints what it tells.
 */
import { cg, gallery, joinRanks, partition, rowsOfRank } from 'sparlane';

export function main(comm, { calls, deviation }) {
  const make = callsOf(comm);
  const got = [];
  const mine = comm.rank === deviation?.rank ? deviated(calls, deviation) : calls;
  try {
    for (const [name, argument] of mine) {
      if (name === 'end') return { got };
      got.push(make[name](argument) ?? null);
    }
    comm.barrier();
    return { got };
  } catch (error) {
    return { got, error: `${error}` };
  }
}

/** The calls of the rank that deviates. */
function deviated(calls, { at, kind, call }) {
  const [before, present, after] = [calls.slice(0, at), calls.slice(at, at + 1), calls.slice(at + 1)];
  if (kind === 'skip') return [...before, ...after];
  if (kind === 'insert') return [...before, call, ...present, ...after];
  if (kind === 'replace') return [...before, call, ...after];
  if (kind === 'swap') return [...before, ...after.slice(0, 1), ...present, ...after.slice(1)];
  return [...before, ['end']];
}

function callsOf(comm) {
  const { rank, size } = comm;
  const matrix = gallery('convection2d', { nx: 6, ny: 6 });
  const even = partition(matrix, size, { order: 'natural' });
  const [A, B] = [0, 1].map(() => comm.operator(rowsOfRank(matrix, even, rank), { format: 'csr', ghostFormat: 'csr' }));
  const own = { firstRow: rank, rows: 1, cols: size, rowPtr: [0, 1], colIdx: [rank], values: [2] };
  const products = [A, B, A.transposed(), comm.operator(own)];
  const definite = gallery('laplace2d5', { nx: 6, ny: 6 });
  const S = comm.operator(rowsOfRank(definite, partition(definite, size, { order: 'natural' }), rank));
  const vectors = products.map(({ rows }) => [comm.vector(rows).fill(1), comm.vector(rows)]);
  const b = comm.vector(S.rows).fill(1);
  // Every group has two ranks at least; those of the last two overlap.
  const pair = (place) => Math.min(place >> 1, (size >> 1) - 1);
  const groups = [comm.split(0, -rank), comm.split(pair(rank)), comm.split(pair((rank + 1) % size))];
  return {
    product: (i) => {
      products[i].apply(...vectors[i]);
      vectors[i][0].copyFrom(vectors[i][1]).scale(0.25);
    },
    norm: (i) => vectors[i][1].fill(i).norm(comm.scalar()).value,
    sum: (count) => [...comm.allreduce(new Float64Array(count).fill(rank))],
    gather: (count) => [...comm.allgather(new Uint32Array(count).fill(rank))],
    alltoall: (count) =>
      comm
        .alltoall(Array.from({ length: size }, () => new Float64Array(count).fill(rank)))
        .flatMap((part) => [...part]),
    broadcast: (root) => [...comm.broadcast(Uint8Array.of(rank), root % size)],
    solve: (maxIterations) => cg(S, b, { maxIterations }).iterations,
    together: () => comm.together(() => 1),
    pass: (k) => {
      const step = 1 + (k % (size - 1));
      const from = (rank + step) % size;
      comm.send(Uint32Array.of(rank, k), (rank + size - step) % size, k);
      const [sender, what] = comm.receive(from, k, Uint32Array);
      return [sender === from, what];
    },
    started: (k) => {
      const sum = comm.startAllreduce(rank + k);
      if (k > 0) products[k].apply(...vectors[k]);
      if (k === 2) comm.barrier();
      return sum.wait();
    },
    part: (k) => groups[k].allreduce(1) === groups[k].size,
    split: (color) => comm.split(color, -rank).rank + rank,
    receive: (k) => comm.receive((rank + 1 + (k % (size - 1))) % size, 9),
    late: (ms) => {
      if (rank === ms % size) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    },
  };
}

const [, , argument] = process.argv;
if (argument !== undefined) {
  const comm = await joinRanks({ threads: 1 });
  process.stdout.write(`rank ${comm.rank}: ${JSON.stringify(main(comm, JSON.parse(argument)))}\n`);
}
