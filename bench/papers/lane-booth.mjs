/** Lane & Booth's figure 7: CSR-3 with its Band-k order and re-derived sizes, CSR5 as it comes, cuSPARSE after reverse Cuthill-McKee. */
import { csr3For } from '../cuda/papers/plans.mjs';
import { PREPROCESSED } from '../cuda/results.mjs';
import { bars } from './charts.mjs';
import { MACHINES, LANE_BOOTH as PAPER } from './published.mjs';
import { FAILS, HOLDS, known, meanOf, PARTLY, rangeOf, ratio, short, times } from './words.mjs';

/** §4.1: a thread computes a row up to this number of entries in the mean row. */
const SERIAL_DENSITY = 8;

const kernelFor = ({ mean }) => (mean <= SERIAL_DENSITY ? 'gpuspmv3' : 'gpuspmv3_5');

/** GFLOP/s of each contender, by name. */
function contenders(dtype) {
  const of = (library, requested, order) => (one) =>
    one.gflops(dtype, library, typeof requested === 'function' ? requested(one) : requested, order);
  return {
    'CSR-3': of('sparlane', (one) => `csrk ${kernelFor(one)}`, 'bandk'),
    'CSR-3, natural order': of('sparlane', (one) => `${csr3For('hopper', one.mean)} ${kernelFor(one)}`),
    'CSR-3, sizes for Ampere': of('sparlane', (one) => `${csr3For('ampere', one.mean)} gpuspmv`),
    'CSR-2': of('sparlane', 'csrk gpuspmv'),
    CSR5: of('sparlane', 'csr5 tiles'),
    cuSPARSE: of('cuSPARSE', PREPROCESSED, 'rcm'),
    'cuSPARSE, natural order': of('cuSPARSE', PREPROCESSED),
    'sparlane csr': of('sparlane', 'csr'),
  };
}

export function chapter(results) {
  const all = results.cases('lane-booth');
  if (all.length === 0) return undefined;
  const dtypes = ['f64', 'f32'].filter((dtype) => all.some((one) => contenders(dtype)['CSR-3'](one) !== undefined));
  return {
    title: 'Lane & Booth 2022, "Heterogeneous sparse matrix-vector multiplication via CSR-k"',
    matrices: `Table 1 at full size: ${all.length} of 64 matrices, ${all.filter(({ standIn }) => standIn).length} of them stand-ins`,
    claims: dtypes.flatMap((dtype) => [
      ...claimsOf(all, dtype, true),
      ...claimsOf(all, dtype, false),
      ...orders(all, dtype),
    ]),
    tables: dtypes.map((dtype) => means(all, dtype)),
    charts: dtypes.flatMap((dtype) => [bothMachines(all, dtype), figure(all, dtype, true), figure(all, dtype, false)]),
  };
}

/** The matrices of a class of the paper, by the published figures. */
const ofClass = (cases, isRegular) => cases.filter(({ published }) => published.regular === isRegular);

const meanOfClass = (cases, isRegular, speed) => meanOf(ofClass(cases, isRegular).map(speed));

function claimsOf(all, dtype, isRegular) {
  const speeds = contenders(dtype);
  const word = isRegular ? 'regular' : 'irregular';
  // Means are over the matrices that all three have.
  const cases = all.filter((one) => known(['CSR-3', 'CSR5', 'cuSPARSE'].map((name) => speeds[name](one))).length === 3);
  const here = (name) => meanOfClass(cases, isRegular, speeds[name]);
  return ['CSR5', 'cuSPARSE'].map((rival) => {
    const paper = PAPER[word]['CSR-3'] / PAPER[word][rival];
    const got = ratio(here('CSR-3'), here(rival));
    return {
      claim: `${dtype}, ${word}: CSR-3 over ${rival}, means of GFLOP/s`,
      method: `gpuspmv3 or gpuspmv3_5 after Band-k, ${rival === 'CSR5' ? 'our csr5' : 'cuSPARSE after RCM'}`,
      figure: `${PAPER[word]['CSR-3']} over ${PAPER[word][rival]}: ${times(paper)}`,
      here: `${short(here('CSR-3'))} over ${short(here(rival))}: ${times(got)} (${ofClass(cases, isRegular).length} matrices)`,
      // A loss of the paper holds if it is at most as large here.
      verdict:
        got === undefined ? undefined : got >= paper ? HOLDS : got >= (1 + paper) / 2 && paper > 1 ? PARTLY : FAILS,
    };
  });
}

/** The claims about Band-k, about the sizes of Ampere, and about CSR-2. */
function orders(cases, dtype) {
  const speeds = contenders(dtype);
  const over = (a, b, isRegular) =>
    meanOf(ofClass(cases, isRegular).map((one) => ratio(speeds[a](one), speeds[b](one))));
  const row = (claim, figure, a, b) => ({
    claim: `${dtype}: ${claim}`,
    method: 'the same kernels',
    figure,
    here: `${times(over(a, b, true))} regular, ${times(over(a, b, false))} irregular`,
    verdict: undefined,
  });
  const two = cases
    .filter(
      (one) =>
        speeds['CSR-2'](one) > 1.05 * Math.max(speeds['CSR-3, natural order'](one) ?? 0, speeds['CSR-3'](one) ?? 0),
    )
    .map(({ matrix }) => matrix);
  return [
    row('Band-k over the natural order', '–', 'CSR-3', 'CSR-3, natural order'),
    ownEntries(cases, dtype),
    ...fastest(cases, dtype),
    row(
      'sizes derived for this device over those for Ampere',
      'to be derived for each device',
      'CSR-3, natural order',
      'CSR-3, sizes for Ampere',
    ),
    {
      claim: `${dtype}: CSR-2 is more than 5 % faster than CSR-3 on few matrices`,
      method: 'gpuspmv, k = 2',
      figure: '5 of 64',
      here: `${two.length} of ${cases.length}`,
      verdict: two.length <= 6 ? HOLDS : two.length <= 16 ? PARTLY : FAILS,
    },
  ];
}

/** What Band-k gains on matrices that are no stand-ins, whose entries have no geometry that an order could find. */
function ownEntries(cases, dtype) {
  const speeds = contenders(dtype);
  const exact = cases.filter(({ standIn }) => !standIn);
  const gains = known(exact.map((one) => ratio(speeds['CSR-3'](one), speeds['CSR-3, natural order'](one))));
  return {
    claim: `${dtype}: Band-k over the natural order, matrices with their own entries`,
    method: 'the same kernels',
    figure: '–',
    here: `${times(meanOf(gains))}, ${rangeOf(gains)} (${gains.length} matrices)`,
    verdict: undefined,
  };
}

/** The claims about the faster of both kernels, whatever the density says, in the faster of both orders, over cuSPARSE in the faster of two. */
function fastest(cases, dtype) {
  const best = (one) => {
    const natural = ['gpuspmv3', 'gpuspmv3_5'].map((kernel) => `${csr3For('hopper', one.mean)} ${kernel}`);
    const banded = ['csrk gpuspmv3', 'csrk gpuspmv3_5'];
    const us = known([one.us(dtype, 'sparlane', natural), one.us(dtype, 'sparlane', banded, 'bandk')]);
    return us.length === 0 ? undefined : (2 * one.nnz) / Math.min(...us) / 1e3;
  };
  const speeds = contenders(dtype);
  const theirs = (one) => Math.max(...known([speeds.cuSPARSE(one), speeds['cuSPARSE, natural order'](one)]));
  return [true, false].map((isRegular) => {
    const word = isRegular ? 'regular' : 'irregular';
    const [ours, rival] = [best, theirs].map((speed) => meanOfClass(cases, isRegular, speed));
    return {
      claim: `${dtype}, ${word}: the faster kernel and order of each matrix, over cuSPARSE in its faster order`,
      method: 'gpuspmv3, gpuspmv3_5; natural, Band-k, RCM',
      figure: '–',
      here: `${short(ours)} over ${short(rival)}: ${times(ratio(ours, rival))}`,
      verdict: undefined,
    };
  });
}

function means(cases, dtype) {
  const speeds = contenders(dtype);
  return {
    title: `Means of GFLOP/s, ${dtype}`,
    header: ['', 'regular', 'irregular', 'the paper on an A100: regular', 'irregular'],
    rows: Object.entries(speeds).map(([name, speed]) => [
      ...[name, short(meanOfClass(cases, true, speed)), short(meanOfClass(cases, false, speed))],
      ...[PAPER.regular[name] ?? '–', PAPER.irregular[name] ?? '–'].map(String),
    ]),
  };
}

/** Draws the means as bars: the paper's beside ours. */
function bothMachines(cases, dtype) {
  const speeds = contenders(dtype);
  const series = ['regular: A100', 'regular: here', 'irregular: A100', 'irregular: here'];
  const rows = Object.keys(PAPER.regular).flatMap((name) => {
    const values = ['regular', 'irregular'].flatMap((word) => [
      PAPER[word][name],
      meanOfClass(cases, word === 'regular', speeds[name]),
    ]);
    return values.map((value, k) => ({ group: name, series: series[k], value }));
  });
  const title = `Figure 7, means of GFLOP/s: ${MACHINES['lane-booth']} and here (${dtype})`;
  return { name: `lane-booth-7-${dtype}`, title, svg: bars({ label: title, rows, series, unit: 'GFLOP/s' }) };
}

function figure(cases, dtype, isRegular) {
  const speeds = contenders(dtype);
  const shown = ['CSR-3', 'CSR5', 'cuSPARSE', 'sparlane csr'];
  const rows = ofClass(cases, isRegular).flatMap((one) =>
    shown.map((series) => ({ group: one.matrix, series, value: speeds[series](one) })),
  );
  const title = `Figure 7${isRegular ? 'c' : 'd'}: GFLOP/s, ${dtype}, ${isRegular ? 'regular' : 'irregular'} matrices`;
  return {
    name: `lane-booth-7${isRegular ? 'c' : 'd'}-${dtype}`,
    title,
    svg: bars({ label: title, rows, series: shown, unit: `GFLOP/s, ${dtype}` }),
  };
}
