/**
 * Multigrid: `amg`, `amg` in mixed precision, `classical-amg` and what `solve` chooses, beside AMGCL, PETSc's gamg and hypre's BoomerAMG, with CHOLMOD or UMFPACK as a
 * remark: elliptic systems in f64, from the arrays of the matrix, set-up counted, to the same tolerance; the true residual of every solution is computed
 * here. Contenders take turns; a time is the least of the rounds. As many OpenMP threads or MPI ranks as threads of ours. It prints a Markdown
 * table for each number of threads: ms of set-up + solve (iterations), and ratios beside what is asked for.
 *
 * usage: npx bench multigrid [--threads 1,2] [--rounds 3] [--only TEXT,…] [--contenders TEXT,…] [--scale 1] [--rtol 1e-8] [--patience 60] [--minutes M] [--json FILE]
 *        [--growth] [--bits] [--update] [--packages]   (after `npm run build`; peers: bench/peers/setup, and AMGCL as docs/benchmarks.md says)
 *
 * `only`, `contenders`: those whose names contain one of the texts. `scale`: of the unknowns. `patience`: seconds after which a solve is given up. A run can be made in
 * pieces, as that of `npx bench solve`; `npx bench solve/report FILE` makes a page. Instead of the table:
 * `growth`: iterations as the side of a grid doubles; `bits`: of solutions, on 1 to 8 threads; `update`: the time of an update over that of the set-up; `packages`: npm packages.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createEngine } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { describeMachine } from './machine.mjs';
import { missingPeers, openContenders } from './multigrid/contenders.mjs';
import { makeProblem, PROBLEMS } from './multigrid/problems.mjs';
import { bits, growth, packages, update } from './multigrid/sections.mjs';
import { tableOf } from './multigrid/table.mjs';
import { readResults } from './results-file.mjs';
import { leastOf, lineOf, solveInTurn } from './solve/in-turn.mjs';
import { isDone, solvesWith } from './solve/results.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    contenders: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    rtol: { type: 'string', default: '1e-8' },
    patience: { type: 'string', default: '60' },
    minutes: { type: 'string', default: 'Infinity' },
    json: { type: 'string' },
    growth: { type: 'boolean', default: false },
    bits: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    packages: { type: 'boolean', default: false },
  },
});
const [rounds, scale, rtol] = [flags.rounds, flags.scale, flags.rtol].map(Number);
const patienceMs = 1000 * Number(flags.patience);
const threadCounts = [...new Set(flags.threads.split(',').map(Number))];
const end = performance.now() + 60_000 * Number(flags.minutes);
const hasTime = () => performance.now() < end;

/** Whether a contender is asked for, by its name. */
const isWanted = (contender) => flags.contenders.split(',').some((text) => contender.includes(text));

/** Those for the npm packages, unless others are named. */
const FOR_PACKAGES = '5-point 300²,P1 mesh';

print(
  `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}, rtol ${rtol}, scale ${scale}`,
);
if (flags.json) save({ kind: 'machine', ...(await describeMachine()) });
const given = { scale, rounds, rtol, patienceMs, print: (table) => print(`\n${table}`) };
const sections = [
  ...(flags.growth ? [() => growth({ ...given, threads: threadCounts[0] })] : []),
  ...(flags.bits ? [() => bits({ ...given, problems: made(asked()) })] : []),
  ...(flags.update ? [() => update({ ...given, threads: threadCounts[0], problems: made(asked()) })] : []),
  ...(flags.packages ? [() => packages({ ...given, problems: made(asked(FOR_PACKAGES)) })] : []),
];
if (sections.length === 0) await compareAll();
for (const run of sections) for (const line of await run()) save(line);

function asked(usual = '') {
  const texts = (flags.only ?? usual).split(',');
  const found = PROBLEMS.filter(({ name }) => texts.some((text) => name.includes(text)));
  if (found.length === 0)
    throw new Error(`--only: expected a part of ${PROBLEMS.map(({ name }) => name).join(' | ')}, got ${flags.only}`);
  return found;
}

/** One by one, since all at once would fill the memory. */
function* made(problems) {
  for (const problem of problems) yield makeProblem(problem, scale);
}

async function compareAll() {
  for (const line of missingPeers(isWanted)) print(line);
  const before = flags.json && existsSync(flags.json) ? readResults(flags.json) : '';
  const lines = solvesWith(before, { rtol, scale });
  const sizes = [];
  for (const problem of made(asked())) {
    const { name, matrix, aim } = problem;
    sizes.push({ name, rows: matrix.rows, aim });
    for (const threads of threadCounts) if (hasTime()) lines.push(...(await compare(problem, threads, before)));
  }
  for (const threads of threadCounts) {
    const some = lines.filter((line) => line.threads === threads);
    print(`\n${threads === 1 ? '1 thread' : `${threads} threads`}\n\n${tableOf(some, sizes)}`);
  }
}

async function compare(problem, threads, before) {
  const { name } = problem;
  const isAsked = (contender) =>
    isWanted(contender) && !isDone(before, { rtol, scale, problem: name, threads, contender });
  const engine = await createEngine({ threads, onHint: () => {} });
  const contenders = await openContenders(engine, problem, { rtol, patienceMs, isAsked });
  const results = await solveInTurn(contenders, { rounds, hasTime });
  const lines = [];
  for (const [place, contender] of contenders.entries()) {
    if (results[place].length === 0) continue;
    const line = await lineOf(problem, threads, contender, results[place], leastOf);
    const { iterations = '–', residual, unfinished = '' } = line;
    print(
      `${name}, ${threads}: ${contender.name} ${iterations} iterations, ${residual?.toExponential(1) ?? unfinished}`,
    );
    lines.push({ kind: 'solve', rtol, scale, ...line });
  }
  for (const line of lines) save(line);
  for (const { close } of contenders) await close();
  await engine.dispose();
  return lines;
}

function save(line) {
  if (flags.json) appendFileSync(flags.json, `${JSON.stringify(line)}\n`);
}
