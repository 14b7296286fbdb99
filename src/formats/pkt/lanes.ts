/** The lanes of PKT's packets: the assignment of rows to lanes, and the places of the entries of each row. */
import type { CsrMatrix } from '../../core/csr.js';
import type { PacketParts } from './grow-parts.js';

/** The places of the entries of each row of the matrix. */
export interface LanePlaces {
  readonly lanes: number;
  /** For each row: its number within its packet. */
  readonly local: Uint16Array;
  /** For each row: the place of its first entry; the others follow, one step apart. */
  readonly firstAt: Uint32Array;
  readonly stepPtr: Uint32Array;
  /** Entries within packets. */
  readonly inside: number;
}

/** Assigns each row to the lane of its packet that has the fewest entries so far. */
export function assignLanes(matrix: CsrMatrix, { partPtr, order, partOf }: PacketParts, lanes: number): LanePlaces {
  const local = new Uint16Array(matrix.rows);
  const firstAt = new Uint32Array(matrix.rows);
  const stepPtr = new Uint32Array(partPtr.length);
  const lengths = lengthsInside(matrix, partOf);
  const occupied = new Float64Array(lanes);
  let inside = 0;
  for (let packet = 0; packet + 1 < partPtr.length; packet++) {
    const first = partPtr[packet]!;
    let steps = 0;
    for (let lane = 0; lane < lanes; lane++) occupied[lane] = lane;
    for (let i = first; i < partPtr[packet + 1]!; i++) {
      const row = order[i]!;
      const length = lengths[row]!;
      const lane = occupied[0]! % lanes;
      const held = (occupied[0]! - lane) / lanes;
      local[row] = i - first;
      firstAt[row] = lanes * (stepPtr[packet]! + held) + lane;
      steps = Math.max(steps, held + length);
      inside += length;
      if (length > 0) replaceLeast(occupied, occupied[0]! + length * lanes);
    }
    stepPtr[packet + 1] = stepPtr[packet]! + steps;
  }
  return { lanes, local, firstAt, stepPtr, inside };
}

/** Replaces the least of a min-heap. A key is entries of a lane × lanes + lane: of equal lanes the first comes first. */
function replaceLeast(heap: Float64Array, value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= value) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = value;
}

/** For each row, the number of entries whose columns are rows of the same part. */
function lengthsInside({ rows, rowPtr, colIdx }: CsrMatrix, partOf: Uint32Array): Uint32Array {
  const lengths = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const part = partOf[row]!;
    let length = 0;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) if (partOf[colIdx[k]!] === part) length++;
    lengths[row] = length;
  }
  return lengths;
}
