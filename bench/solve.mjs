/**
 * Time to solution: `solve` as it chooses, our methods and preconditioners by name, our factors, PETSc, Eigen, SciPy, CHOLMOD, UMFPACK, KLU, npm
 * packages, and a program in plain JavaScript, on the same matrix and right-hand side, to the same tolerance. Set-up is counted. The true residual of
 * every solution is computed here. Contenders take turns; the times are medians. As many MPI ranks as threads for PETSc,
 * OpenMP threads for Eigen, threads of OpenBLAS for CHOLMOD and UMFPACK; SciPy and JavaScript have one thread.
 *
 * A run can be made in pieces: with `--minutes 3` no solve begins after so many minutes, and a later run with the same `--json FILE` goes on with
 * the contenders that FILE does not have. The report joins files, too.
 *
 * usage: npx bench solve [--threads 1,2] [--rounds 3] [--rtol 1e-8] [--problems NAME,…] [--contenders TEXT,…] [--quick]
 *        [--patience 60] [--minutes M] [--folder FOLDER] [--json FILE]   (after `npm run build`; peers: bench/peers/setup)
 *
 * `contenders`: those whose names contain one of the texts. `patience`: seconds after which a solve is given up. `folder`: has matrices
 * of the SuiteSparse collection, such as bcsstk13.mtx.gz
 */
import { appendFileSync, existsSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createEngine } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { describeMachine } from './machine.mjs';
import { readResults } from './results-file.mjs';
import { openContenders } from './solve/contenders.mjs';
import { lineOf, medianOf, solveInTurn } from './solve/in-turn.mjs';
import { makeProblem, missingProblem, PROBLEMS } from './solve/problems.mjs';
import { isDone } from './solve/results.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    rounds: { type: 'string', default: '3' },
    rtol: { type: 'string', default: '1e-8' },
    problems: { type: 'string', default: PROBLEMS.map(({ name }) => name).join() },
    contenders: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    patience: { type: 'string', default: '60' },
    minutes: { type: 'string', default: 'Infinity' },
    folder: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const rtol = Number(flags.rtol);
const patienceMs = 1000 * Number(flags.patience);
const end = performance.now() + 60_000 * Number(flags.minutes);
const hasTime = () => performance.now() < end;

const COLUMNS = [
  ['problem', 14, ({ problem }) => problem],
  ['threads', 7, ({ threads }) => `${threads}`],
  ['contender', 26, ({ contender }) => contender],
  ['ms', 9, ({ ms }) => ms.toFixed(0)],
  ['iterations', 10, ({ iterations = '' }) => `${iterations}`],
  ['residual', 9, ({ residual }) => residual?.toExponential(1) ?? ''],
  ['', 28, ({ decision = '', unfinished = decision }) => unfinished],
];

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}, rtol ${rtol}`);
print(COLUMNS.map(([name, width]) => name.padStart(width)).join('  '));
if (flags.json) save({ kind: 'machine', ...(await describeMachine()) });
const before = flags.json && existsSync(flags.json) ? readResults(flags.json) : '';
for (const listed of PROBLEMS) {
  if (!flags.problems.split(',').includes(listed.name) || !hasTime()) continue;
  const missing = missingProblem(listed, flags.folder);
  if (missing !== undefined) {
    print(`${listed.name}: ${missing}`);
    continue;
  }
  const problem = await makeProblem(listed, flags.quick, flags.folder);
  for (const threads of new Set(flags.threads.split(',').map(Number))) if (hasTime()) await compare(problem, threads);
}

async function compare(problem, threads) {
  const isAsked = (name) =>
    flags.contenders.split(',').some((text) => name.includes(text)) &&
    !isDone(before, { rtol, problem: problem.name, threads, contender: name });
  const engine = await createEngine({ threads, onHint: () => {} });
  const asked = await openContenders(engine, problem, { rtol, patienceMs, isAsked });
  const results = await solveInTurn(asked, { rounds, hasTime });
  for (const [place, contender] of asked.entries())
    if (results[place].length > 0) report(await lineOf(problem, threads, contender, results[place], medianOf));
  for (const { close } of asked) await close();
  await engine.dispose();
}

function report(line) {
  print(COLUMNS.map(([, width, text]) => text(line).padStart(width)).join('  '));
  save({ kind: 'solve', rtol, ...line });
}

function save(line) {
  if (flags.json) appendFileSync(flags.json, `${JSON.stringify(line)}\n`);
}
