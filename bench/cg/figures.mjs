/** The figures of the benchmark of conjugate gradients, from the times that it took. */
import { median } from '../times.mjs';

/**
 * One problem and number of threads. Times in ms: of whole solves (`peer` undefined if it is missing), of dot products of
 * `dotLength` f64, of reads of `readBytes`.
 */
export function cgFigures({ iterations, ours, peer, dotLength, dots, readBytes, reads }) {
  const stepMs = median(ours) / iterations;
  const peerMs = peer && median(peer) / iterations;
  return {
    stepMs,
    peerMs,
    overPeer: peerMs && peerMs / stepMs,
    dotGbps: gbps(2 * 8 * dotLength, dots),
    readGbps: gbps(readBytes, reads),
  };
}

function gbps(bytes, times) {
  return bytes / median(times) / 1e6;
}

const COLUMNS = [
  ['problem', 9, ({ problem }) => problem],
  ['threads', 7, ({ threads }) => `${threads}`],
  ['format', 28, ({ format }) => format],
  ['ms/step', 8, ({ stepMs }) => stepMs.toFixed(3)],
  ['PETSc', 8, ({ peerMs }) => peerMs?.toFixed(3) ?? '–'],
  ['× PETSc', 7, ({ overPeer }) => overPeer?.toFixed(2) ?? '–'],
  ['fork-joins', 10, ({ forkJoins }) => `${forkJoins}`],
  ['dot GB/s', 8, ({ dotGbps }) => dotGbps.toFixed(1)],
  ['read GB/s', 9, ({ readGbps }) => readGbps.toFixed(1)],
];

export const heading = COLUMNS.map(([name, width]) => name.padStart(width)).join('  ');

/** A line below `heading`: the figures, with problem, threads, format and forkJoins. */
export function cgLine(figures) {
  return COLUMNS.map(([, width, text]) => text(figures).padStart(width)).join('  ');
}
