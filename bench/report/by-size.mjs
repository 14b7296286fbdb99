/**
 * Speeds by the size of a matrix: beside C and beside the best peer on each, where the arrays of CSR fit in the last cache, where they are up to
 * four times as large, and beyond. Prints Markdown.
 *
 * usage: npx bench report/by-size RESULTS.jsonl[.gz] [--cache-mib 32] [--blocks]
 *        --cache-mib   the last cache of the machine
 *        --blocks      matrices of blocks (Abdelfattah's suite) instead of all others
 */
import { parseArgs } from 'node:util';
import { print } from '../contenders.mjs';
import { readResults } from '../results-file.mjs';
import { AUTO, BEST, CSR, casesOf, parseResults } from './results.mjs';
import { geometricMean } from './statistics.mjs';

const C = 'gcc -O3 -march=native';
/** Libraries, and plain loops in C; not our own kernels with intrinsics, nor sums in any order. */
const PEERS = [C, 'gcc -O3', 'Eigen', 'librsb', 'SuiteSparse:GraphBLAS', 'PETSc', 'SciPy'];
const BLOCKS = 'abdelfattah-2';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'cache-mib': { type: 'string', default: '32' }, blocks: { type: 'boolean', default: false } },
});
const cacheBytes = Number(flags['cache-mib']) * 2 ** 20;
const CLASSES = [
  { name: `up to half the last cache, ${cacheBytes / 2 ** 21} MiB`, most: cacheBytes / 2 },
  { name: `up to ${cacheBytes / 2 ** 18} MiB`, most: 4 * cacheBytes },
  { name: 'larger', most: Number.POSITIVE_INFINITY },
];

const results = parseResults(positionals.map(readResults));
for (const threads of results.threads) {
  const cases = casesOf(results, { dtype: 'f64', threads }).filter(
    ({ line }) => (line.suite === BLOCKS) === flags.blocks,
  );
  print(`\n${threads} thread${threads > 1 ? 's' : ''}\n`);
  print(
    '| bytes of CSR | matrices | best of ours over C | auto over C | csr over C | best over the best peer | auto over it | auto behind it on |',
  );
  print('| --- | --: | --: | --: | --: | --: | --: | --: |');
  let least = 0;
  for (const { name, most } of [...CLASSES, { name: 'all', most: undefined }]) {
    const ofClass = cases.filter(({ products }) => {
      const bytes = products.get(CSR).bytes;
      return most === undefined || (bytes > least && bytes <= most);
    });
    least = most ?? 0;
    print(`| ${[name, ofClass.length, ...figuresOf(ofClass)].join(' | ')} |`);
  }
}

function figuresOf(cases) {
  const over = (ours, peerMs) => cases.map(({ products }) => peerMs(products) / products.get(ours).medianMs);
  const cMs = (products) => products.get(C).medianMs;
  const peerMs = (products) => Math.min(...PEERS.flatMap((name) => products.get(name)?.medianMs ?? []));
  const ratios = [over(BEST, cMs), over(AUTO, cMs), over(CSR, cMs), over(BEST, peerMs), over(AUTO, peerMs)];
  const behind = ratios[4].filter((ratio) => ratio < 1).length;
  return [...ratios.map((some) => geometricMean(some)?.toFixed(2) ?? '–'), behind];
}
