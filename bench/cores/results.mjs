/** Results of the suite `cores` (JSON lines of `bench/cores.mjs`), by matrix and number of threads. */
import { AUTO, BUS, TRIED } from '../report/results.mjs';
import { geometricMean } from '../report/statistics.mjs';
import { latestLines } from '../results-file.mjs';
import { C, PINNED_C } from './peer.mjs';

export { AUTO, TRIED };
export const [OURS, CSR] = ['sparlane', 'sparlane csr'];

/** The key of a line. */
const KEYS = {
  machine: ({ cpu, cores, commit, node }) => [cpu, cores, commit, node],
  team: ({ contender, threads }) => [contender, threads],
  matrix: ({ matrix }) => [matrix],
  read: ({ matrix, contender, threads }) => [matrix, contender, threads],
  product: ({ matrix, contender, threads }) => [matrix, contender, threads],
};

export function parseCores(texts) {
  const lines = latestLines(texts, KEYS);
  const of = (kind) => lines.filter((line) => line.kind === kind);
  const [machines, teams, matrices, reads, products] = Object.keys(KEYS).map(of);
  if (products.length === 0) throw new Error('results: expected at least one line of kind product, got none');
  const threads = [...new Set(products.map((line) => line.threads))].sort((a, b) => a - b);
  const contenders = [CSR, AUTO, TRIED, C, PINNED_C].filter((name) =>
    products.some(({ contender }) => contender === name),
  );
  return { machines, teams, matrices, reads, products, threads, contenders };
}

/** The lines of a matrix, by contender: `{ contender, points: { threads, gflops, … }[] }`, in order of threads. */
export function curvesOf({ products, contenders }, { matrix }) {
  return contenders.flatMap((contender) => {
    const points = products
      .filter((line) => line.matrix === matrix && line.contender === contender)
      .sort((a, b) => a.threads - b.threads);
    return points.length === 0 ? [] : [{ contender, points }];
  });
}

/**
 * The speed at which a product would read all of CSR at the read bandwidth, the best one measured with that matrix and
 * number of threads: the curve `BUS`. Faster products read fewer bytes, or caches.
 */
export function boundOf({ reads, products, threads }, { matrix, nnz }) {
  const csr = products.find((line) => line.matrix === matrix && line.contender === CSR);
  const points = threads.flatMap((number) => {
    const measured = reads.filter((line) => line.matrix === matrix && line.threads === number);
    if (csr === undefined || measured.length === 0) return [];
    const gbps = Math.max(...measured.map((line) => line.gbps));
    return [{ threads: number, gbps, gflops: (gbps * 2 * nnz) / csr.bytes }];
  });
  return { contender: BUS, points };
}

/** Over the matrices, with that many threads: the mean of the speed of ours over the faster one of C, free and pinned. */
export function overC({ products, matrices }, ours, threads) {
  const ratios = matrices.flatMap(({ matrix }) => {
    const speedOf = (name) =>
      products.find((line) => line.matrix === matrix && line.threads === threads && line.contender === name)?.gflops;
    const peers = [C, PINNED_C].map(speedOf).filter((speed) => speed !== undefined);
    const speed = speedOf(ours);
    return speed === undefined || peers.length === 0 ? [] : [speed / Math.max(...peers)];
  });
  return geometricMean(ratios);
}

/** A choice must never be slower than csr by more than this: the rest is noise. */
export const LEAST_OVER_CSR = 0.9;

/** The products of `auto`, with trials or without, that are slower: `{ matrix, threads, contender, format, ratio }`. */
export function slowerThanCsr({ products }) {
  return products.flatMap(({ matrix, threads, contender, format, medianMs }) => {
    if (contender !== AUTO && contender !== TRIED) return [];
    const csr = products.find((one) => one.matrix === matrix && one.threads === threads && one.contender === CSR);
    const ratio = csr.medianMs / medianMs;
    return ratio < LEAST_OVER_CSR ? [{ matrix, threads, contender, format, ratio }] : [];
  });
}
