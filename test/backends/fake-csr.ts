/**
 * A fake device: blocks of its memory are entries of an array, and its plans of `csr` and `csrk` (`csrk?index=16`, too), and of complex `csr`, in f64 compute here,
 * as their headers define: products, with both `csr` also of blocks of vectors, with the real one transposed; and triangular solves. For testing the code around the kernels; `sparlane selftest --device cuda` tests the kernels
 * on a GPU.
 */
import type { KernelMethod } from '#dist/backends/backend.js';
import type { CudaAddon } from '#dist/backends/cuda/addon.js';
import { CudaDevice } from '#dist/backends/cuda/device.js';
import { transposedEntries } from '#dist/core/transpose.js';
import { CSRK_HEADER } from '#dist/formats/csrk/csrk.js';
import { placeOf, wordsOf } from '#dist/memory/header.js';
import { complexProductOf, complexUnaryOf } from './fake-complex.js';
import { solveOf } from './fake-triangles.js';
import { fakeVectors } from './fake-vectors.js';

/** `stride`: elements from one row of a block of vectors to the next; 1 for vectors. */
type Product = (x: Float64Array, y: Float64Array, alpha: number, beta: number, stride: number) => void;

export interface FakeCsr {
  readonly device: CudaDevice;
  /** Vectors and plans that have not been released. */
  objects(): number;
}

const plain = (name: string): KernelMethod => ({ name, parameters: [], atomic: false });
const STREAM: KernelMethod = { ...plain('stream'), parameters: ['run'] };

/** `spoil` may change y after a product; `onPlan` sees the heap and the header of every plan. */
export function fakeCsrDevice(
  spoil?: (y: Float64Array) => unknown,
  onPlan?: (heap: ArrayBufferLike, header: number) => void,
): FakeCsr {
  const [device] = fakeCsrDevices(1, false, spoil, onPlan);
  return device!;
}

/** Several devices over one memory. @param linked whether each can use the blocks of another one in place */
export function fakeCsrDevices(
  count: number,
  linked: boolean,
  spoil: (y: Float64Array) => unknown = () => {},
  onPlan: (heap: ArrayBufferLike, header: number) => void = () => {},
): readonly FakeCsr[] {
  const blocks = new Map<number, Uint8Array>();
  const plans = new Map<number, Product>();
  let last = 0;
  const numbers = (block: number) => {
    const { buffer, byteOffset, byteLength } = blocks.get(block)!;
    return new Float64Array(buffer, byteOffset, byteLength / 8);
  };
  const indices = (block: number) => new Uint32Array(blocks.get(block)!.buffer);
  const vectors = fakeVectors(
    (block) => blocks.get(block)!,
    () => ++last,
  );
  const addon: Partial<CudaAddon> = {
    ...vectors.addon,
    kernels: () => [
      { base: 'csr', verb: 'spmv', methods: [STREAM] },
      { base: 'csr', verb: 'spmm', methods: [plain('strips')] },
      { base: 'csr', verb: 'spmv_t', methods: [{ ...plain('atomic'), atomic: true }] },
      { base: 'complex_csr', verb: 'spmv', methods: [plain('packed')] },
      { base: 'complex_csr', verb: 'spmm', methods: [plain('strips')] },
      { base: 'complex', verb: 'unary', methods: [plain('element')] },
      { base: 'triangles', verb: 'trsv', methods: [plain('stages')] },
      { base: 'csrk', verb: 'spmv', methods: [STREAM, ...['gpuspmv', 'gpuspmv3', 'gpuspmv3_5'].map(plain)] },
    ],
    open: () => ++last,
    release(object) {
      vectors.addon.release(object);
      blocks.delete(object);
      plans.delete(object);
    },
    synchronize: () => vectors.refuseRecording('a wait'),
    ...{ pin: () => {}, unpin: () => {}, prepare: () => {}, mark: () => {}, elapsed: () => 0.5 },
    vector(_, bytes) {
      vectors.refuseRecording('an allocation');
      blocks.set(++last, new Uint8Array(bytes));
      return last;
    },
    upload(vector, offset, source) {
      vectors.refuseRecording('an upload');
      blocks.get(vector)!.set(bytesOf(source), offset);
    },
    download(vector, offset, target) {
      vectors.refuseRecording('a download');
      bytesOf(target).set(blocks.get(vector)!.subarray(offset, offset + target.byteLength));
    },
    clear(vector, bytes) {
      vectors.refuseRecording('a fill');
      blocks.get(vector)!.fill(0, 0, bytes);
    },
    transpose(_, rows, cols, nnz, rowPtr, colIdx, values, ptr, idx, moved) {
      vectors.refuseRecording('a transposition');
      const arrays = { rowPtr: indices(rowPtr), colIdx: indices(colIdx).subarray(0, nnz), values: numbers(values) };
      const found = transposedEntries({ rows, cols, nnz, ...arrays });
      indices(ptr).set(found.ptr);
      indices(idx).set(found.idx);
      numbers(moved).set(found.values);
    },
    lend: () => {},
    slice(vector, offset, bytes) {
      blocks.set(++last, blocks.get(vector)!.subarray(offset, offset + bytes));
      return last;
    },
    link: () => linked,
    after: () => {},
    copy(target, targetOffset, source, sourceOffset, bytes) {
      const [to, from] = [blocks.get(target)!, blocks.get(source)!];
      to.set(from.subarray(sourceOffset, sourceOffset + bytes), targetOffset);
    },
    plan(_context, kernel, _dtype, heap, header, method) {
      vectors.refuseRecording('an allocation');
      onPlan(heap.buffer, header);
      const ofPairs = kernel.base === 'complex_csr' ? complexProductOf : undefined;
      const byVerb = { spmv_t: scatterOf, trsv: solveOf, unary: complexUnaryOf }[kernel.verb as string];
      const made: (heap: ArrayBufferLike, header: number, columns: 16 | 32) => Product = ofPairs ?? byVerb ?? productOf;
      plans.set(++last, made(heap.buffer, header, kernel.columns ?? 32));
      return { plan: last, bytes: 0, method, estimates: [] };
    },
    run(plan, x, y, alpha, beta, stride) {
      const [product, from, to] = [plans.get(plan)!, numbers(x), numbers(y)];
      vectors.queue(() => {
        product(from, to, alpha, beta, stride);
        spoil(to);
      });
    },
  };
  const info = { name: 'none', memoryBytes: 0, l2Bytes: 0, capability: 9, multiprocessors: 1 };
  const objects = () => blocks.size + plans.size;
  return Array.from({ length: count }, (_, place) => ({
    device: new CudaDevice(addon as CudaAddon, place, info),
    objects,
  }));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns a copy of the arrays, as on a device. */
function arraysOf(heap: ArrayBufferLike, header: number, columns: 16 | 32 = 32) {
  const [rows = 0, cols = 0, nnz = 0, , rowPtrAt, colIdxAt, valuesAt] = new Uint32Array(heap, header, 7);
  const rowPtr = new Uint32Array(heap, rowPtrAt, rows + 1).slice();
  const colIdx = columns === 16 ? columnsOf(heap, header, rowPtr) : new Uint32Array(heap, colIdxAt, nnz).slice();
  const values = new Float64Array(heap, valuesAt, nnz).slice();
  return { rows, cols, rowPtr, colIdx, values };
}

/** Returns the columns of `csrk?index=16`, which are stored as offsets from the base of each super-row. */
function columnsOf(heap: ArrayBufferLike, header: number, rowPtr: Uint32Array): Uint32Array {
  const words = new Uint32Array(heap, header, wordsOf(CSRK_HEADER).length);
  const word = (name: keyof typeof CSRK_HEADER) => words[placeOf(CSRK_HEADER, name)]!;
  const [superRowPtrAt, superRowBaseAt] = [word('superRowPtr'), word('superRowBase')];
  const offsets = new Uint16Array(heap, word('colIdx'), word('nnz'));
  const columns = new Uint32Array(offsets.length);
  let [row, at] = [0, 0];
  for (let superRow = 0; row < rowPtr.length - 1; superRow++) {
    [, row = 0] = new Uint32Array(heap, superRowPtrAt + 4 * superRow, 2);
    const [base = 0] = new Uint32Array(heap, superRowBaseAt + 4 * superRow, 1);
    for (; at < rowPtr[row]!; at++) columns[at] = base + offsets[at]!;
  }
  return columns;
}

function productOf(heap: ArrayBufferLike, header: number, columns: 16 | 32): Product {
  const { rows, rowPtr, colIdx, values } = arraysOf(heap, header, columns);
  return (x, y, alpha, beta, stride) => {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < stride; j++) {
        let sum = 0;
        for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * x[colIdx[k]! * stride + j]!;
        const at = i * stride + j;
        y[at] = beta === 0 ? alpha * sum : alpha * sum + beta * y[at]!;
      }
    }
  };
}

function scatterOf(heap: ArrayBufferLike, header: number): Product {
  const { rows, cols, rowPtr, colIdx, values } = arraysOf(heap, header);
  return (x, y, alpha, beta) => {
    for (let i = 0; i < cols; i++) y[i] = beta === 0 ? 0 : beta * y[i]!;
    for (let i = 0; i < rows; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[colIdx[k]!]! += alpha * (values[k]! * x[i]!);
    }
  };
}
