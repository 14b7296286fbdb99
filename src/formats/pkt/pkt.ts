/**
 * PKT, the packet format: the rows are partitioned into parts with few entries between them. The entries within a part form
 * a packet with 16-bit rows and columns; the others are stored as COO.
 *
 * Source: Bell & Garland 2008, §3.6 (figures 12 to 14) and §4.6 (figure 26). Kernels: `assembly/pkt/pkt.ts`.
 * Differs: for any square matrix; the paper's implementation covered symmetric patterns only. Parts are grown in the
 *   graph of A + Aᵀ (`grow-parts.ts`). Four SIMD lanes on a CPU instead of the threads of a block. Padding adds to an
 *   extra row behind the last row of the packet: a value of x that is not finite reaches only rows that use it. x and y
 *   keep the caller's order.
 * For: unstructured meshes in an order that is bad for caches: each x is fetched once per packet, and stays in cache for all
 *   of its entries (random geometric graph as drawn: 1.6 × csr). In a good order there is no gain: an entry needs 12 bytes
 *   as in CSR, and a row, gathered and scattered, some 28 (the same graph ordered by a grid 0.8 ×, 27-point Laplacian
 *   0.75 ×, 5-point 0.4 ×). The paper found the same: faster than HYB on finite elements until x was read through a cache,
 *   then slower on all but one. If hubs prevent a good partition (circuits, power laws), most entries are in the rest.
 *   (One thread of an AMD EPYC Zen 4, f64, a busy machine, November 2026.)
 * Layout: of [10 0 20 0; 0 0 0 0; 0 0 30 0; 40 50 60 0], the worked example made square, with packetRows = 2:
 *
 *     packetPtr  0            2            4   u32, packets + 1, in rows of `order`
 *     order      0  2         1  3             u32, rows
 *     stepPtr    0            2            3   u32, packets + 1, in steps of four lanes
 *     packed     00 11  *  *  10  *  *  *      u32, four per step: row and column within the packet; * is padding,
 *                01  *  *  *                     whose row is 2
 *     values     10 30  0  0  50  0  0  0
 *                20  0  0  0
 *     rest       (3, 0) 40, (3, 2) 60          COO, added by a second stage
 *
 * Lanes: rows in order, each to the lane with the fewest entries; padding is at most three times the longest row of a
 *   packet. For the thread blocks of a device there may be more lanes (`lanes=128`), as in the paper; no CPU kernel
 *   reads these.
 * Cost: stored (4 + V) + rest (8 + V) + 4 rows + 8 (packets + 1) + X (rows + cols) bytes, for V bytes per value (8 or
 *   4) and X per element of x and y. In addition there are 2 X bytes of scratch memory per row, of which little is
 *   touched. Setup costs 25 products of csr for the 5-point Laplacian, 50 for the random geometric graph, mostly for
 *   growing the parts.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { formatSpec, type ParametersOf, resolveParameters } from '../../core/parameters.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { StoredCoo } from '../coo/coo.js';
import {
  CPU_LANES,
  type Format,
  type Lanes,
  type Layout,
  type Stages,
  type StoredMatrix,
  type SummationOrder,
  stageOver,
  vectorBytes,
} from '../format.js';
import { encodeValues } from '../layout/values.js';
import { Stored } from '../stored.js';
import { growParts, type PacketParts } from './grow-parts.js';
import { assignLanes } from './lanes.js';
import { fillWithPadding, pack, roomOf } from './pack.js';

/**
 * Cost of a row in addition to its entries, in entries: its place in the order, and one element of x and y each way,
 * are some 28 bytes; an entry is 12 bytes (f64).
 */
const ROW_WORK = 2;

export interface PktOptions {
  readonly spec: string;
  readonly lanes: number;
  readonly parts: PacketParts;
}

export const PKT_HEADER = {
  rows: 'u32',
  packets: 'u32',
  /** Elements of x, or sums, of the largest packet. */
  room: 'u32',
  /** Start of each packet, in rows of `order`. */
  packetPtr: 'usize',
  /** Start of each packet, in steps. */
  stepPtr: 'usize',
  order: 'usize',
  /** Row (high 16 bits) and column (low 16 bits) of an entry within its packet. */
  packed: 'usize',
  values: 'usize',
  /** Twice `room` elements per packet: its x, and its sums, one of which padding adds to. */
  scratch: 'usize',
  /** Entries in a step: 4, for these kernels. */
  lanes: 'u32',
} as const;

export class StoredPkt extends Stored implements Layout {
  readonly header: number;
  readonly lanes: Lanes;
  /** Start of each packet, in rows of `order`. */
  readonly packetPtr: Uint32Array;
  readonly order: Uint32Array;
  /** Start of each packet, in steps of one entry per lane. */
  readonly stepPtr: Uint32Array;
  /** Row (high 16 bits) and column (low 16 bits) within the packet. A row outside the packet is padding. */
  readonly packed: Uint32Array;
  readonly values: FloatArray;
  /** The entries between packets; undefined if there are none. */
  readonly rest: StoredCoo | undefined;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, matrix: CsrMatrix, dtype: Dtype, { spec, lanes, parts }: PktOptions) {
    super(scope, { spec, dtype, rows: matrix.rows, cols: matrix.cols, nnz: matrix.nnz });
    this.lanes = { parameter: 'pkt lanes', count: lanes };
    const places = assignLanes(matrix, parts, lanes);
    const stored = lanes * places.stepPtr.at(-1)!;
    this.packetPtr = scope.copy(Uint32Array, parts.partPtr);
    this.order = scope.copy(Uint32Array, parts.order);
    this.stepPtr = scope.copy(Uint32Array, places.stepPtr);
    this.packed = scope.array(Uint32Array, stored);
    this.values = scope.array<FloatArray>(valueArray(dtype), stored).fill(0);
    fillWithPadding(this.packed, this.packetPtr, this.stepPtr, lanes);
    const rest = pack(matrix, places, parts.partOf, this.packed, this.values);
    const values = encodeValues(rest, dtype, 'full');
    this.rest = rest.nnz === 0 ? undefined : new StoredCoo(scope, rest, dtype, { spec: 'coo', values, adds: true });
    const room = roomOf(parts.partPtr);
    const local = lanes === CPU_LANES ? 2 * room * this.units : 0;
    const scratch = scope.alloc(local * vectorArray(dtype).BYTES_PER_ELEMENT);
    const sizes = { rows: this.rows, packets: this.units, room, lanes };
    const { packetPtr, stepPtr, order, packed } = this;
    const arrays = { packetPtr, stepPtr, order, packed, values: this.values };
    this.header = placeHeader(scope, PKT_HEADER, { ...sizes, ...arrays, scratch });
  }

  get stages(): Stages {
    const packets = stageOver(this, { base: 'pkt', verb: 'spmv' }, { lanes: this.lanes });
    return { spmv: this.rest === undefined ? [packets] : [packets, ...this.rest.stages.spmv] };
  }

  /** The rest first: the small matrix used to warm up kernels is a single packet without a rest. */
  get pieces(): readonly StoredMatrix[] {
    return this.rest === undefined ? [this] : [this.rest, this];
  }

  get bitsDependOn(): SummationOrder {
    return this.rest === undefined ? 'nothing' : 'parts';
  }

  /** No element of x is multiplied by padding. */
  override get multipliesPadding(): boolean {
    return false;
  }

  override get storedEntries(): number {
    return this.packed.length + (this.rest?.nnz ?? 0);
  }

  /** Packets. */
  get units(): number {
    return this.packetPtr.length - 1;
  }

  workBefore(unit: number): number {
    return this.lanes.count * this.stepPtr[unit]! + ROW_WORK * this.packetPtr[unit]!;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { units, packetPtr, stepPtr, order, packed, values } = this;
    const { count } = this.lanes;
    for (let packet = 0; packet < units; packet++) {
      const first = packetPtr[packet]!;
      const end = packetPtr[packet + 1]!;
      for (let at = count * stepPtr[packet]!; at < count * stepPtr[packet + 1]!; at++) {
        const row = first + (packed[at]! >>> 16);
        if (row < end) visit(order[row]!, order[first + (packed[at]! & 0xffff)]!, values[at]!);
      }
    }
    this.rest?.forEachEntry(visit);
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    const packets = [this.packetPtr, this.stepPtr, this.order, this.packed, this.values];
    return [...packets, ...(this.rest?.arrays ?? [])];
  }
}

/**
 * Rows per packet: x and the sums of 4096 rows are 64 KiB of f64, a sixteenth of a core's L2. Packets of 1024 leave
 * twice as many entries between them; packets of 16384 are 1.1 × as fast as csr, these 1.7 × (random geometric graph,
 * machine as in `pkt.ts`). The paper's 1000 (f64) and 2000 (f32) fitted 16 KiB of shared memory.
 */
const PACKET_ROWS = 4096;

/** The most threads per block on a device. */
const MAX_LANES = 1024;

/**
 * More than ten times as fast as with the lanes of a CPU (NVIDIA H200, f64: 5-point 2000² 147 µs instead of 1992,
 * 27-point 128³ 284 instead of 5611).
 */
const DEVICE_LANES = 128;

const parameters: ParametersOf<'packetRows' | 'lanes'> = {
  packetRows: {
    kind: 'integer',
    default: PACKET_ROWS,
    min: 1,
    max: 2 ** 16 - 1,
    doc: 'most rows per packet; packet sizes differ by at most one',
  },
  lanes: {
    kind: 'integer',
    default: CPU_LANES,
    min: CPU_LANES,
    max: MAX_LANES,
    tuned: true,
    doc: `entries per step: ${CPU_LANES} for CPUs; on a device the threads of a block, ${DEVICE_LANES} unless given`,
  },
};

/** `clustering` does not follow longer rows: it says nothing about hubs. */
const LONGEST_FOLLOWED = 128;

/** Least clustering for which the format is offered. */
const WORTH_PACKING = 0.75;

export const pkt: Format = {
  name: 'pkt',
  parameters,
  summary: 'packets of neighbouring rows with 16-bit indices; the rest in COO',
  source: 'Bell & Garland 2008, §3.6 and §4.6',
  suits: 'meshes in a bad order; square matrices',
  variants: ['pkt'],
  onDevice: () => ({ lanes: DEVICE_LANES }),
  prospects({ features }, dtype) {
    const { rows, nnz, clustering, longestRow } = features;
    const missed = features.scattered + features.reread;
    if (clustering < WORTH_PACKING || longestRow > LONGEST_FOLLOWED) return [];
    // Entries that leave a set of 512 rows start at its boundary. Boundary over area falls with size, as for discs.
    const rest = (1 - clustering) * Math.sqrt(512 / PACKET_ROWS) * nnz;
    const valueBytes = valueArray(dtype).BYTES_PER_ELEMENT;
    const bytes = nnz * (4 + valueBytes) + 4 * rest + 8 * rows + vectorBytes(features, dtype);
    // A packet gathers its rows from x and scatters them to y. Both accesses are scattered as far as those of the matrix are.
    const scattered = rest / nnz + 2 * Math.min(1, rows / (missed * nnz));
    return [{ spec: 'pkt', kernel: 'pkt', bytes, entries: nnz, steps: rest, scattered, unsteady: 0 }];
  },
  fromCsr(heap, matrix, dtype, given) {
    const resolved = resolveParameters('pkt', parameters, given);
    const { packetRows, lanes } = resolved;
    const { rows, cols } = matrix;
    if (rows !== cols) throw mismatch('shape', 'pkt', 'a square matrix', `${rows} × ${cols}`, { rows, cols });
    const parts = growParts(matrix, packetRows);
    const spec = formatSpec('pkt', parameters, resolved, given);
    return heap.build((scope) => new StoredPkt(scope, matrix, dtype, { spec, lanes, parts }));
  },
};
