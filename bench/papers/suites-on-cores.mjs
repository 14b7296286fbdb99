/** The papers' tables on a CPU of many cores: ours over the plain C loop and over the fastest of the other libraries, by the size of a matrix. */
import { group } from 'd3-array';
import { geometricMeanOf, known, ratio, short } from './words.mjs';

/** The table has these suites, and calls them by these names. */
const SUITES = {
  'bell-garland-3': 'Bell & Garland, Table 3',
  'bell-garland-4': 'Bell & Garland, Table 4',
  'lane-booth-1': 'Lane & Booth, Table 1',
  jindal: 'Jindal',
  'abdelfattah-2': 'Abdelfattah et al., Table II, blocks of 2 to 32',
  lp: 'linear programs, A and its transpose',
};
const DTYPES = ['f64', 'f32'];
/** A run on fewer cores is not in this table: the README's has most of its matrices at a part of their size. */
const LEAST_CORES = 8;
const LOOP = 'gcc -O3 -march=native';
const MIB = 2 ** 20;
/** Matrices are grouped by the bytes of CSR. Chosen. */
const SIZES = [
  ['up to 64 MiB', ({ bytes }) => bytes <= 64 * MIB],
  ['larger', ({ bytes }) => bytes > 64 * MIB],
];

export function chapter(results) {
  const runs = Object.keys(SUITES).flatMap((suite) =>
    DTYPES.flatMap((dtype) => results.onCores(suite, dtype).map((run) => ({ suite, dtype, ...run }))),
  );
  const measured = runs.filter(({ machine }) => machine.cores >= LEAST_CORES);
  if (measured.length === 0) return undefined;
  const machines = [
    ...new Set(measured.map(({ machine }) => `${machine.cores} cores of ${machine.cpu}, Node ${machine.node}`)),
  ];
  const dates = [...new Set(measured.flatMap(({ commits }) => commits))];
  return {
    title: 'The papers’ tables on 16 cores',
    repeat: 'bench/papers-on-cores OUT 600 lane-booth lane-booth-scaling jindal abdelfattah abdelfattah-large',
    matrices: `${machines.join('; ')} (${dates.join('; ')}); formats of ours and other libraries in turn, every product verified, caches as they are. Ratios are geometric means`,
    claims: [],
    tables: [
      {
        title: `Times as fast as the C loop (${LOOP}, OpenMP), and \`auto\` over the fastest of the loop and of other libraries`,
        header: [
          ...[
            'matrices',
            'CSR has',
            'number',
            'type',
            'threads',
            '`auto`',
            'least',
            '`csr`',
            'least',
            'the fastest of ours',
          ],
          ...['`auto` over the fastest other', 'slower on', 'others'],
        ],
        rows: measured.flatMap(rowsOf),
      },
    ],
  };
}

function rowsOf({ suite, dtype, products }) {
  const byThreads = group(products, ({ threads }) => threads);
  return [...byThreads]
    .sort(([a], [b]) => a - b)
    .flatMap(([threads, lines]) =>
      SIZES.flatMap(([size, isIt]) => rowOf({ suite, dtype, threads, size }, lines, isIt)),
    );
}

function rowOf({ suite, dtype, threads, size }, lines, isIt) {
  const cases = [...group(lines, ({ matrix }) => matrix).values()].map(caseOf).filter((one) => one.loop && isIt(one));
  if (cases.length === 0) return [];
  const over = (name) => known(cases.map((one) => ratio(one[name], one.loop)));
  const rivals = known(cases.map((one) => ratio(one.auto, one.rival)));
  const least = (numbers) => (numbers.length === 0 ? undefined : Math.min(...numbers));
  const others = [...new Set(cases.flatMap(({ others }) => others))].sort().join(', ');
  return [
    [
      ...[SUITES[suite], size, cases.length, dtype, threads],
      ...[geometricMeanOf(over('auto')), least(over('auto')), geometricMeanOf(over('csr')), least(over('csr'))].map(
        short,
      ),
      ...[short(geometricMeanOf(over('best'))), short(geometricMeanOf(rivals))],
      ...[rivals.length === 0 ? '–' : rivals.filter((one) => one < 1).length, others || '–'],
    ],
  ];
}

/** The figures of a matrix in GFLOP/s. */
function caseOf(lines) {
  const speeds = new Map(lines.map(({ contender, gflops }) => [contender, gflops]));
  const ours = [...speeds].filter(([name]) => name.startsWith('sparlane '));
  const theirs = [...speeds].filter(([name]) => !name.startsWith('sparlane '));
  return {
    ...{ auto: speeds.get('sparlane auto'), csr: speeds.get('sparlane csr'), loop: speeds.get(LOOP) },
    best: Math.max(...ours.map(([, speed]) => speed)),
    rival: Math.max(...theirs.map(([, speed]) => speed)),
    bytes: lines.find(({ contender }) => contender === LOOP)?.bytes,
    others: theirs.map(([name]) => name).filter((name) => name !== LOOP),
  };
}
