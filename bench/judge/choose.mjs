/**
 * What a user gets: `format: 'auto'` for many products, with its trials, in a process of its own, where V8 has optimized nothing yet. Prints a
 * line of JSON for each dtype and number of threads.
 *
 * usage: node choose.mjs SEED SIZES DTYPES THREADS, the last two by commas; `chosenFor` starts it
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../dist/index.node.js';
import { kind } from '../matrices/kinds/kinds.mjs';

const FILE = fileURLToPath(import.meta.url);

/** [{ dtype, threads, chosen: { spec, threads, parts }, tuneMs, trials }] */
export function chosenFor(seed, sizes, dtypes, threads) {
  const text = execFileSync(process.execPath, [FILE, String(seed), sizes, `${dtypes}`, `${threads}`], {
    encoding: 'utf8',
  });
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function choose(seed, sizes, dtypes, threads) {
  const { matrix } = kind(seed, sizes);
  for (const count of threads) {
    for (const dtype of dtypes) {
      const engine = await createEngine({ threads: count, tuning: 'built-in' });
      const operator = engine.operator(matrix, { dtype, products: 'many' });
      const { chosen, ranking, tuneMs } = operator.decision;
      const trials = ranking.filter(({ measuredMs }) => measuredMs !== undefined).length;
      const { spec, parts } = chosen;
      const about = { dtype, threads: count, chosen: { spec, threads: chosen.threads, parts }, tuneMs, trials };
      process.stdout.write(`${JSON.stringify(about)}\n`);
      operator.dispose();
      await engine.dispose();
    }
  }
}

if (process.argv[1] === FILE) {
  const [seed, sizes, dtypes, threads] = process.argv.slice(2);
  await choose(Number(seed), sizes, dtypes.split(','), threads.split(',').map(Number));
}
