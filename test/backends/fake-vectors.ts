/** What a device that is none does with vectors and scalars, and how it records: `fake-csr.ts` has its products. */
import type { CudaAddon } from '#dist/backends/cuda/addon.js';

type VectorAddon = Pick<
  CudaAddon,
  | 'dot'
  | 'axpby'
  | 'multiply'
  | 'scatter'
  | 'copyStrided'
  | 'compute'
  | 'recordBegin'
  | 'recordEnd'
  | 'launch'
  | 'release'
>;

export interface FakeVectors {
  readonly addon: VectorAddon;
  /** Does the work, or records it. What it uses must have been looked up: blocks may be released before it is done. */
  queue(work: () => void): void;
  /** @throws an error of the addon during a recording */
  refuseRecording(what: string): void;
}

const COMPUTE: readonly ((a: number, b: number) => number)[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => a * b,
  (a, b) => a / b,
  (a) => Math.sqrt(a),
];

/** @param bytesOf a block @param number a new object's */
export function fakeVectors(bytesOf: (block: number) => Uint8Array, number: () => number): FakeVectors {
  const graphs = new Map<number, readonly (() => void)[]>();
  let recorded: (() => void)[] | undefined;

  const refuseRecording = (what: string) => {
    if (recorded !== undefined) throw Object.assign(new Error(`${what} is recorded`), { code: 'argument' });
  };
  const queue = (work: () => void) => {
    if (recorded === undefined) work();
    else recorded.push(work);
  };
  const elements = (width: number, block: number) => {
    const { buffer, byteOffset, byteLength } = bytesOf(block);
    const length = byteLength / width;
    return width === 4 ? new Float32Array(buffer, byteOffset, length) : new Float64Array(buffer, byteOffset, length);
  };
  const factor = (slot: number, times: number) => {
    const numbers = slot === 0 ? Float64Array.of(1) : elements(8, slot);
    return () => times * numbers[0]!;
  };

  const addon: VectorAddon = {
    dot(width, x, y, slot) {
      const [xs, ys, result] = [elements(width, x), elements(width, y), elements(8, slot)];
      queue(() => {
        let sum = 0;
        for (let i = 0; i < xs.length; i++) sum += xs[i]! * ys[i]!;
        result[0] = sum;
      });
    },
    axpby(width, aSlot, aTimes, x, bSlot, bTimes, y) {
      const [xs, ys] = [elements(width, x), elements(width, y)];
      const [a, b] = [factor(aSlot, aTimes), factor(bSlot, bTimes)];
      queue(() => {
        const [alpha, beta] = [a(), b()];
        for (let i = 0; i < xs.length; i++) ys[i] = beta === 0 ? alpha * xs[i]! : alpha * xs[i]! + beta * ys[i]!;
      });
    },
    multiply(width, d, x, y) {
      const [ds, xs, ys] = [elements(width, d), elements(width, x), elements(width, y)];
      queue(() => {
        for (let i = 0; i < xs.length; i++) ys[i] = ds[i]! * xs[i]!;
      });
    },
    scatter(width, length, y, x, order) {
      const [xs, ys] = [elements(width, x), elements(width, y)];
      const places = new Uint32Array(bytesOf(order).slice().buffer);
      queue(() => {
        for (let i = 0; i < length; i++) ys[places[i]!] = xs[i]!;
      });
    },
    copyStrided(width, length, y, yOffset, yStride, x, xOffset, xStride) {
      const [xs, ys] = [elements(width, x), elements(width, y)];
      queue(() => {
        for (let i = 0; i < length; i++) ys[yOffset + i * yStride] = xs[xOffset + i * xStride]!;
      });
    },
    compute(operation, aSlot, aTimes, bSlot, bTimes, slot) {
      const [a, b, result] = [factor(aSlot, aTimes), factor(bSlot, bTimes), elements(8, slot)];
      queue(() => {
        result[0] = COMPUTE[operation]!(a(), b());
      });
    },
    recordBegin() {
      refuseRecording('a recording');
      recorded = [];
    },
    recordEnd() {
      const graph = number();
      graphs.set(graph, recorded!);
      recorded = undefined;
      return graph;
    },
    launch(graph) {
      for (const work of graphs.get(graph)!) work();
    },
    release: (object) => void graphs.delete(object),
  };
  return { addon, queue, refuseRecording };
}
