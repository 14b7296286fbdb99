/**
 * Measurements on a device in the form that the charts of `bench/report` need: contenders, and cases like those of
 * `casesOf` in `report/results.mjs`. cuSPARSE is a contender for each of its formats, by its fastest product, and one
 * for its CSR in normal use.
 */
import { group } from 'd3-array';
import { AUTO, BEST } from '../report/results.mjs';
import { fastest, PREPROCESSED } from './results.mjs';

export const BASELINE = 'cuSPARSE CSR, preprocessed';
export const BEST_PEER = 'best of cuSPARSE';

/** The contenders in the results: `formats` are ours except the automatic choice. */
export function contendersOf(results) {
  const isShown = ({ matrix }) => results.matrices.some(({ name }) => name === matrix);
  const names = new Set(results.of('product').filter(isShown).flatMap(namesOf));
  const native = [...names].filter((name) => /cuSPARSE/.test(name));
  const formats = [...names].filter((name) => name.startsWith('sparlane ') && name !== AUTO);
  return { formats, hasAuto: names.has(AUTO), native, javascript: [] };
}

function namesOf({ library, requested, format }) {
  if (library === 'sparlane') return [BEST, `sparlane ${requested.split(' ')[0]}`];
  const named = requested === PREPROCESSED ? [BASELINE] : [];
  return [BEST_PEER, `cuSPARSE ${format.replace('bsrmv', 'bsr')}`, ...named];
}

/**
 * `cache`: `cold` or `warm`; the device's memory bounds only cold products. `readGbps` and `gathersMs` are undefined
 * without a bound, or if no limits were measured.
 */
export function casesOf(results, dtype, cache) {
  const us = `${cache}Us`;
  return results.matrices.flatMap((matrix) => {
    const measured = results.productsOf(matrix, dtype).filter((line) => line[us] > 0);
    if (measured.length === 0) return [];
    const line = { ...matrix, matrix: matrix.title, standIn: false };
    const bounds = cache === 'cold' && results.limits ? boundsOf(results.limits, matrix, dtype) : {};
    return [{ key: matrix.name, line, ...bounds, products: productsByContender(measured, matrix, us) }];
  });
}

function productsByContender(measured, { nnz }, us) {
  const entries = measured.flatMap((line) => namesOf(line).map((name) => [name, line]));
  const byName = group(entries, ([name]) => name);
  return new Map(
    [...byName].map(([contender, some]) => {
      const line = fastest(
        some.map(([, one]) => one),
        us,
      );
      const { format, method, bytes, spread, [us]: time } = line;
      const gflops = (2 * nnz) / time / 1e3;
      return [contender, { contender, format, method, bytes, spreadPercent: spread, medianMs: time / 1e3, gflops }];
    }),
  );
}

/** The maximum memory bandwidth; and gathers that hit no cache line read before, each of a random element of x. */
function boundsOf({ readGbps, gatherGps }, { nnz, cols, scattered }, dtype) {
  const gathers = scattered === undefined ? undefined : scattered * nnz;
  return {
    readGbps: Math.max(...Object.values(readGbps)),
    gathersMs: gathers && gathers / gathersPerSecond(gatherGps[dtype] ?? gatherGps.f64, cols) / 1e6,
  };
}

/** Rate in 10⁹ per second, interpolated between the measured lengths of x by the logarithm of the length. */
function gathersPerSecond(byLength, length) {
  const rates = Object.entries(byLength).map(([count, rate]) => [Math.log2(count), rate]);
  const at = Math.log2(length);
  const next = rates.findIndex(([count]) => count >= at);
  if (next <= 0) return next === 0 ? rates[0][1] : rates.at(-1)[1];
  const [[low, before], [high, after]] = [rates[next - 1], rates[next]];
  return before + ((after - before) * (at - low)) / (high - low);
}
