/**
 * The tables of the GPU's benchmark, for `markdown.mjs` and `page.mjs`: `{ title, header, rows }`, whose cells are text. Pure.
 * Times are in µs, ratios are times as fast.
 */
import { geometricMean } from '../report/statistics.mjs';
import { byDefault, cusparse, ours, PREPROCESSED } from './results.mjs';

/** A figure to beat is in brackets: cuSPARSE's CSR as measured before. */
const COMPARISON = [
  ...['matrix', 'ours: best', 'in', 'csr', 'cuSPARSE: best', 'in', 'CSR ALG1 preprocessed', 'aim'],
  ...['best over best', 'csr over CSR', 'aim over best'],
];

/** The matrices with values in full; those without figures to beat are at the end, and in no mean. */
export function comparison(results, dtype) {
  const cases = comparisons(results, dtype);
  const mean = (key) => times(meanOf(cases, key));
  return {
    title: `${dtype}: µs, L2 cold, values in full`,
    header: COMPARISON,
    rows: [
      ...cases.map(({ title, best, csr, peer, peerCsr, figures, overPeer, csrOverCsr, overAim }) => [
        ...[title, us(best), named(best), us(csr), us(peer), peer?.requested ?? '–'],
        ...[`${us(peerCsr)}${figures ? ` (${figures.csr})` : ''}`, String(figures?.aim ?? '–')],
        ...[times(overPeer), times(csrOverCsr), times(overAim)],
      ]),
      ['geometric mean', '', '', '', '', '', '', '', mean('overPeer'), mean('csrOverCsr'), mean('overAim')],
    ],
  };
}

/** For every matrix with values in full: the lines that are compared, and their ratios. */
export function comparisons(results, dtype) {
  return results.matrices.filter(({ name }) => !name.endsWith('-own')).map((matrix) => compare(results, matrix, dtype));
}

/** Mean of a ratio; undefined if there are none. Matrices that had no figures before the benchmark are excluded. */
export function meanOf(cases, key) {
  return geometricMean(cases.filter(({ isCounted }) => isCounted).flatMap((one) => one[key] ?? []));
}

function compare(results, matrix, dtype) {
  const best = results.best(matrix, dtype, ours());
  const csr = results.best(matrix, dtype, ours('csr'));
  const chosen = results.best(matrix, dtype, byDefault);
  const peer = results.best(matrix, dtype, cusparse());
  const peerCsr = results.best(matrix, dtype, cusparse(PREPROCESSED));
  const figures = matrix.scale === 1 ? matrix.figures?.[dtype] : undefined;
  const over = (us, line) => (us === undefined || line === undefined ? undefined : us / line.coldUs);
  return {
    ...{ title: matrix.title, isCounted: matrix.figures !== undefined, best, csr, peer, peerCsr, figures },
    ...{
      overPeer: over(peer?.coldUs, best),
      chosenOverPeer: over(peer?.coldUs, chosen),
      csrOverCsr: over(peerCsr?.coldUs, csr),
      overAim: over(figures?.aim, best),
    },
  };
}

/** The gain of codes for values on matrices with few different ones; no rows if no such matrix was measured. */
export function codes(results, dtype) {
  const isCoded = (line) => ours()(line) && line.format.includes('values=table');
  const rows = results.matrices
    .filter(({ name }) => name.endsWith('-own'))
    .map((matrix) => {
      const coded = results.best(matrix, dtype, isCoded);
      const full = results.best(matrix, dtype, (line) => ours()(line) && !isCoded(line));
      const peer = results.best(matrix, dtype, cusparse());
      const gain = (line) => (coded && line ? times(line.coldUs / coded.coldUs) : '–');
      return [matrix.title, us(coded), named(coded), us(full), named(full), us(peer), gain(full), gain(peer)];
    });
  const header = ['matrix', 'codes', 'in', 'in full', 'in', 'cuSPARSE', 'over in full', 'over cuSPARSE'];
  return { title: `${dtype}: values as codes`, header, rows };
}

/** In words: errors other than refusals, and products not measured within the time limit. */
export function failures(results) {
  const failed = results.of('failed').filter(({ isRefusal }) => !isRefusal);
  const who = ({ dtype, library, requested }) => `${dtype}, ${library} ${requested}`;
  return [
    ...failed.map((line) => `${line.matrix} ${who(line)}: ${line.error}`),
    ...results.of('stopped').map((line) => `${line.matrix}: time limit reached before ${who(line)}`),
  ];
}

/** The device, and its limits: a sentence each. */
export function machine(results) {
  const { limits } = results;
  const [line] = results.of('product');
  const who = `${line?.device ?? limits?.device ?? 'unknown device'}, driver ${line?.driver ?? 'unknown'}, commit ${line?.commit ?? 'unknown'}.`;
  return limits === undefined ? [who] : [who, limitsIn(limits)];
}

function limitsIn({ readGbps, copyGbps, gatherGps }) {
  const read = Object.entries(readGbps).map(([bytes, gbps]) => `${gbps.toFixed(0)} (${bytes / 2 ** 20} MiB)`);
  const gathered = Object.entries(gatherGps.f64).map(([count, gps]) => `${gps.toFixed(0)} (${shortly(count)})`);
  const copied = Object.values(copyGbps)[0].toFixed(0);
  return `Read ${read.join(', ')} GB/s; copy ${copied} GB/s; gathers of f64 ${gathered.join(', ')} G/s.`;
}

/** 4194304 is 4 Mi. */
function shortly(count) {
  return count >= 2 ** 20 ? `${count / 2 ** 20} Mi` : `${count / 2 ** 10} Ki`;
}

const us = (line) => line?.coldUs.toFixed(1) ?? '–';
const times = (ratio) => ratio?.toFixed(2) ?? '–';
const named = (line) => (line === undefined ? '–' : `${line.format} by ${line.method}`);
