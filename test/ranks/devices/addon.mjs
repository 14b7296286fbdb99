/**
 * A CUDA addon that is none, for ranks: devices whose memory is shared memory, and queues that are threads (`queue.mjs`), so that operations
 * are as late as on a device. It has vectors, scalars, recordings, what threads hand each other, and products of `csr`.
 */
import { BroadcastChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { HEADERS } from '#dist/backends/cuda/headers.js';
import { TICKET } from '#dist/backends/device-peers.js';

const DEVICES = Number(process.env.DEVICES ?? 3);
const info = { name: 'none', memoryBytes: 2 ** 30, l2Bytes: 2 ** 20, capability: 9, multiprocessors: 1 };
/** Whether devices reach each other: as the program of the ranks says. */
const isLinked = process.env.DEVICES_ARE_LINKED !== 'no';

const objects = new Map();
let last = 0;
const add = (object) => {
  objects.set(++last, object);
  return last;
};
const find = (number) => {
  const found = objects.get(number);
  if (found === undefined) throw Object.assign(new Error(`no object ${number}`), { code: 'argument' });
  return found;
};
const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

class Queue {
  #worker;
  #sent = 0;
  #done = new Int32Array(new SharedArrayBuffer(4));
  place;
  /** A list of functions is recorded instead of sent; queues of the same device that wait for each other take part in it. */
  recording;
  /** Dot products are added over ranks by these frames; undefined: they are not. */
  ranks;

  constructor(place) {
    this.place = place;
    this.#worker = new Worker(new URL('./queue.mjs', import.meta.url), { workerData: this.#done });
    this.#worker.unref();
  }

  push(kind, operation) {
    this.recordOrDo(() => this.send(kind, operation));
  }

  recordOrDo(call) {
    if (this.recording === undefined) {
      call();
      return;
    }
    this.recording.calls.push(call);
    if (this.recording.queue !== this) this.recording.unjoined.add(this);
  }

  send(kind, operation) {
    this.#sent++;
    this.#worker.postMessage({ kind, ...operation });
  }

  refuseRecording(what) {
    if (this.recording === undefined) return;
    const message = `recording: expected an operation on the device, got ${what}`;
    throw Object.assign(new Error(message), { code: 'argument' });
  }

  /** Operations from now on wait for those of another queue so far. */
  after(other) {
    if (this.place !== other.place) throw new Error('a rank waits for the queue of another device');
    if (other.recording === undefined) this.refuseRecording('another queue');
    this.recording ??= other.recording;
    this.recording?.queues.add(this);
    this.recordOrDo(() => {
      const happened = new Int32Array(new SharedArrayBuffer(4));
      other.send('signal', { happened });
      this.send('await', { happened });
    });
    if (this.recording?.queue === this) this.recording.unjoined.delete(other);
  }

  begin() {
    this.refuseRecording('another recording');
    this.recording = { queue: this, calls: [], queues: new Set([this]), unjoined: new Set() };
  }

  /** @returns the calls of a launch */
  end() {
    const { calls, queues, unjoined } = this.recording;
    for (const queue of queues) queue.recording = undefined;
    if (unjoined.size > 0) throw new Error('a recording does not wait for all its queues');
    return calls;
  }

  wait() {
    this.refuseRecording('a wait');
    for (let done = Atomics.load(this.#done, 0); done < this.#sent; done = Atomics.load(this.#done, 0))
      if (Atomics.wait(this.#done, 0, done, 20_000) === 'timed-out') throw new Error('a queue does not go on');
  }

  close() {
    void this.#worker.terminate();
  }
}

/** Objects that other threads have offered, by the number at the begin of a ticket. */
const channel = new BroadcastChannel('devices that are none');
channel.unref();
const offered = new Map();
const offer = (object) => {
  const ticket = new Uint32Array(TICKET / 4);
  ticket[0] = Math.floor(Math.random() * 2 ** 31);
  channel.postMessage({ ticket: ticket[0], object });
  return new Uint8Array(ticket.buffer);
};
const take = (bytes) => {
  const [ticket] = new Uint32Array(bytes.slice().buffer);
  for (let next = receiveMessageOnPort(channel); next !== undefined; next = receiveMessageOnPort(channel))
    offered.set(next.message.ticket, next.message.object);
  const object = offered.get(ticket);
  if (object === undefined) throw Object.assign(new Error(`no ticket ${ticket}`), { code: 'argument' });
  offered.delete(ticket);
  return object;
};

/** A vector as a queue gets it. */
const memory = (number) => {
  const { bytes } = find(number);
  return bytes;
};
const factor = (slot, times) => ({ slot: slot === 0 ? undefined : memory(slot), times });
const queueOf = (number) => find(number).queue;

const addon = {
  status: () => ({
    ...{ driver: 13000, runtime: 13000, outcome: 0, headers: process.env.HEADERS_OF_ADDON ?? HEADERS },
    devices: Array.from({ length: DEVICES }, () => info),
  }),
  kernels: () => [{ base: 'csr', verb: 'spmv', methods: [{ name: 'stream', parameters: [], atomic: false }] }],
  collect() {},
  open: (place) => add({ queue: new Queue(place), isContext: true }),
  release(number) {
    const object = find(number);
    objects.delete(number);
    if (object.isContext) object.queue.close();
  },
  synchronize: (context) => queueOf(context).wait(),
  memory: () => ({ freeBytes: 2 ** 30, totalBytes: 2 ** 30 }),
  ...{ trim() {}, pin() {}, unpin() {}, adviseHugePages() {}, lend() {} },
  vector(context, bytes) {
    const queue = queueOf(context);
    queue.refuseRecording('an allocation');
    return add({ queue, bytes: new Uint8Array(new SharedArrayBuffer(bytes)).fill(255) });
  },
  slice(vector, offset, bytes) {
    const { queue, bytes: whole } = find(vector);
    return add({ queue, bytes: whole.subarray(offset, offset + bytes) });
  },
  upload(vector, offset, source) {
    queueOf(vector).refuseRecording('an upload');
    queueOf(vector).push('copy', { to: memory(vector).subarray(offset), from: bytesOf(source).slice() });
  },
  download(vector, offset, target) {
    queueOf(vector).refuseRecording('a download');
    const arrived = new Uint8Array(new SharedArrayBuffer(target.byteLength));
    queueOf(vector).push('copy', { to: arrived, from: memory(vector).subarray(offset, offset + target.byteLength) });
    queueOf(vector).wait();
    bytesOf(target).set(arrived);
  },
  clear(vector, bytes) {
    queueOf(vector).refuseRecording('a fill');
    queueOf(vector).push('fill', { to: memory(vector).subarray(0, bytes) });
  },
  after: (context, other) => queueOf(context).after(queueOf(other)),
  link: () => isLinked,
  copy(target, targetOffset, source, sourceOffset, bytes) {
    if (queueOf(target) !== queueOf(source)) throw new Error('the copy of a rank waits for another queue');
    const from = memory(source).subarray(sourceOffset, sourceOffset + bytes);
    queueOf(target).push('copy', { to: memory(target).subarray(targetOffset), from });
  },
  scatter: (width, length, y, x, order) =>
    queueOf(y).push('scatter', { width, length, y: memory(y), x: memory(x), places: memory(order) }),
  copyStrided: (width, length, y, yOffset, yStride, x, xOffset, xStride) =>
    queueOf(y).push('copyStrided', { width, length, y: memory(y), yOffset, yStride, x: memory(x), xOffset, xStride }),
  dot(width, x, y, slot) {
    const queue = queueOf(slot);
    queue.push('dot', { width, x: memory(x), y: memory(y), slot: memory(slot), ranks: queue.ranks });
  },
  multiply: (width, d, x, y) => queueOf(y).push('multiply', { width, d: memory(d), x: memory(x), y: memory(y) }),
  axpby: (width, a, aTimes, x, b, bTimes, y) =>
    queueOf(y).push('axpby', { width, a: factor(a, aTimes), x: memory(x), b: factor(b, bTimes), y: memory(y) }),
  compute: (operation, a, aTimes, b, bTimes, slot) =>
    queueOf(slot).push('compute', { operation, a: factor(a, aTimes), b: factor(b, bTimes), slot: memory(slot) }),
  /** No room, so the team transposes. */
  transpose() {
    throw Object.assign(new Error('no room'), { code: 'heap' });
  },
  recordBegin(context) {
    if (!isLinked) throw new Error('ranks that meet on the host record no graph');
    queueOf(context).begin();
  },
  recordEnd: (context) => add({ calls: queueOf(context).end() }),
  launch(graph) {
    for (const call of find(graph).calls) call();
  },
  plan(context, { base, verb }, dtype, heap, header) {
    if (base !== 'csr' || verb !== 'spmv') throw new Error(`no kernel ${base} ${verb}`);
    const [rows, , nnz, , rowPtr, colIdx, values] = new Uint32Array(heap.buffer, header, 7);
    const valueBytes = dtype === 0 ? 8 : 4;
    const copy = (offset, bytes) => copied(heap, offset, bytes);
    const matrix = {
      rows,
      rowPtr: copy(rowPtr, 4 * (rows + 1)),
      colIdx: copy(colIdx, 4 * nnz),
      // Values that are not stored are 1.
      values: values === 0 ? undefined : copy(values, valueBytes * nnz),
      valueBytes,
      width: dtype === 1 ? 4 : 8,
    };
    return { plan: add({ queue: queueOf(context), matrix }), bytes: 0, method: 'stream' };
  },
  run(plan, x, y, alpha, beta) {
    const { queue, matrix } = find(plan);
    queue.push('product', { matrix, x: memory(x), y: memory(y), alpha, beta });
  },
  identity: (place) => Uint8Array.of(1 + place),
  reaches: (place, [other]) => 1 + place === other || isLinked,
  sharedVector(context, bytes) {
    const made = addon.vector(context, bytes);
    addon.clear(made, bytes);
    return made;
  },
  offerVector: (vector) => offer({ bytes: memory(vector) }),
  takeVector: (_, ticket) => add(take(ticket)),
  pick: (width, length, y, x, places) =>
    queueOf(y).push('pick', { width, length, y: memory(y), x: memory(x), places: memory(places) }),
  addAt: (width, length, y, x, places) =>
    queueOf(y).push('addAt', { width, length, y: memory(y), x: memory(x), places: memory(places) }),
  push(width, turns, x, places, ends, frames) {
    const operation = { width, turns: memory(turns), x: memory(x), places: memory(places), ends: [...ends] };
    queueOf(turns).push('push', { ...operation, frames: [...frames].map(memory) });
  },
  take(width, turns, y, length, even, odd) {
    const operation = { width, turns: memory(turns), y: memory(y), length, frames: [even, odd].map(memory) };
    queueOf(turns).push('take', operation);
  },
  joinRanks(context, frames, rank) {
    queueOf(context).ranks = { frames: [...frames].map(memory), rank, count: new Int32Array(new SharedArrayBuffer(4)) };
  },
};

function copied(heap, offset, bytes) {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes));
  copy.set(heap.subarray(offset, offset + bytes));
  return copy;
}

export const loadAddon = () => addon;
