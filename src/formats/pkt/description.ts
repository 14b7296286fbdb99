/** What a choice of the format needs to know of PKT, without the conversion: `pkt.ts`. */
import type { ParametersOf } from '../../core/parameters.js';
import { valueArray } from '../../core/types.js';
import { CPU_LANES, type FormatDescription, vectorBytes } from '../format.js';

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
export const DEVICE_LANES = 128;

export const parameters: ParametersOf<'packetRows' | 'lanes'> = {
  packetRows: {
    kind: 'integer',
    default: PACKET_ROWS,
    min: 1,
    max: 2 ** 16 - 1,
  },
  lanes: {
    kind: 'integer',
    default: CPU_LANES,
    min: CPU_LANES,
    max: MAX_LANES,
    tuned: true,
  },
};

/** `clustering` does not follow longer rows: it says nothing about hubs. */
const LONGEST_FOLLOWED = 128;

/** Least clustering for which the format is offered. */
const WORTH_PACKING = 0.75;

export const pktDescription: FormatDescription = {
  name: 'pkt',
  parameters,
  prospects({ features }, dtype) {
    const { rows, nnz, clustering, longestRow, scattered: missed } = features;
    if (clustering < WORTH_PACKING || longestRow > LONGEST_FOLLOWED) return [];
    // Entries that leave a set of 512 rows start at its boundary. Boundary over area falls with size, as for discs.
    const rest = (1 - clustering) * Math.sqrt(512 / PACKET_ROWS) * nnz;
    const valueBytes = valueArray(dtype).BYTES_PER_ELEMENT;
    const bytes = nnz * (4 + valueBytes) + 4 * rest + 8 * rows + vectorBytes(features, dtype);
    // A row of a packet is gathered from x and scattered to y, anywhere in both if its entries would be.
    const scattered = rest / nnz + 2 * Math.min(1, rows / (missed * nnz));
    return [{ spec: 'pkt', kernel: 'pkt', bytes, entries: nnz, steps: rest, scattered, unsteady: 0 }];
  },
};
