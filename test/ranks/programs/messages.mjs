/**
 * Messages from rank to rank. Returns on every rank how many are not as they must be on each, and the errors of wrong calls, in which the rank's own numbers
 * are replaced.
 */
const TYPES = [Float64Array, Float32Array, Uint32Array, Int32Array, Uint8Array];

/** Blocks the thread. */
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

export async function main(comm) {
  const { rank, size } = comm;
  const wrong = [];
  const expect = (name, got, expected) => {
    const isRight = got.constructor === expected.constructor && got.join() === expected.join();
    if (!isRight) wrong.push(name);
  };
  const errorOf = (call) => {
    try {
      call();
      return 'no error';
    } catch (error) {
      return `${error.name} ${error.code}: ${error.message}`;
    }
  };
  const right = (rank + 1) % size;
  const left = (rank + size - 1) % size;
  const from = (sender, k) => [sender, k, 7];

  // All send before any receives; of every type, with a tag that is received in another order.
  TYPES.forEach((type, k) => {
    comm.send(type.from(from(rank, k)), right, k);
  });
  for (let k = TYPES.length - 1; k >= 0; k--)
    expect(`type ${k}`, comm.receive(left, k, TYPES[k]), TYPES[k].from(from(left, k)));

  // The order of messages with the same tag, of which others come in between; and arrays of other lengths, one of them longer than what MPI sends at once.
  const lengths = [3, 0, 1, 300_000, 2];
  lengths.forEach((length, k) => {
    comm.send(new Float64Array(length).fill(rank + k), right, 1);
    comm.send(Float64Array.of(k), right, 2);
  });
  lengths.forEach((length, k) => {
    expect(`order ${k}`, comm.receive(left, 1), new Float64Array(length).fill(left + k));
  });
  expect(
    'tag 2',
    Float64Array.from(lengths, () => comm.receive(left, 2)[0]),
    Float64Array.of(0, 1, 2, 3, 4),
  );

  // The array is copied.
  const mine = Float64Array.of(rank);
  comm.send(mine, right);
  mine[0] = -1;
  expect('copy', comm.receive(left), Float64Array.of(left));

  // A message that comes while the program awaits something else.
  comm.send(mine, right, 3);
  comm.barrier();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect('awaited', comm.receive(left, 3), Float64Array.of(-1));

  // Each to each, this rank included, between calls of all ranks; one rank is late.
  for (let turn = 0; turn < 3; turn++) {
    if (rank === turn % size) sleep(130);
    for (let to = 0; to < size; to++) comm.send(Int32Array.of(rank, to, turn), to, turn);
    comm.barrier();
    for (let of = 0; of < size; of++) expect('all', comm.receive(of, turn, Int32Array), Int32Array.of(of, rank, turn));
    if (comm.allreduce(1) !== size) wrong.push('sum');
  }

  // A number goes around, so all but one rank wait for long.
  if (rank === 0) {
    sleep(250);
    comm.send(Float64Array.of(1), right);
  }
  const [sum] = comm.receive(left);
  if (rank > 0) comm.send(Float64Array.of(sum + 1), right);
  else expect('around', Float64Array.of(sum), Float64Array.of(size));

  // A message of another type stays.
  comm.send(Uint8Array.of(rank), right);
  const errors = [
    errorOf(() => comm.receive(left)).replace(`rank ${left}`, 'LEFT'),
    errorOf(() => comm.send([1], 0)),
    errorOf(() => comm.send(mine, size)).replace(`${size - 1}, got ${size}`, 'LAST, got SIZE'),
    errorOf(() => comm.send(mine, 0, -1)),
    errorOf(() => comm.receive(-1)).replace(`${size - 1}`, 'LAST'),
    errorOf(() => comm.receive(0, 0, Array)),
    errorOf(() => comm.receive(rank, 5)).replace(`rank ${rank}`, 'SELF'),
  ];
  expect('kept', comm.receive(left, 0, Uint8Array), Uint8Array.of(left));
  // Nobody receives this one.
  comm.send(mine, right, 99);
  const counts = comm.allgather(Uint32Array.of(wrong.length));
  return { wrong: [...counts], errors };
}
