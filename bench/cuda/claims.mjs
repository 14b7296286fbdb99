/**
 * Each paper's kernel against the paper's claim, on the matrices of this benchmark. A claim is { title, claim, header, rows, found }:
 * a table, whose cells are text, and its result in words. Only lines of the paper's own method count, by which `run.mjs --methods every` also
 * measures: a faster kernel of ours under the format's name proves nothing about the paper.
 */
import { geometricMean } from '../report/statistics.mjs';
import { cusparse, ours, PREPROCESSED } from './results.mjs';

/** All claims with measurements. */
export function claimsOf(results, dtype) {
  const all = [coordinate, csr3, blocks, largeBlocks, balanced, structured, unstructured, jindal];
  return all.map((claim) => claim(results, dtype)).filter(({ rows }) => rows.length > 0);
}

const STRUCTURED = /-point$/;

const us = (line) => (line === undefined ? '–' : line.coldUs.toFixed(1));
const ratio = (number) => (number === undefined ? '–' : number.toFixed(2));

/** The papers have no codes for values. */
const inFull = (results) => results.everyMatrix.filter(({ name }) => !name.endsWith('-own'));

/** Cases in which all wanted products were measured: { matrix, and the line of each }. `wanted`: for each key, whether a line, of a matrix, is that product. */
function casesOf(results, dtype, wanted, isWanted = () => true) {
  return inFull(results)
    .filter(isWanted)
    .flatMap((matrix) => {
      const best = (one) => results.best(matrix, dtype, (line) => one(line, matrix));
      const lines = Object.entries(wanted).map(([key, one]) => [key, best(one)]);
      return lines.every(([, line]) => line !== undefined) ? [{ matrix, ...Object.fromEntries(lines) }] : [];
    });
}

function coordinate(results, dtype) {
  const rivals = ['csr', 'csr?partition=merge', 'csr5', 'sell', 'hyb'];
  const cases = casesOf(results, dtype, {
    coo: by('coo', 'flegar'),
    best: (line) => ours(...rivals)(line) || cusparse()(line),
  });
  const slowdowns = cases.map(({ coo, best }) => Math.max(1, coo.coldUs / best.coldUs));
  const csriOf = ({ matrix }) => results.best(matrix, dtype, by('csr', 'balanced'));
  const overCsri = cases.flatMap((one) => csriOf(one)?.coldUs / one.coo.coldUs || []);
  const beyond = slowdowns.filter((slowdown) => slowdown > 2).length;
  return {
    title: 'Flegar & Anzt 2017: COO',
    claim:
      'never more than twice as long as the best of COO, CSR, CSR5, SELL-P and HYB, except for two outliers among 248 matrices',
    header: ['matrix', 'COO', 'by', 'the best other', 'of', 'times as long', 'CSRI'],
    rows: cases.map(({ matrix, coo, best }, k) => [
      ...[matrix.title, us(coo), coo.method, us(best), `${best.library} ${best.requested}`, ratio(slowdowns[k])],
      us(csriOf({ matrix })),
    ]),
    found:
      `at most ${ratio(Math.max(...slowdowns))}; beyond 2 on ${beyond} of ${cases.length}` +
      (overCsri.length === 0 ? '' : `; ${ratio(geometricMean(overCsri))} × as fast as balanced CSR (CSRI)`),
  };
}

function csr3(results, dtype) {
  const cases = casesOf(results, dtype, {
    csr3: by('csrk?k=3', 'gpuspmv3', 'gpuspmv3_5'),
    csr5: by('csr5', 'tiles'),
    peer: cusparse(PREPROCESSED),
  });
  const mean = (isRegular, key) =>
    ratio(
      geometricMean(
        cases.filter(({ matrix }) => matrix.regular === isRegular).map((one) => one[key].coldUs / one.csr3.coldUs),
      ),
    );
  return {
    title: 'Lane & Booth 2022: CSR-3',
    claim:
      'on an A100, regular matrices: 1.11 × as fast as CSR5, 1.22 × as fast as cuSPARSE; irregular ones: 0.45 × and 0.45 × (means of GFLOP/s)',
    header: ['matrix', 'rows are', 'GPUSpMV-3 or -3.5', 'CSR5', 'cuSPARSE CSR', 'over CSR5', 'over cuSPARSE'],
    rows: cases.map(({ matrix, csr3: own, csr5, peer }) => [
      ...[matrix.title, matrix.regular ? 'regular' : 'irregular', us(own), us(csr5), us(peer)],
      ...[ratio(csr5.coldUs / own.coldUs), ratio(peer.coldUs / own.coldUs)],
    ]),
    found: [true, false]
      .map((isRegular) => {
        const [five, peer] = [mean(isRegular, 'csr5'), mean(isRegular, 'peer')];
        return `${isRegular ? 'regular' : 'irregular'}: ${five} × as fast as CSR5, ${peer} × as fast as cuSPARSE (geometric means)`;
      })
      .join('; '),
  };
}

/** Products of a format by one of a paper's kernels, whatever their parameters; of products in two stages the name of the first counts. */
const by =
  (format, ...methods) =>
  (line) =>
    ours(format)(line) && methods.includes(line.method.split(/[? ]/, 1)[0]);

/** Bell & Garland's kernels: a thread for each row of DIA and ELL, the scalar and the vector kernel of CSR, segmented COO. */
const BELL_GARLAND = {
  dia: by('dia', 'row'),
  ell: by('ell', 'row'),
  hyb: (line) => by('hyb', 'row')(line) && /^[^+]*( \+ segmented)?$/.test(line.method),
  pkt: (line) => by('pkt', 'packets')(line) && /^[^+]*( \+ segmented)?$/.test(line.method),
  csr: by('csr', 'scalar', 'vector'),
  coo: by('coo', 'segmented'),
};

/** Those of Abdelfattah et al. */
const KERNELS = ['k1', 'k2', 'k3'];

const hasBlocks = ({ block }) => block !== undefined;

/** Whether a product has blocks as large as those of the matrix; their size was given or found. */
const bsrBy =
  (...methods) =>
  (line, { block }) =>
    by(line.requested.split(' ')[0], ...methods)(line) && line.format === `bsr?blockSize=${block}`;

const isBlocksOfCusparse = ({ library, format }) => library === 'cuSPARSE' && /^bsr/.test(format);

/** Whether a product is one of balanced BSR, for any λ. The kernels do not cut its block rows further. */
const isBalanced = (line, { block }) =>
  by(line.requested.split(' ')[0], ...KERNELS)(line) && line.format.startsWith(`bsr?blockSize=${block}&maxRowBlocks=`);

/** Whether the kernel has cut long block rows by itself. */
const isCut = ({ method }) => /[?&]maxRowBlocks=/.test(method);

function blocks(results, dtype) {
  const cases = casesOf(results, dtype, { bsr: bsrBy(...KERNELS), peer: isBlocksOfCusparse }, hasBlocks);
  const ratios = cases.map(({ bsr, peer }) => peer.coldUs / bsr.coldUs);
  return {
    title: 'Abdelfattah et al. 2016: BSR',
    claim:
      'at least 3 × as fast as cuSPARSE’s BSR from blocks of about 7 on; 2.4 × on a reservoir in 7×7 blocks (K40c, f64)',
    header: ['matrix', 'BSR', 'by', 'cuSPARSE', 'its product', 'times as fast'],
    rows: cases.map(({ matrix, bsr, peer }, k) => [
      ...[matrix.title, us(bsr), bsr.method, us(peer), peer.requested, ratio(ratios[k])],
    ]),
    found: `${ratio(geometricMean(ratios))} × as fast (geometric mean)`,
  };
}

function largeBlocks(results, dtype) {
  const isLarge = ({ block }) => block > 8;
  const cases = casesOf(results, dtype, { k3: bsrBy('k3'), peer: isBlocksOfCusparse }, isLarge);
  const k2Of = ({ matrix }) => results.best(matrix, dtype, (line) => bsrBy('k2')(line, matrix));
  const overK2 = cases.flatMap((one) => k2Of(one)?.coldUs / one.k3.coldUs || []);
  const overPeer = cases.map(({ k3, peer }) => peer.coldUs / k3.coldUs);
  return {
    title: 'Abdelfattah et al. 2016: large blocks, K3',
    claim: 'K3 takes over from K2 at blocks of 45, up to hundreds; K2 meets the limits of threads and registers there',
    header: ['matrix', 'K3', 'by', 'GB/s', 'K2', 'cuSPARSE', 'its product', 'over K2', 'over cuSPARSE'],
    rows: cases.map((one, k) => {
      const { matrix, k3, peer } = one;
      const k2 = k2Of(one);
      return [
        ...[matrix.title, us(k3), k3.method, k3.gbps?.toFixed(0) ?? '–', us(k2), us(peer), peer.requested],
        ...[ratio(k2 && k2.coldUs / k3.coldUs), ratio(overPeer[k])],
      ];
    }),
    found:
      `${ratio(geometricMean(overPeer))} × as fast as cuSPARSE (geometric mean)` +
      (overK2.length === 0 ? '' : `, ${ratio(geometricMean(overK2))} × as fast as K2`),
  };
}

function balanced(results, dtype) {
  const isWhole = (line, matrix) => bsrBy(...KERNELS)(line, matrix) && !isCut(line);
  const cases = casesOf(results, dtype, { plain: isWhole, balanced: isBalanced }, hasBlocks);
  const gain = (one) => one.plain.coldUs / one.balanced.coldUs;
  const cutOf = ({ matrix }) => results.best(matrix, dtype, (line) => bsrBy(...KERNELS)(line, matrix) && isCut(line));
  return {
    title: 'Abdelfattah et al. 2016: balanced BSR',
    claim: 'no gain where rows are alike; up to 6.2 × (rajat22) and 15 × (shermanACb) where a few are very long',
    header: ['matrix', 'longest row', 'mean', 'BSR, uncut', 'balanced', 'gain', 'cut by our kernel'],
    rows: cases.map((one) => [
      ...[one.matrix.title, String(one.matrix.max), one.matrix.mean.toFixed(1), us(one.plain), us(one.balanced)],
      ...[ratio(gain(one)), us(cutOf(one))],
    ]),
    found: cases.map((one) => `${one.matrix.title}: ${ratio(gain(one))} ×`).join('; '),
  };
}

/** A table of formats, each by its kernels: a row for each matrix, with the formats in the order of their times. */
function race(results, dtype, kernels, isWanted = () => true) {
  return inFull(results)
    .filter(isWanted)
    .flatMap((matrix) => {
      const lines = Object.entries(kernels).map(([format, isIt]) => [format, results.best(matrix, dtype, isIt)]);
      const order = lines.filter(([, line]) => line !== undefined).sort(([, a], [, b]) => a.coldUs - b.coldUs);
      return order.length < 2 ? [] : [{ matrix, lines, order: order.map(([format]) => format) }];
    });
}

const raceRows = (races) =>
  races.map(({ matrix, lines, order }) => [matrix.title, ...lines.map(([, line]) => us(line)), order.join(' < ')]);

function structured(results, dtype) {
  const races = race(results, dtype, BELL_GARLAND, ({ name }) => STRUCTURED.test(name));
  const holds = ({ order }) => order[0] === 'dia' && ['ell', 'hyb'].includes(order[1]);
  return {
    title: 'Bell & Garland 2008: structured grids',
    claim: 'DIA is the fastest, ELL (and HYB, which is ELL here) uniformly a little slower, then PKT, CSR and COO',
    header: ['matrix', ...Object.keys(BELL_GARLAND), 'order'],
    rows: raceRows(races),
    found: `DIA, then ELL or HYB on ${races.filter(holds).length} of ${races.length}`,
  };
}

function unstructured(results, dtype) {
  const { hyb, csr, pkt, coo } = BELL_GARLAND;
  const races = race(results, dtype, { hyb, csr, pkt, coo }, ({ name }) => !STRUCTURED.test(name));
  const before = (order, a, b) => order.includes(b) && order.indexOf(a) < order.indexOf(b) && order.includes(a);
  return {
    title: 'Bell & Garland 2008: unstructured matrices',
    claim:
      'HYB is generally the fastest, ahead of PKT except on one matrix; CSR (a warp a row) wins where there are few, long rows: dense',
    header: ['matrix', 'hyb', 'csr', 'pkt', 'coo', 'order'],
    rows: raceRows(races),
    found:
      `HYB first on ${races.filter(({ order }) => order[0] === 'hyb').length} of ${races.length}, ` +
      `ahead of PKT on ${races.filter(({ order }) => before(order, 'hyb', 'pkt')).length}`,
  };
}

function jindal(results, dtype) {
  const byColumns = 'coo?adds=atomic&order=column';
  const races = race(results, dtype, {
    [byColumns]: by(byColumns, 'element'),
    'coo?adds=atomic': by('coo?adds=atomic', 'element'),
    components: by('components', 'slices'),
  });
  return {
    title: 'Jindal: atomic adds and components',
    claim: 'atomic adds are mostly faster by columns than by rows, and faster than components',
    header: ['matrix', 'atomic, by columns', 'atomic, by rows', 'components', 'order'],
    rows: raceRows(races),
    found: `atomic adds by columns first on ${races.filter(({ order }) => order[0] === byColumns).length} of ${races.length}`,
  };
}
