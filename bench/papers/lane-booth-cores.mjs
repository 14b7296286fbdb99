/** Lane & Booth's §6: CSR-2 on CPUs against CSR-3 and CSR5, the super-row size 96, and the scalability over the matrices of their table. */
import { bars } from './charts.mjs';
import { LANE_BOOTH_CORES as PAPER } from './published.mjs';
import { asMuch, below, geometricMeanOf, known, meanOf, percent, ratio, short, times } from './words.mjs';

const SUITE = 'lane-booth-1';
/** The plain C loop, which takes the place of MKL. */
const LOOP = 'gcc -O3 -march=native';
const TWO = ['sparlane csrk', 'sparlane csrk?superRowSize=96'];
const CSR = 'sparlane csr';
const THREE = 'sparlane csrk?k=3';
const FIVE = 'sparlane csr5';
const AOCL = 'AOCL-Sparse';
const NARROW = ['sparlane csrk?index=16', 'sparlane csrk?index=16&superRowSize=96'];
const CLASSES = [
  ['regular', true],
  ['irregular', false],
];

export function chapter(results) {
  const runs = results
    .onCores(SUITE)
    .filter(({ products }) => products.some(({ contender }) => TWO.includes(contender)));
  if (runs.length === 0) return undefined;
  const all = runs.map(measured);
  const [banded, narrowed] = ['bandk', 'rcm'].map((order) => results.onCores(SUITE, 'f64', order).map(measured));
  return {
    title: 'Lane & Booth 2022, on CPUs',
    repeat: 'bench/papers-on-cores OUT 600 lane-booth lane-booth-scaling lane-booth-orders',
    matrices: all.map(({ words }) => words).join('; '),
    claims: [...all.flatMap(claimsOf), ...banded.flatMap((own) => ordered(own, narrowed))],
    charts: all.flatMap((one) => CLASSES.map(([word, isRegular]) => chart(one, word, isRegular))),
  };
}

/** Describes a run: its matrices, and GFLOP/s by matrix, contender and threads. */
function measured({ machine, matrices, products }) {
  const speeds = new Map(products.map((line) => [`${line.matrix} ${line.contender} ${line.threads}`, line.gflops]));
  const most = Math.max(...products.map(({ threads }) => threads));
  const speed = (matrix, contenders, threads = most) => {
    const found = known([contenders].flat().map((name) => speeds.get(`${matrix} ${name} ${threads}`)));
    return found.length === 0 ? undefined : Math.max(...found);
  };
  const entries = matrices.reduce((sum, { nnz }) => sum + nnz, 0) / matrices.length;
  const words = `${matrices.length} matrices of ${short(entries / 1e6)} million entries in the mean, on ${most} of ${machine.cores} cores of ${machine.cpu}`;
  return { machine, matrices, most, speed, words };
}

function claimsOf({ machine, matrices, most, speed }) {
  const on = `${most} cores of ${machine.cpu}`;
  const rows = CLASSES.flatMap(([word, isRegular]) => {
    const some = matrices.filter(({ regular }) => regular === isRegular).map(({ matrix }) => matrix);
    const mean = (contenders) => meanOf(some.map((matrix) => speed(matrix, contenders)));
    const over = (claim, rival, figure, wanted) => {
      const got = ratio(mean(TWO), mean(rival));
      if (got === undefined) return [];
      const here = `${short(mean(TWO))} over ${short(mean(rival))}: ${times(got)}, ${some.length} matrices`;
      return [{ claim: `${word}: ${claim}`, method: on, figure, here, verdict: wanted && asMuch(wanted, got) }];
    };
    const five = Object.entries(PAPER[word]).map(([name, speeds]) => [name, speeds['CSR-2'] / speeds.CSR5]);
    return [
      ...over(
        'CSR-2 over CSR5, means of GFLOP/s',
        FIVE,
        five.map(([name, gain]) => `${name} ${times(gain)}`).join(', '),
        Math.min(...five.map(([, gain]) => gain)),
      ),
      ...over('CSR-2 over CSR-3', THREE, 'CSR-3 never faster in the mean', 1.14),
      ...over('CSR-2 over the plain C loop', LOOP, '–', undefined),
      ...over('CSR-2 over CSR-2 with columns of 16 bits', NARROW, '–', undefined),
    ];
  });
  return [...rows, ...sizes(matrices, speed, on), ...scalability(matrices, speed, most, on)];
}

/** Compares CSR-2 in its Band-k order with rivals in reverse Cuthill–McKee order, which another run on the same kind of CPU has measured. */
function ordered({ machine, matrices, most, speed }, rivals) {
  const theirs = rivals.find((one) => one.machine.cpu === machine.cpu && one.most === most);
  if (theirs === undefined) return [];
  return CLASSES.flatMap(([word, isRegular]) => {
    const some = matrices.filter(({ regular }) => regular === isRegular).map(({ matrix }) => matrix);
    const mean = (of, contender) => meanOf(some.map((matrix) => of(matrix, contender)));
    const [mine, csr, csrOfRivals] = [mean(speed, TWO), mean(speed, CSR), mean(theirs.speed, CSR)];
    const gains = Object.values(PAPER[word]).map((speeds) => speeds['CSR-2'] / speeds.CSR5);
    return [
      [FIVE, 'CSR5', Math.min(...gains)],
      [LOOP, 'the plain C loop'],
      [AOCL, AOCL],
    ].map(([rival, name, wanted]) => {
      const other = mean(theirs.speed, rival);
      const got = ratio(mine, other);
      const inRun = ratio(ratio(mine, csr), ratio(other, csrOfRivals));
      return {
        claim: `${word}: CSR-2 in Band-k order over ${name} in RCM order, means of GFLOP/s`,
        method: `${most} cores of ${machine.cpu}, two runs`,
        figure: wanted === undefined ? '–' : `at least ${times(wanted)}`,
        here: `${short(mine)} over ${short(other)}: ${times(got)}, ${some.length} matrices; both over \`csr\` in their order and run: ${times(inRun)}`,
        verdict: wanted && asMuch(wanted, got),
      };
    });
  });
}

/** The claim "one might use a SRS = 96 for all": how much longer that takes than the best of the measured sizes. */
function sizes(matrices, speed, on) {
  const all = [8, 16, 32, 64, 128, 256, 512, 1024, 2048].map((size) => `sparlane csrk?superRowSize=${size}`);
  const losses = known(
    matrices.map(({ matrix }) => {
      const usual = speed(matrix, TWO);
      const best = speed(matrix, all);
      return best === undefined ? undefined : ratio(Math.max(best, usual), usual);
    }),
  );
  if (losses.length === 0) return [];
  const loss = geometricMeanOf(losses) - 1;
  const here = `${percent(loss)} longer than the best of 8 to 2048 in the mean, ${percent(Math.max(...losses) - 1)} at worst`;
  return [
    {
      claim: 'super-rows of 96 rows are good enough',
      method: on,
      figure: 'good enough',
      here,
      verdict: below(loss, 0.05, 0.1),
    },
  ];
}

/** The claim of figure 5, with the C loop on one core in the place of MKL's. */
function scalability(matrices, speed, most, on) {
  if (most < 8) return [];
  const over = geometricMeanOf(
    matrices.map(({ matrix }) => ratio(speed(matrix, TWO), speed(matrix, LOOP, 1) ?? speed(matrix, 'sparlane csr', 1))),
  );
  const [least, greatest] = PAPER.at16;
  return [
    {
      claim: 'CSR-2 over a plain product on one core (Fig 5, geometric mean)',
      method: on,
      figure: `${least} to ${greatest} × on 16 cores`,
      here: times(over),
      verdict: most === 16 ? asMuch(least, over) : undefined,
    },
  ];
}

function chart({ machine, matrices, most, speed }, word, isRegular) {
  const series = { 'CSR-2': TWO, 'CSR-3': THREE, CSR5: FIVE, 'C loop': LOOP };
  const rows = matrices
    .filter(({ regular }) => regular === isRegular)
    .flatMap(({ matrix }) =>
      Object.entries(series).map(([name, one]) => ({ group: matrix, series: name, value: speed(matrix, one) })),
    );
  const title = `Figure 6: GFLOP/s, f64, ${word} matrices, ${most} cores of ${machine.cpu}`;
  const svg = bars({ label: title, rows, series: Object.keys(series), unit: 'GFLOP/s, f64' });
  return { name: `lane-booth-6-${word}-${machine.cores}`, title, svg };
}
