/**
 * A parameter of kernels, swept over matrices: every product verified, then timed by the device's clock with L2 cold, f64.
 * Prints tables in Markdown, for `cuda/RESULTS.md`.
 *
 *   jindal   Jindal's methods in his four launch shapes (`jindal.mjs`)
 *   omega    Flegar & Anzt's oversubscription by the number of entries, and the rule that follows (`omega.mjs`)
 *   shapes   the defaults of our own kernels against the best of a grid around them (`shapes.mjs`)
 *
 * usage: npx bench cuda/sweep jindal|omega|shapes     (after `npm run build` and `npm run build:cuda`)
 *        --matrices …          of matrices.mjs; default: those of the sweep
 *        --repetitions 21      of each product
 *        --out LINES.jsonl     the measurements, a line for each product; default: nowhere
 *        --until SECONDS       of the clock (date +%s): no matrix begins after it
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print } from '../contenders.mjs';
import { JINDAL } from './jindal.mjs';
import { openEngine } from './library.mjs';
import { measureSweep } from './measure-sweep.mjs';
import { OMEGA } from './omega.mjs';
import { SHAPES } from './shapes.mjs';

const SWEEPS = { jindal: JINDAL, omega: OMEGA, shapes: SHAPES };

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    matrices: { type: 'string' },
    repetitions: { type: 'string', default: '21' },
    out: { type: 'string' },
    until: { type: 'string', default: 'Infinity' },
  },
});

const sweep = SWEEPS[positionals[0]];
if (sweep === undefined || positionals.length !== 1)
  throw new Error(`usage: npx bench cuda/sweep ${Object.keys(SWEEPS).join('|')}`);

const engine = await openEngine();
const lines = [];
try {
  const request = {
    ...{ engine, products: sweep.products, repetitions: Number(flags.repetitions) },
    cases: sweep.cases(flags.matrices?.split(',') ?? sweep.matrices),
    isOver,
  };
  for await (const line of measureSweep(request)) {
    lines.push(line);
    if (flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
  }
} finally {
  await engine.dispose();
}
for (const line of sweep.report(lines)) print(line);

function isOver() {
  const over = Date.now() / 1000 > Number(flags.until);
  if (over) print('Time was over before all matrices were measured.\n');
  return over;
}
