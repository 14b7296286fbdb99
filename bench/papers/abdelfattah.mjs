/** Abdelfattah et al., figures 10 to 18 and 21, table III: their kernels without our own cuts of long block rows, and the balanced layout. */
import { K3_FROM, LAMBDA } from '../cuda/papers/plans.mjs';
import { bars, panels } from './charts.mjs';
import { BALANCED, MACHINES, ABDELFATTAH as PAPER } from './published.mjs';
import { above, asMuch, below, geometricMeanOf, known, rangeOf, ratio, times } from './words.mjs';

/** The size of blocks from which KSPARSE is compared. §6.3: it "outperforms all others after a block size around seven". */
const FROM = 7;
export const RESERVOIR = 'spe5Ref_dpdp';
const UNEVEN = ['rajat22', 'shermanACb'];
const KERNELS = ['k1', 'k2', 'k3'];

/** GFLOP/s of each of the paper's libraries, by those that stand for them here. */
const LIBRARIES = {
  KSPARSE: (one) =>
    one.gflops(
      'f64',
      'sparlane',
      KERNELS.map((name) => `bsr?blockSize=${one.block} ${name}?maxRowBlocks=0`),
    ),
  'balanced KSPARSE': (one) =>
    one.gflops(
      'f64',
      'sparlane',
      KERNELS.map((name) => `bsr?blockSize=${one.block}&maxRowBlocks=${LAMBDA} ${name}`),
    ),
  'cuSPARSE BSR': (one) => one.gflops('f64', 'cuSPARSE', [`bsr ${one.block}`, `bsrmv ${one.block}`]),
  'HYB (ours)': (one) => one.gflops('f64', 'sparlane', 'hyb row'),
  'SELL-P (ours)': (one) => one.gflops('f64', 'sparlane', 'sell row'),
  'sparlane bsr': (one) => one.gflops('f64', 'sparlane', `bsr?blockSize=${one.block}`),
};
const RIVALS = { BSR: 'cuSPARSE BSR', HYB: 'HYB (ours)', SELLP: 'SELL-P (ours)' };

const baseOf = ({ matrix }) => matrix.replace(/ b=\d+$/, '');

export function chapter(results) {
  const cases = results.cases('abdelfattah');
  if (cases.length === 0) return undefined;
  const bases = [...new Set(cases.map(baseOf))];
  return {
    title: 'Abdelfattah et al. 2016, "Performance optimization of SpMV for multi-component PDE-based applications"',
    matrices: `Table II at full size, in blocks of 2 to 32, up to 266 million entries, and in blocks of 48 and 64, of at most 60 million (${cases.length} matrices, of nine stand-ins); the reservoir exactly`,
    claims: [...speedups(cases, bases), ...balanced(cases), ...large(cases)],
    tables: [tableOf(cases, bases)],
    charts: [figures(cases), bothMachines(cases, bases), bySize(cases), reservoir(cases)].filter(Boolean),
  };
}

const ofBase = (cases, base) => cases.filter((one) => baseOf(one) === base);

/** How many times as fast as a rival, in the geometric mean of the blocks from 7 on. The uneven matrices are judged by the balanced kernel, as in the paper. */
function gain(cases, base, rival) {
  const own = UNEVEN.includes(base) ? LIBRARIES['balanced KSPARSE'] : LIBRARIES.KSPARSE;
  const ratios = ofBase(cases, base)
    .filter(({ block }) => block >= FROM)
    .map((one) => ratio(own(one), LIBRARIES[RIVALS[rival]](one)));
  return geometricMeanOf(ratios);
}

function speedups(cases, bases) {
  const even = bases.filter((base) => PAPER[base] !== undefined && !UNEVEN.includes(base) && base !== RESERVOIR);
  return Object.entries(RIVALS).map(([rival, name]) => {
    const [paper, here] = [even.map((base) => PAPER[base][rival]), even.map((base) => gain(cases, base, rival))];
    return {
      claim: `from blocks of ${FROM} on, KSPARSE over ${name}, seven even matrices`,
      method: `the fastest of k1, k2, k3, not cut; ${name}`,
      figure: rangeOf(paper),
      here: rangeOf(here),
      verdict: asMuch(geometricMeanOf(paper), geometricMeanOf(here)),
    };
  });
}

function balanced(cases) {
  const gains = (base) =>
    known(ofBase(cases, base).map((one) => ratio(LIBRARIES['balanced KSPARSE'](one), LIBRARIES.KSPARSE(one))));
  const even = [...new Set(cases.map(baseOf))].filter((base) => !UNEVEN.includes(base));
  const evenGain = geometricMeanOf(even.flatMap(gains));
  const row = (claim, figure, here, verdict) => ({
    claim,
    method: `k1, k2, k3 with λ = ${LAMBDA} over not cut`,
    figure,
    here,
    verdict,
  });
  return [
    ...UNEVEN.filter((base) => gains(base).length > 0).map((base) => {
      const most = Math.max(...gains(base));
      return row(
        `balanced rows gain up to so much on ${base}`,
        times(BALANCED[base]),
        times(most),
        asMuch(BALANCED[base], most),
      );
    }),
    row(
      'balanced rows gain nothing where rows are alike',
      'no clear advantage',
      evenGain === undefined ? '–' : `${times(evenGain)} in the mean`,
      below(evenGain, 1.05, 1.3),
    ),
  ];
}

/** The claims of figure 21, and about the third kernel, "for large blocks". */
function large(cases) {
  const one = cases.find(({ matrix }) => matrix === RESERVOIR);
  const rows =
    one === undefined
      ? []
      : Object.entries(RIVALS).map(([rival, name]) => {
          const here = ratio(LIBRARIES.KSPARSE(one), LIBRARIES[name](one));
          return {
            claim: `the reservoir, ${one.nnz.toLocaleString('en-US')} entries: KSPARSE over ${name}`,
            method: 'the fastest of k1, k2, not cut',
            figure: times(PAPER[RESERVOIR][rival]),
            here: times(here),
            verdict: asMuch(PAPER[RESERVOIR][rival], here),
          };
        });
  const third = cases.filter(({ block }) => block >= K3_FROM);
  const over = known(
    third.map((big) =>
      ratio(
        big.us('f64', 'sparlane', `bsr?blockSize=${big.block} k2?maxRowBlocks=0`),
        big.us('f64', 'sparlane', `bsr?blockSize=${big.block} k3?maxRowBlocks=0`),
      ),
    ),
  );
  if (over.length === 0) return rows;
  const mean = geometricMeanOf(over);
  return [
    ...rows,
    {
      claim: `K3 is faster than K2 from blocks of ${K3_FROM} on`,
      method: 'k3 over k2, blocks of 48 and 64',
      figure: 'its range',
      here: `${times(mean)} in the mean of ${over.length}`,
      verdict: above(mean, 1.02, 0.95),
    },
  ];
}

function tableOf(cases, bases) {
  const rivals = Object.keys(RIVALS);
  return {
    title: `Table III, times as fast: ${MACHINES.abdelfattah}, and here from blocks of ${FROM} on`,
    header: ['matrix', ...rivals.map((rival) => `${rival}, paper`), ...rivals.map((rival) => `${RIVALS[rival]}, here`)],
    rows: bases
      .filter((base) => PAPER[base] !== undefined)
      .map((base) => [
        base,
        ...rivals.map((rival) => times(PAPER[base][rival])),
        ...rivals.map((rival) => times(gain(cases, base, rival))),
      ]),
  };
}

/** Draws table III as bars: the paper's beside ours. */
function bothMachines(cases, bases) {
  const rivals = Object.keys(RIVALS);
  const series = rivals.flatMap((rival) => [`over ${rival}: paper`, `over ${rival}: here`]);
  const rows = bases
    .filter((base) => PAPER[base] !== undefined)
    .flatMap((base) =>
      rivals.flatMap((rival, k) => [
        { group: base, series: series[2 * k], value: PAPER[base][rival] },
        { group: base, series: series[2 * k + 1], value: gain(cases, base, rival) },
      ]),
    );
  const title = `Table III: times as fast, ${MACHINES.abdelfattah} and here`;
  const svg = bars({ label: title, rows, series, unit: 'times as fast, logarithmic', log: true, ruler: 1 });
  return svg && { name: 'abdelfattah-iii-both', title, svg };
}

/** Draws figures 10 to 18. */
function figures(cases) {
  const series = Object.keys(LIBRARIES);
  const rows = cases
    .filter(({ matrix }) => matrix !== RESERVOIR)
    .flatMap((one) =>
      series.map((name) => ({ panel: baseOf(one), series: name, x: one.block, y: LIBRARIES[name](one) })),
    );
  rows.sort((a, b) => a.panel.localeCompare(b.panel) || a.x - b.x);
  const title = 'Figures 10 to 18: GFLOP/s in f64 by the size of blocks';
  const svg = panels({ label: title, rows, series, x: 'size of blocks', y: 'GFLOP/s, f64' });
  return svg && { name: 'abdelfattah-10', title, svg };
}

/** Draws table III by the size of blocks. */
function bySize(cases) {
  const patterns = cases.filter(({ matrix }) => matrix !== RESERVOIR);
  const even = patterns.filter((one) => !UNEVEN.includes(baseOf(one)));
  const sizes = [...new Set(patterns.map(({ block }) => block))].sort((a, b) => a - b);
  const rows = sizes.flatMap((size) =>
    Object.entries(RIVALS).map(([rival, name]) => ({
      ...{ group: `${size} × ${size}`, series: `over ${name}` },
      value: geometricMeanOf(
        even
          .filter(({ block }) => block === size)
          .map((one) => ratio(LIBRARIES.KSPARSE(one), LIBRARIES[RIVALS[rival]](one))),
      ),
    })),
  );
  const title = 'Table III by the size of blocks: KSPARSE times as fast, geometric means of the seven even matrices';
  const svg = bars({
    label: title,
    rows,
    series: Object.values(RIVALS).map((name) => `over ${name}`),
    unit: 'times as fast',
    ruler: 1,
  });
  return svg && { name: 'abdelfattah-iii', title, svg };
}

function reservoir(cases) {
  const one = cases.find(({ matrix }) => matrix === RESERVOIR);
  if (one === undefined) return undefined;
  const rows = Object.entries(LIBRARIES).map(([name, speed]) => ({ group: name, series: 'here', value: speed(one) }));
  const title = `Figure 21: GFLOP/s in f64, the reservoir of ${one.nnz.toLocaleString('en-US')} entries`;
  const svg = bars({ label: title, rows, series: ['here'], unit: 'GFLOP/s, f64' });
  return svg && { name: 'abdelfattah-21', title, svg };
}
