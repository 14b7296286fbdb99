/** The entries of packets in their places, and those between packets. Layout: `pkt.ts`. */
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';
import type { LanePlaces } from './lanes.js';

/** Elements of f32 in a cache line: the scratch memories of two packets never share a line. */
const LINE = 16;

/** Scratch elements of the largest packet, for x or for its sums with the one of padding, in whole cache lines. */
export function roomOf(packetPtr: Uint32Array): number {
  let most = 0;
  for (let p = 1; p < packetPtr.length; p++) most = Math.max(most, packetPtr[p]! - packetPtr[p - 1]!);
  return Math.ceil((most + 1) / LINE) * LINE;
}

/** Writes the entries within packets to their places; returns those between packets, as a matrix of the same size. */
export function pack(
  matrix: CsrMatrix,
  { lanes, local, firstAt, inside }: LanePlaces,
  partOf: Uint32Array,
  packed: Uint32Array,
  values: FloatArray,
): CsrMatrix {
  const { rows, rowPtr, colIdx } = matrix;
  const nnz = matrix.nnz - inside;
  const rest = { rowPtr: new Uint32Array(rows + 1), colIdx: new Uint32Array(nnz), values: matrix.values.slice(0, nnz) };
  let next = 0;
  for (let row = 0; row < rows; row++) {
    const part = partOf[row]!;
    let at = firstAt[row]!;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const col = colIdx[k]!;
      if (partOf[col] === part) {
        packed[at] = (local[row]! << 16) | local[col]!;
        values[at] = matrix.values[k]!;
        at += lanes;
      } else {
        rest.colIdx[next] = col;
        rest.values[next++] = matrix.values[k]!;
      }
    }
    rest.rowPtr[row + 1] = next;
  }
  return { ...matrix, ...rest, nnz };
}

/** Makes every entry padding: its row is the one behind the last of the packet, its column the packet's first. */
export function fillWithPadding(
  packed: Uint32Array,
  packetPtr: Uint32Array,
  stepPtr: Uint32Array,
  lanes: number,
): void {
  for (let packet = 0; packet + 1 < packetPtr.length; packet++) {
    const padding = (packetPtr[packet + 1]! - packetPtr[packet]!) << 16;
    packed.fill(padding, lanes * stepPtr[packet]!, lanes * stepPtr[packet + 1]!);
  }
}
