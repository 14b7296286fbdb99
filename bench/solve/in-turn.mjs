/** Contenders that solve the same system in turn, and the line of the results for each. */
import { residualNorm } from '../cg/solver.mjs';
import { median } from '../times.mjs';

/** A contender that needs longer is not asked again. */
const SLOW_MS = 10_000;

/**
 * @param asked contenders as `openContenders` gives them
 * @param hasTime whether another solve may begin
 * @returns the results of each, in the order of `asked`
 */
export async function solveInTurn(asked, { rounds, hasTime }) {
  const results = asked.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [place, contender] of asked.entries()) {
      const sofar = results[place];
      const isWanted = sofar.length === 0 || (sofar[0].ms < SLOW_MS && sofar[0].unfinished === undefined);
      if (isWanted && hasTime()) sofar.push(await contender.solve());
    }
  }
  return results;
}

/**
 * What the results say of a contender, with the true residual of its solution.
 *
 * @param timesOf the times of its results: `{ ms }`, and `{ setupMs }` where it tells them
 */
export async function lineOf({ name, matrix, b }, threads, contender, results, timesOf) {
  const [{ x: first, iterations, decision, unfinished }] = results;
  const line = { problem: name, threads, contender: contender.name, ...timesOf(results) };
  if (unfinished !== undefined) return { ...line, unfinished };
  const x = first ?? (await contender.solution());
  const residual = residualNorm(matrix, b, x) / norm(b);
  return { ...line, iterations, residual, decision, ...contender.details?.() };
}

/** Of solves in turn. */
export function medianOf(results) {
  return { ms: median(results.map(({ ms }) => ms)) };
}

/** Of solves beside other load, which only adds to a time: the fastest one, with its own set-up. */
export function leastOf(results) {
  const { ms, setupMs } = results.reduce((best, one) => (one.ms < best.ms ? one : best));
  return { ms, setupMs };
}

function norm(b) {
  return Math.sqrt(b.reduce((sum, value) => sum + value * value, 0));
}
