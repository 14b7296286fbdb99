/**
 * An engine on a fake device: products of one matrix, in any format, are computed here, and the clock returns
 * prescribed times. For testing the code around the kernels; `sparlane selftest --device cuda` tests the kernels on a
 * GPU.
 */
import type { CudaAddon } from '#dist/backends/cuda/addon.js';
import { CudaDevice } from '#dist/backends/cuda/device.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { engineOn } from './engine-on.js';

export const FAKE_GPU = 'Fake GPU';

/** The plan of the kernel chose among these methods. */
const ESTIMATES = [
  { method: 'vector', ns: 7100 },
  { method: 'stream', ns: 8230 },
];

/** Milliseconds of a product, of a read of memory, of gathers. */
export interface FakeClock {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly readMs: number;
  readonly gatherMs: number;
}

export async function createFakeEngine(matrix: CsrMatrix, clock: FakeClock): Promise<Engine> {
  const info = { name: FAKE_GPU, memoryBytes: 2 ** 34, l2Bytes: 2 ** 20, capability: 9, multiprocessors: 1 };
  const device = new CudaDevice(fakeAddon(matrix, clock) as unknown as CudaAddon, 0, info);
  return engineOn(device);
}

/** What the command line uses of an addon. Vectors are of f64. */
function fakeAddon(matrix: CsrMatrix, { coldMs, warmMs, readMs, gatherMs }: FakeClock) {
  const vectors = new Map<number, Float64Array>();
  let objects = 0;
  let isCold = false;
  let elapsedMs = 0;
  const nothing = () => {};
  return {
    kernels: () =>
      ['csr', 'dia'].map((base) => {
        return { base, verb: 'spmv', methods: [{ name: 'vector', parameters: ['width'], atomic: false }] };
      }),
    ...{ open: () => ++objects, release: nothing },
    ...{ synchronize: nothing, trim: nothing, pin: nothing, unpin: nothing, clear: nothing, mark: nothing },
    ...{
      vector: () => ++objects,
      plan: () => ({ plan: ++objects, bytes: 0, method: 'vector?width=8', estimates: ESTIMATES }),
    },
    upload: (vector: number, _: number, source: Float64Array) => void vectors.set(vector, source.slice()),
    download: (vector: number, _: number, target: Float64Array) => target.set(vectors.get(vector)!),
    prepare: (_: number, flushBytes: number) => {
      isCold = flushBytes > 0;
    },
    read: () => {
      elapsedMs = readMs;
    },
    gather: () => {
      elapsedMs = gatherMs;
    },
    run: (_: number, x: number, y: number) => {
      elapsedMs = isCold ? coldMs : warmMs;
      vectors.set(y, product(matrix, vectors.get(x)!));
    },
    elapsed: () => elapsedMs,
  };
}

function product({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array): Float64Array {
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[i]! += values[k]! * x[colIdx[k]!]!;
  }
  return y;
}
