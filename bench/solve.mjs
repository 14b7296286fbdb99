/**
 * Time to solution: `solve` as it chooses, our methods and preconditioners by name, PETSc, Eigen, and a program in plain
 * JavaScript, on the same matrix and right-hand side, to the same tolerance. Set-up is counted. The true residual of
 * every solution is computed here. Contenders take turns; the times are medians. As many MPI ranks as threads for PETSc,
 * OpenMP threads for Eigen.
 *
 * usage: node bench/solve.mjs [--threads 1,2] [--rounds 3] [--rtol 1e-8] [--problems NAME,…] [--contenders TEXT,…] [--quick] [--json FILE]
 *        (after `npm run build`; peers: bench/peers/setup). `contenders`: those whose names contain one of the texts
 */
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createEngine } from '#dist/index.node.js';
import { residualNorm } from './cg/solver.mjs';
import { median, print } from './contenders.mjs';
import { describeMachine } from './machine.mjs';
import { openContenders } from './solve/contenders.mjs';
import { makeProblem, PROBLEMS } from './solve/problems.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    rounds: { type: 'string', default: '3' },
    rtol: { type: 'string', default: '1e-8' },
    problems: { type: 'string', default: PROBLEMS.map(({ name }) => name).join() },
    contenders: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const rtol = Number(flags.rtol);

/** A contender that needs longer is not asked again. */
const SLOW_MS = 20_000;

const COLUMNS = [
  ['problem', 14, ({ problem }) => problem],
  ['threads', 7, ({ threads }) => `${threads}`],
  ['contender', 26, ({ contender }) => contender],
  ['ms', 9, ({ ms }) => ms.toFixed(0)],
  ['iterations', 10, ({ iterations }) => `${iterations}`],
  ['residual', 9, ({ residual }) => residual.toExponential(1)],
  ['chosen', 28, ({ decision = '' }) => decision],
];

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}, rtol ${rtol}`);
print(COLUMNS.map(([name, width]) => name.padStart(width)).join('  '));
if (flags.json) save({ kind: 'machine', ...(await describeMachine()) });
for (const listed of PROBLEMS) {
  if (!flags.problems.split(',').includes(listed.name)) continue;
  const problem = makeProblem(listed, flags.quick);
  for (const threads of new Set(flags.threads.split(',').map(Number))) await compare(problem, threads);
}

async function compare(problem, threads) {
  const engine = await createEngine({ threads, onHint: () => {} });
  const opened = await openContenders(engine, problem, rtol);
  const asked = opened.filter(({ name }) => flags.contenders.split(',').some((text) => name.includes(text)));
  const results = asked.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [place, contender] of asked.entries()) {
      const sofar = results[place];
      if (sofar.length === 0 || sofar[0].ms < SLOW_MS) sofar.push(await contender.solve());
    }
  }
  for (const [place, contender] of asked.entries()) {
    const [{ x = await contender.solution(), iterations, decision }] = results[place];
    const residual = residualNorm(problem.matrix, problem.b, x) / norm(problem.b);
    const line = { problem: problem.name, threads, contender: contender.name, iterations, residual, decision };
    report({ ...line, ms: median(results[place].map(({ ms }) => ms)), ...contender.details?.() });
  }
  for (const { close } of opened) await close();
  await engine.dispose();
}

function norm(b) {
  return Math.sqrt(b.reduce((sum, value) => sum + value * value, 0));
}

function report(line) {
  print(COLUMNS.map(([, width, text]) => text(line).padStart(width)).join('  '));
  save({ kind: 'solve', rtol, ...line });
}

function save(line) {
  if (flags.json) appendFileSync(flags.json, `${JSON.stringify(line)}\n`);
}
