/** Groups of ranks. Returns on every rank what was not as it must be on each, and the errors of wrong calls on rank 0. */
import { cg, gallery, partition, rowsOfRank } from 'sparlane';

export function main(comm) {
  const { rank, size } = comm;
  const wrong = [];
  const expect = (name, got, expected) => {
    if (JSON.stringify(got) !== JSON.stringify(expected)) wrong.push(`${name} on rank ${rank}: ${JSON.stringify(got)}`);
  };
  const errors = [];
  const refuse = (call) => {
    try {
      call();
      errors.push('no error');
    } catch (error) {
      errors.push(`${error.code}: ${error.message}`);
    }
  };

  // The last rank comes first.
  const parity = rank % 2;
  const mates = Array.from({ length: size }, (_, r) => r).filter((r) => r % 2 === parity);
  const group = comm.split(parity, -rank);
  expect('members', [group.rank, group.size], [mates.length - 1 - mates.indexOf(rank), mates.length]);
  expect('order', [...group.allgather(Int32Array.of(rank))], mates.toReversed());

  // Groups make as many calls as they like, and all ranks go on together.
  const count = parity === 0 ? 3 : 40;
  for (let i = 0; i < count; i++) expect('sum', group.allreduce(rank + i), sumOf(mates) + i * mates.length);
  expect('sum of all', comm.allreduce(1), size);

  // A rank without a group, a group of a group, and one of one rank.
  const others = comm.split(rank === 0 ? undefined : 7);
  expect('no group', others?.size, rank === 0 ? undefined : size - 1);
  const within = others?.split(0, others.rank === 0 ? 1 : 0);
  expect('group of a group', within?.rank, rank === 0 ? undefined : (rank + size - 3) % (size - 1));
  expect('ranks of it', within && [...within.allgather(Int32Array.of(rank))].length, rank === 0 ? undefined : size - 1);
  const alone = comm.split(rank);
  alone.send(Float64Array.of(5), 0);
  expect('alone', [alone.transport, alone.allreduce(3), alone.receive(0)[0]], ['alone', 3, 5]);

  // Messages of a group are not those of all, of the same ranks and the same tag.
  const whole = comm.split(0);
  const [right, left] = [(rank + 1) % size, (rank + size - 1) % size];
  comm.send(Float64Array.of(1), right);
  whole.send(Float64Array.of(2), right);
  expect('messages', [whole.receive(left)[0], comm.receive(left)[0]], [2, 1]);

  // Each group solves a system of its own.
  const matrix = gallery('laplace2d5', { nx: 8 + parity, ny: 8 });
  const A = group.operator(rowsOfRank(matrix, partition(matrix, group.size, { order: 'natural' }), group.rank));
  const M = group.precondition(A, 'ic0');
  const b = group.vector(A.rows).fill(1);
  const { x, converged } = cg(A, b, { preconditioner: M });
  const r = group.vector(A.rows);
  A.apply(x, r);
  r.axpby(1, b, -1);
  expect('solve', [converged, r.norm(group.scalar()).value < 1e-7], [true, true]);
  expect('solved', comm.allreduce(converged ? 1 : 0), size);

  // An error of one rank is one of its group, with its rank there.
  let error = 'none';
  try {
    group.together(() => {
      if (rank === 0) throw new RangeError('boom');
    });
  } catch ({ name, message }) {
    error = `${name}: ${message}`;
  }
  expect('together', error, parity === 0 ? `RangeError: rank ${group.size - 1}: boom` : 'none');
  expect('after it', comm.allreduce(1), size);

  refuse(() => comm.split(-1));
  refuse(() => comm.split(0, 0.5));
  group.dispose();
  refuse(() => group.barrier());
  expect('after all', comm.allreduce(2), 2 * size);
  const told = new TextDecoder().decode(comm.allgather(new TextEncoder().encode(wrong.join('; '))));
  return { wrong: told, errors };
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}
