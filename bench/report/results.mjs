/** The contents of a file of results (JSON lines of `bench/run.mjs`), arranged by matrix for the charts. */
import { group, least, median } from 'd3-array';

/** Possible baselines: speeds are relative to the first one that was measured. */
const BASELINES = ['gcc -O3 -march=native', 'gcc -O3', 'sparlane csr'];
export const AUTO = 'sparlane auto';

/** The same after trials of formats. */
export const TRIED = 'sparlane auto, tried';
export const CSR = 'sparlane csr';

/** Not a measured contender: on each matrix the fastest of ours. */
export const BEST = 'best of ours';

/** Not a contender: the memory bandwidth of a program that only reads. */
export const BUS = 'read bandwidth';

/** The key of a line. Of lines with the same key, as in a repeated run for some matrices, the last one counts. */
const KEYS = {
  machine: ({ cpu, cores, commit, node }) => [cpu, cores, commit, node],
  matrix: ({ suite, matrix }) => [suite, matrix],
  bus: ({ suite, matrix, threads, dtype, readGbps }) => [suite, matrix, threads, dtype, readGbps],
  product: ({ suite, matrix, contender, threads, dtype, cache }) => [suite, matrix, contender, threads, dtype, cache],
  missing: ({ contender }) => [contender],
  failed: ({ suite, matrix, contender, threads, dtype }) => [suite, matrix, contender, threads, dtype],
};

/** Texts of JSON lines, each a whole file. A `failed` line is dropped if a later line has a result. */
export function parseResults(texts, { dtypes } = {}) {
  const lines = new Map(Object.keys(KEYS).map((kind) => [kind, new Map()]));
  for (const line of texts.flatMap(parseLines)) {
    if (dtypes !== undefined && line.dtype !== undefined && !dtypes.includes(line.dtype)) continue;
    const keyOf = KEYS[line.kind];
    if (keyOf === undefined) throw new Error(`kind: expected ${Object.keys(KEYS).join(' | ')}, got ${line.kind}`);
    lines.get(line.kind).set(JSON.stringify(keyOf(line)), line);
  }
  const [machines, matrices, buses, products, missing, failed] = [...lines.values()].map((map) => [...map.values()]);
  if (products.length === 0) throw new Error('results: expected at least one line of kind product, got none');
  const measured = new Set(products.map((line) => JSON.stringify(KEYS.failed(line))));
  return {
    ...{ machines, matrices, buses, products, missing },
    failed: failed.filter((line) => !measured.has(JSON.stringify(KEYS.failed(line)))),
    ...baselineOf(products),
    threads: distinct(products, ({ threads }) => threads).sort((a, b) => a - b),
    dtypes: distinct(products, ({ dtype }) => dtype),
    caches: distinct(products, ({ cache }) => cache),
    suites: distinct(matrices, ({ suite }) => suite),
    contenders: contendersOf(products),
  };
}

/** `plain`: the name of the baseline in words. */
function baselineOf(products) {
  const baseline = BASELINES.find((name) => products.some(({ contender }) => contender === name));
  if (baseline === undefined) throw new Error(`results: expected products of ${BASELINES.join(' | ')}, got none`);
  return { baseline, plain: baseline === CSR ? 'our plain CSR' : 'plain C' };
}

function parseLines(text) {
  return text.split('\n').flatMap((line, k) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line)];
    } catch (error) {
      throw new Error(`results, line ${k + 1}: expected JSON, got ${error.message}`);
    }
  });
}

export function distinct(lines, of) {
  return [...new Set(lines.map(of))];
}

/** Names by group; `formats` are ours except the automatic choice. */
function contendersOf(products) {
  const named = (group) =>
    distinct(
      products.filter((product) => product.group === group),
      ({ contender }) => contender,
    );
  const ours = named('ours');
  return {
    formats: ours.filter((name) => name !== AUTO),
    hasAuto: ours.includes(AUTO),
    native: named('native'),
    javascript: named('javascript'),
  };
}

/** Our best and our choice, then all other contenders. */
export function rivals({ contenders, baseline }) {
  const { hasAuto, native, javascript } = contenders;
  const peers = [...native, ...javascript].filter((name) => name !== baseline);
  return [BEST, ...(hasAuto ? [AUTO] : []), baseline, ...peers];
}

/**
 * Every matrix measured under a condition, in the order of the file: `line` (kind matrix), `products` by contender
 * (including BEST), and `readGbps`, which is undefined if no bus was measured with it.
 */
export function casesOf(results, { dtype, threads, cache = 'hot' }) {
  const key = ({ suite, matrix }) => JSON.stringify([suite, matrix]);
  const holds = (line) =>
    line.threads === threads && (line.dtype ?? dtype) === dtype && (line.cache ?? cache) === cache;
  const products = group(results.products.filter(holds), key);
  const buses = group(results.buses.filter(holds), key);
  return results.matrices.flatMap((line) => {
    const measured = products.get(key(line));
    if (measured === undefined) return [];
    const readGbps = median(buses.get(key(line)) ?? [], (bus) => bus.readGbps);
    return [{ key: key(line), line, readGbps, products: byContender(measured) }];
  });
}

function byContender(measured) {
  const products = new Map(measured.map((product) => [product.contender, product]));
  const ours = measured.filter((product) => product.group === 'ours');
  if (ours.length > 0)
    products.set(
      BEST,
      least(ours, ({ medianMs }) => medianMs),
    );
  return products;
}

/** Times for `statistics.mjs`: of the named contenders, for the matrices where at least one of them was measured. */
export function timesOf(cases, contenders) {
  const times = cases.map(({ products }) => {
    const present = contenders.filter((name) => products.has(name));
    return new Map(present.map((name) => [name, products.get(name).medianMs]));
  });
  return times.filter((ofMatrix) => ofMatrix.size > 0);
}

/** Speed relative to the baseline, for the matrices where both were measured: `{ line, ratio }`. */
export function speedups(cases, contender, baseline) {
  return cases.flatMap(({ line, products }) => {
    const [one, other] = [products.get(contender), products.get(baseline)];
    return one === undefined || other === undefined ? [] : [{ line, ratio: other.medianMs / one.medianMs }];
  });
}
