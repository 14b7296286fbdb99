/**
 * Eigenvalues and singular values: `eigs` and `svds` beside SciPy (ARPACK with and without SuperLU, LOBPCG with and without a preconditioner, `svds` by ARPACK, LOBPCG and PROPACK)
 * and SLEPc (Krylov–Schur with the factors of MUMPS, CHOLMOD or PETSc, LOBPCG with multigrid, Lanczos): f64, from the arrays of the matrix, factors counted, to the same
 * tolerance. Residuals ‖A x − λ B x‖ are computed here, from the vectors, and values that another contender has found are counted as missed.
 * Contenders take turns; a time is the least of the rounds. Peers have one thread. It prints Markdown tables for each number of threads of ours, over the same times of peers.
 *
 * usage: npx bench eigs [--threads 1] [--rounds 3] [--only TEXT,…] [--contenders TEXT,…] [--scale 1] [--rtol 1e-8] [--patience 120] [--clock wall] [--minutes M] [--json FILE]
 *        (after `npm run build`; peers: bench/peers/setup)
 *
 * `only`, `contenders`: those whose names contain one of the texts. `scale`: of the unknowns. `patience`: seconds after which a search is given up. `clock`: `cpu` for the time of the processor, where a machine is busy. With `--json` a run can be made
 * in pieces: what the file has is not measured again.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createEngine } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { missingPeers, openContenders } from './eigs/contenders.mjs';
import { leastValue } from './eigs/judge.mjs';
import { makeProblem, PROBLEMS } from './eigs/problems.mjs';
import { tableOf } from './eigs/table.mjs';
import { describeMachine } from './machine.mjs';
import { latestLines, readResults } from './results-file.mjs';
import { leastOf, solveInTurn } from './solve/in-turn.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    contenders: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    rtol: { type: 'string', default: '1e-8' },
    patience: { type: 'string', default: '120' },
    clock: { type: 'string', default: 'wall' },
    minutes: { type: 'string', default: 'Infinity' },
    json: { type: 'string' },
  },
});
const [rounds, scale, rtol] = [flags.rounds, flags.scale, flags.rtol].map(Number);
const patienceMs = 1000 * Number(flags.patience);
const threadCounts = [...new Set(flags.threads.split(',').map(Number))];
const end = performance.now() + 60_000 * Number(flags.minutes);
const { clock } = flags;
if (!['wall', 'cpu'].includes(clock)) throw new Error(`--clock: expected wall | cpu, got ${clock}`);
const hasTime = () => performance.now() < end;

const KEYS = {
  machine: ({ cpu, cores, commit, node }) => [cpu, cores, commit, node],
  eigs: ({ problem, contender, threads, rtol: tolerance, scale: size, clock: by }) => [
    ...[problem, contender, threads, tolerance, size, by],
  ],
};

const has = (name, texts) => texts.split(',').some((text) => name.includes(text));
const asked = PROBLEMS.filter(({ name }) => has(name, flags.only));
if (asked.length === 0)
  throw new Error(`--only: expected a part of ${PROBLEMS.map(({ name }) => name).join(' | ')}, got ${flags.only}`);

print(
  `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}, rtol ${rtol}, scale ${scale}`,
);
for (const line of missingPeers((name) => flags.contenders === '' || flags.contenders.includes(name))) print(line);
const before = flags.json && existsSync(flags.json) ? latestLines([readResults(flags.json)], KEYS) : [];
const lines = before.filter(
  (line) => line.kind === 'eigs' && line.rtol === rtol && line.scale === scale && line.clock === clock,
);
if (flags.json) save({ kind: 'machine', ...(await describeMachine()) });
const sizes = [];
for (const listed of asked) {
  const problem = makeProblem(listed, scale);
  const { name, k, which, isSingularValues, matrix } = problem;
  const { rows, cols } = matrix;
  sizes.push({ name, k, which, isSingularValues, rows, cols, floor: leastValue(problem) });
  for (const threads of threadCounts) if (hasTime()) lines.push(...(await compare(problem, threads)));
}
for (const threads of threadCounts)
  print(`\n${threads === 1 ? '1 thread' : `${threads} threads of ours`}\n\n${tableOf(lines, sizes, threads)}`);

/** Resolves to the new lines of one problem. */
async function compare(problem, threads) {
  const { name } = problem;
  const isDone = (contender) =>
    lines.some((line) => line.problem === name && line.threads === threads && line.contender === contender);
  const isAsked = (contender) => has(contender, flags.contenders) && !isDone(contender);
  const engine = await createEngine({ threads, onHint: () => {} });
  const least = lines.find((line) => line.problem === name && line.contender === 'sparlane')?.least;
  const { contenders, close } = openContenders(engine, problem, { rtol, patienceMs, isAsked, least, clock });
  const results = await solveInTurn(contenders, { rounds, hasTime });
  const made = contenders.flatMap(({ name: contender }, place) => {
    const [first] = results[place];
    if (first === undefined) return [];
    return [
      { kind: 'eigs', rtol, scale, clock, problem: name, threads, contender, ...first, ...leastOf(results[place]) },
    ];
  });
  await close();
  await engine.dispose();
  for (const line of made) {
    const { contender, ms, iterations, residual, unfinished } = line;
    print(
      `${name}, ${threads}: ${contender} ${unfinished ?? `${ms.toFixed(0)} ms, ${iterations}, ${residual.toExponential(1)}`}`,
    );
    save(line);
  }
  return made;
}

function save(line) {
  if (flags.json) appendFileSync(flags.json, `${JSON.stringify(line)}\n`);
}
