/** Bell & Garland's tables 3 and 4, figures 3 and 27 to 37: their kernels as printed, with and without the cache of x. */
import {
  DTYPES,
  named,
  STRUCTURED,
  speed,
  strides,
  structuredCharts,
  UNCACHED,
  UNSTRUCTURED,
  unstructuredCharts,
} from './bell-garland-charts.mjs';
import { coresClaims, doublesOfGrids, numbersChart, textClaims } from './bell-garland-numbers.mjs';
import { BYTES_PER_FLOP, BELL_GARLAND as PAPER } from './published.mjs';
import {
  above,
  asMuch,
  below,
  FAILS,
  geometricMeanOf,
  greatest,
  HOLDS,
  known,
  mostly,
  ofAll,
  PARTLY,
  percent,
  ratio,
  short,
  times,
} from './words.mjs';

export function chapter(results) {
  const structured = results.cases('bell-garland', 'bell-garland-3');
  const unstructured = results.cases('bell-garland', 'bell-garland-4');
  const [dense] = results.cases('bell-garland', 'bell-garland-text');
  if (structured.length + unstructured.length === 0) return undefined;
  const ofText = textClaims(unstructured, dense);
  return {
    title: 'Bell & Garland 2008, "Efficient sparse matrix-vector multiplication on CUDA"',
    matrices: `Tables 3 and 4 at full size: ${structured.length} grids, exact, and ${unstructured.length} matrices, of which ${unstructured.filter(({ standIn }) => standIn).length} are stand-ins`,
    claims: [
      ...strideClaims(results),
      ...DTYPES.flatMap((dtype) => gridClaims(structured, dtype, results.readGbps)),
      ...doublesOfGrids(structured),
      ...DTYPES.flatMap((dtype) => otherClaims(unstructured, dtype)),
      ...ofText,
      ...coresClaims(unstructured, results),
    ],
    charts: [
      ...[numbersChart(ofText), strides(results)],
      ...[...structuredCharts(structured), ...unstructuredCharts(unstructured)],
    ].filter(Boolean),
  };
}

function strideClaims(results) {
  const at = (dtype, stride) =>
    results.of('stride').find((line) => line.dtype === dtype && line.stride === stride)?.gbps;
  const [one, far, double] = [at('f32', 1), at('f32', 33), at('f64', 33)];
  if (one === undefined) return [];
  const row = (claim, figure, here, verdict) => ({
    claim,
    method: 'saxpy and daxpy by stride (Figs 2, 3)',
    figure,
    here,
    verdict,
  });
  return [
    row(
      'unit stride is more than ten times as fast as stride 33 (f32)',
      '> 10 ×',
      times(one / far),
      above(one / far, 10, 5),
    ),
    row('at large strides f64 has twice the bandwidth of f32', '2 ×', times(double / far), asMuch(2, double / far)),
  ];
}

/** On how many matrices `first` is the fastest of the kernels, and on how many `second` also follows it. */
function firstTwo(cases, kernels, dtype, [first, second]) {
  const orders = cases.map((one) =>
    kernels
      .map((kernel) => [kernel, speed(one, dtype, kernel)])
      .filter(([, gflops]) => gflops !== undefined)
      .sort((a, b) => b[1] - a[1])
      .map(([kernel]) => kernel),
  );
  return {
    first: orders.filter((order) => order[0] === first).length,
    both: orders.filter((order) => order[0] === first && order[1] === second).length,
  };
}

/** Judges numbers that shall fall one after the other. */
function fallOf(numbers) {
  if (numbers.every((one, k) => k === 0 || one < numbers[k - 1])) return HOLDS;
  return numbers.at(-1) < 0.9 * numbers[0] ? PARTLY : FAILS;
}

/** Makes the row of a claim about one dtype. */
const rowOf = (dtype) => (claim, method, figure, here, verdict) => ({
  claim: `${dtype}: ${claim}`,
  method,
  figure,
  here,
  verdict,
});

function gridClaims(cases, dtype, readGbps) {
  const order = firstTwo(cases, STRUCTURED, dtype, ['dia', 'ell']);
  const grid27 = named(cases, 'Laplace 27pt');
  const perEntry = known(cases.map((one) => ratio(speed(one, dtype, 'csr-vector'), one.mean)));
  const scalar = known(cases.map((one) => speed(one, dtype, 'csr-scalar')));
  const gain = grid27 && ratio(speed(grid27, dtype, 'dia'), speed(grid27, dtype, 'dia', UNCACHED));
  const row = rowOf(dtype);
  const best = (kernel) =>
    Math.max(0, ...known(cases.map((one) => speed(one, dtype, kernel, UNCACHED)))) * BYTES_PER_FLOP[kernel][dtype];
  const figure = PAPER.dia27[dtype];
  return [
    row(
      'DIA is the fastest on grids, then ELL',
      'all six kernels',
      '5 of 5',
      `DIA first on ${order.first} of ${cases.length}, then ELL on ${order.both}`,
      order.first === cases.length && order.both < cases.length ? PARTLY : ofAll(order.both, cases.length),
    ),
    row(
      'the cache of x makes DIA faster, 27 points',
      'dia, texture over bypass',
      dtype === 'f32' ? `${figure.bypass} → ${figure.texture} GFLOP/s, 1.57 ×` : `${figure.texture} GFLOP/s with cache`,
      grid27 === undefined
        ? '–'
        : `${short(speed(grid27, dtype, 'dia', UNCACHED))} → ${short(speed(grid27, dtype, 'dia'))} GFLOP/s, ${times(gain)}`,
      dtype === 'f32' ? asMuch(figure.texture / figure.bypass, gain) : undefined,
    ),
    row(
      'CSR (vector) is proportional to the entries of a row',
      'csr-vector',
      dtype === 'f32' ? `${PAPER.vectorPerEntry[0]} to ${PAPER.vectorPerEntry[1]} GFLOP/s an entry` : '–',
      perEntry.length === 0 ? '–' : `${short(Math.min(...perEntry))} to ${short(Math.max(...perEntry))}`,
      perEntry.length === 0 ? undefined : below(Math.max(...perEntry) / Math.min(...perEntry), 1.15, 1.5),
    ),
    row(
      'CSR (scalar) falls as rows grow, 3 to 27 points',
      'csr-scalar',
      'falls',
      `${scalar.map(short).join(', ')} GFLOP/s`,
      scalar.length < 2 ? undefined : fallOf(scalar),
    ),
    ...(dtype === 'f32' && readGbps !== undefined
      ? [
          row(
            'DIA and ELL without cache reach this part of the bandwidth',
            'dia, ell, bypass; bytes of Table 1',
            `${percent(PAPER.ofPeak.dia)} and ${percent(PAPER.ofPeak.ell)} of 141.7 GB/s`,
            `${percent(best('dia') / readGbps)} and ${percent(best('ell') / readGbps)} of ${short(readGbps)} GB/s`,
            asMuch(1 / PAPER.ofPeak.dia, readGbps / best('dia')) &&
              (best('dia') / readGbps > 0.6 && best('ell') / readGbps > 0.6 ? HOLDS : PARTLY),
          ),
        ]
      : []),
  ];
}

function otherClaims(cases, dtype) {
  const winner = (one) => greatest(UNSTRUCTURED.map((kernel) => [kernel, speed(one, dtype, kernel)]));
  const hyb = cases.filter((one) => winner(one) === 'hyb').length;
  const coo = cases.filter((one) => winner(one) === 'coo').map(({ matrix }) => matrix);
  const pkt = cases.filter((one) => speed(one, dtype, 'pkt') !== undefined);
  const overPkt = pkt.filter((one) => speed(one, dtype, 'hyb') > speed(one, dtype, 'pkt')).length;
  const gain = geometricMeanOf(cases.map((one) => ratio(speed(one, dtype, 'hyb'), speed(one, dtype, 'hyb', UNCACHED))));
  const cooSpeeds = known(cases.map((one) => speed(one, dtype, 'coo')));
  const dense = named(cases, 'Dense');
  const onDense = dense && ratio(speed(dense, dtype, 'csr-vector'), speed(dense, dtype, 'hyb'));
  const spread = Math.max(...cooSpeeds) / Math.min(...cooSpeeds);
  const row = rowOf(dtype);
  return [
    row(
      'HYB is generally the fastest on other matrices',
      'five kernels, Table 4',
      'fastest in general',
      `first on ${hyb} of ${cases.length}`,
      mostly(hyb, cases.length),
    ),
    row(
      'COO is the fastest on LP, and on no other',
      'five kernels, Table 4',
      'LP',
      coo.join(', ') || 'none',
      coo.join() === 'LP' ? HOLDS : coo.includes('LP') ? PARTLY : FAILS,
    ),
    row(
      'HYB with the cache is faster than PKT on all but FEM/Accelerator',
      'hyb, our pkt',
      'all but one',
      `${overPkt} of ${pkt.length}`,
      overPkt >= pkt.length - 1 ? HOLDS : mostly(overPkt, pkt.length),
    ),
    row(
      'the cache of x makes HYB 1.3 × as fast',
      'hyb, texture over bypass',
      times(PAPER.cacheGain),
      times(gain),
      asMuch(PAPER.cacheGain, gain),
    ),
    row(
      'COO varies little',
      'coo',
      dtype === 'f64' ? `${PAPER.cooRange.join(' to ')} GFLOP/s, 1.38 ×` : '–',
      cooSpeeds.length === 0
        ? '–'
        : `${short(Math.min(...cooSpeeds))} to ${short(Math.max(...cooSpeeds))} GFLOP/s, ${times(spread)}`,
      below(spread, 1.6, 3),
    ),
    row(
      'CSR (vector) is faster than HYB on 2000 × 2000 dense',
      'csr-vector, hyb',
      'significantly faster',
      times(onDense),
      asMuch(1.4, onDense),
    ),
  ];
}
