/**
 * Compares two files of results, product by product: the speed ratio of the second to the first, its range according to
 * the spread of both (the middle half of the times of each), and `noise` if the range includes 1.
 *
 * usage: npx bench compare BEFORE.jsonl AFTER.jsonl     (from `bench/run.mjs`)
 */
import { print } from './contenders.mjs';
import { geometricMean } from './report/statistics.mjs';
import { readResults } from './results-file.mjs';

const [before, after] = process.argv.slice(2);
if (after === undefined) throw new Error('usage: npx bench compare BEFORE.jsonl AFTER.jsonl');
const old = productsOf(before);
const ratios = [];
for (const [key, product] of productsOf(after)) {
  const other = old.get(key);
  if (other === undefined) continue;
  const ratio = other.medianMs / product.medianMs;
  const spread = Math.hypot(other.spreadPercent, product.spreadPercent) / 100;
  const isNoise = Math.abs(Math.log(ratio)) <= spread;
  ratios.push(ratio);
  print(
    `${key.padEnd(76)} ${ratio.toFixed(3)} ± ${spread.toFixed(3)}  ${isNoise ? 'noise' : ratio > 1 ? 'faster' : 'slower'}`,
  );
}
print(
  ratios.length === 0
    ? 'nothing in common'
    : `${ratios.length} products, geometric mean ${geometricMean(ratios).toFixed(3)}`,
);

function productsOf(path) {
  const lines = readResults(path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const products = lines.filter(({ kind }) => kind === 'product');
  return new Map(products.map((one) => [keyOf(one), one]));
}

function keyOf({ suite, matrix, contender, threads, dtype, cache }) {
  return `${suite} ${matrix} ${threads} ${dtype} ${cache} ${contender}`;
}
