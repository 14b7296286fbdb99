/**
 * Sends and receives the messages that `data` lists. Every rank goes through the whole list, with a queue for each pair of ranks and tag as the model, and
 * does its own part. Returns how many messages each rank has received, and how many of them were wrong.
 */
const TYPES = [Float64Array, Float32Array, Uint32Array, Int32Array, Uint8Array];

const block = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** The elements of message `id`. */
const contents = ({ id, length }) => TYPES[id % TYPES.length].from({ length }, (_, i) => (7 * id + i) % 251);

const isEqual = (got, expected) =>
  got.constructor === expected.constructor &&
  got.length === expected.length &&
  got.every((element, i) => element === expected[i]);

export async function main(comm, { steps, left }) {
  const { rank, size } = comm;
  /** Messages that were sent and not received. */
  const queues = new Map();
  let [received, wrong, id] = [0, 0, 0];
  const receive = (place) => {
    const keys = [...queues.keys()];
    if (keys.length === 0) return;
    const key = keys[place % keys.length];
    const [first, ...others] = queues.get(key);
    if (others.length > 0) queues.set(key, others);
    else queues.delete(key);
    const expected = contents(first);
    if (first.to !== rank) return;
    received++;
    if (!isEqual(comm.receive(first.from, first.tag, expected.constructor), expected)) wrong++;
  };
  const make = {
    send: ({ from, to, tag, length }) => {
      const message = { id: id++, from: from % size, to: to % size, tag, length };
      const key = `${message.from} ${message.to} ${tag}`;
      queues.set(key, [...(queues.get(key) ?? []), message]);
      if (message.from === rank) comm.send(contents(message), message.to, tag);
    },
    receive: ({ place }) => receive(place),
    block: ({ rank: of, ms }) => of % size === rank && block(ms),
    pause: ({ rank: of, ms }) => of % size === rank && new Promise((resolve) => setTimeout(resolve, ms)),
    meet: () => comm.barrier(),
  };
  for (const step of steps) await make[step.kind](step);
  const count = () => [...queues.values()].reduce((sum, { length }) => sum + length, 0);
  for (let place = 5; count() > left; place += 7) receive(place);
  const of = (number) => [...comm.allgather(Uint32Array.of(number))];
  return { received: of(received), wrong: of(wrong) };
}
