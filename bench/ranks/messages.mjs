/**
 * The time of an exchange between two ranks by its length: a row of each rank has entries in all columns of the other one, so a product is
 * the exchange, and a dot product of what has arrived. Time is fitted by L + bytes / W: latency and bandwidth of the model in docs/ranks.md.
 */
import { runRanks } from '../../dist/index.node.js';
import { print } from '../contenders.mjs';
import { median, time } from '../times.mjs';

const LENGTHS = [1, 100, 1000, 10_000, 62_500, 250_000];
const SAMPLES = 200;

/** Returns the time of an exchange in µs, for each length. */
export function main(comm) {
  return LENGTHS.map((length) => {
    const columns = Uint32Array.from({ length }, (_, j) => (1 - comm.rank) * length + j);
    const A = comm.operator({ firstRow: comm.rank, rows: 1, cols: 2 * length, rowPtr: [0, length], colIdx: columns });
    const x = comm.vector(length);
    const y = comm.vector(1);
    const multiply = () => A.apply(x, y);
    for (let k = 0; k < 20 * SAMPLES; k += 1 + length / 1000) multiply();
    // A product ends when that of the other rank has begun.
    const us = 1e3 * median(Array.from({ length: SAMPLES }, () => time(multiply)));
    for (const used of [A, x, y]) used.dispose();
    return us;
  });
}

export async function timeMessages() {
  const [us] = await runRanks(import.meta.url, { ranks: 2, threads: 1 });
  LENGTHS.forEach((length, k) => {
    const bandwidth = (8 * length) / (us[k] - us[0]) / 1e3;
    print(
      `${8 * length} bytes: ${us[k].toFixed(2)} µs${k === 0 ? '' : `, ${bandwidth.toFixed(1)} GB/s beyond the first`}`,
    );
  });
}
