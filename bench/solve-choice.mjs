/**
 * What `solve` chooses for systems of many kinds, and what that takes: the methods that were run, iterations, CPU time of one thread, the true
 * residual. `best` is the fastest of the named pairs below, in the same run.
 *
 * usage: npx bench solve-choice [--size 1] [--folder MATRICES] [--only NAME,…] [--judge] [--reasons] [--patience MS]
 *
 * --folder  real matrices, `large/` and `small/` below it; without it those are skipped
 * --judge   also times the named pairs
 * --reasons prints why
 */
import { parseArgs } from 'node:util';
import { createEngine, solve } from '../dist/index.node.js';
import { choiceProblems, rightSide } from './solve/choice-problems.mjs';

const { values: given } = parseArgs({
  options: {
    size: { type: 'string', default: '1' },
    folder: { type: 'string' },
    only: { type: 'string' },
    judge: { type: 'boolean', default: false },
    reasons: { type: 'boolean', default: false },
    patience: { type: 'string', default: '20000' },
  },
});

const PAIRS = [
  { method: 'cg', preconditioner: 'jacobi' },
  { method: 'cg', preconditioner: 'ic0' },
  { method: 'bicgstab', preconditioner: 'ilu0' },
  { method: 'minres', preconditioner: 'none' },
  { method: 'direct' },
];

const engine = await createEngine({ threads: 1, tuning: 'built-in' });
const isAsked = (name) => given.only === undefined || given.only.split(',').includes(name);
warmUp();
for (const { name, isFitted, make } of choiceProblems(Number(given.size), given.folder)) {
  if (!isAsked(name)) continue;
  const matrix = await make();
  if (matrix === undefined) {
    print(`${name.padEnd(22)} SKIPPED: no file; pass --folder`);
    continue;
  }
  const b = rightSide(matrix.rows);
  const first = measured(matrix, b, {});
  const tried = given.judge ? PAIRS.map((options) => measured(matrix, b, options)).filter(({ ok }) => ok) : [];
  const chosen = given.judge ? lessOf(first, measured(matrix, b, {})) : first;
  const best = tried.toSorted((p, q) => p.ms - q.ms)[0];
  const judged =
    best === undefined ? '' : ` | best ${best.what} ${best.ms.toFixed(0)}, ratio ${(chosen.ms / best.ms).toFixed(2)}`;
  const kind = isFitted ? 'fitted' : 'unseen';
  print(
    `${name.padEnd(22)} ${kind} n=${matrix.rows} nnz=${matrix.nnz} ${chosen.ms.toFixed(0)} ms ${chosen.line}${judged}`,
  );
}
await engine.dispose();

function lessOf(p, q) {
  return p.ms < q.ms ? p : q;
}

/** Code is compiled before anything is timed. */
function warmUp() {
  for (const { name, make } of choiceProblems(0.15))
    if (['5-point', 'convection', 'Stokes', 'rotated anisotropy'].includes(name)) {
      const matrix = make();
      for (const options of [{}, ...PAIRS]) measured(matrix, rightSide(matrix.rows), options);
    }
}

/** @returns CPU time, and a line that says what was done */
function measured(matrix, b, options) {
  const before = process.cpuUsage();
  const deadline = performance.now() + Number(given.patience);
  try {
    const { x, reason, relativeResidual, iterations, decision, ...rest } = solve(engine, matrix, b, {
      ...options,
      onStep: () => performance.now() < deadline,
    });
    const { user, system } = process.cpuUsage(before);
    const residual = trueResidual(matrix, x.toArray(), b);
    x.dispose();
    const attempts = decision.attempts.map(
      (one) => `${one.method}+${one.preconditioner} ${one.iterations} ${one.reason}`,
    );
    const line = `${attempts.join(', ')} | ${reason} ${relativeResidual.toExponential(1)} true ${residual.toExponential(1)}`;
    return {
      reasons: decision.reasons,
      ...{ ok: reason === 'tolerance', ms: (user + system) / 1000, line, iterations, rest },
      what: `${options.method}+${options.preconditioner ?? ''} (${iterations})`,
    };
  } catch (error) {
    return { ok: false, ms: 0, line: String(error.message).slice(0, 90), what: '' };
  }
}

function trueResidual({ rows, rowPtr, colIdx, values }, x, b) {
  let [square, whole] = [0, 0];
  for (let i = 0; i < rows; i++) {
    let sum = b[i];
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum -= values[k] * x[colIdx[k]];
    square += sum * sum;
    whole += b[i] * b[i];
  }
  return Math.sqrt(square / whole);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
