/**
 * The conformance checks of ranks. `data.check`: `calls`, `products` by `data.specs`, or `solvers`. Products are checked briefly if `data.brief`; of the matrices or
 * the problems, only each `data.every`-th is tried. `data.groups`: the ranks are divided into so many groups, which check by themselves.
 */
import { checkRankCalls, checkRankVectors } from '#dist/conformance/rank-call-checks.js';
import { checkRankProducts } from '#dist/conformance/rank-checks.js';
import { checkRankSolvers } from '#dist/conformance/rank-solver-checks.js';
import { createEngine } from '#dist/index.node.js';

export async function main(all, { check, specs, brief, every, groups }) {
  const comm = groups === undefined ? all : all.split(all.rank % groups);
  if (check === 'calls') return reportOf(checkRankCalls(comm), checkRankVectors(comm));
  if (check === 'products') return reportOf(checkRankProducts(comm, specs, { brief, every }));
  const alone = await createEngine({ threads: 1 });
  const report = reportOf(checkRankSolvers(comm, alone, every));
  await alone.dispose();
  return report;
}

function reportOf(...all) {
  const sum = (of) => all.reduce((total, findings) => total + of(findings), 0);
  return {
    checks: sum(({ checks }) => checks),
    failed: sum(({ failed }) => failed),
    refused: sum(({ refused }) => refused),
    failures: all.flatMap(({ failures }) => failures.slice(0, 5)),
  };
}
