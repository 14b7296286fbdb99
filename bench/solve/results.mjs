/** Results of the suite `solve` (JSON lines of `bench/solve.mjs`), by problem and number of threads. */
import { latestLines } from '../results-file.mjs';

/** The key of a line. */
const KEYS = {
  machine: ({ cpu, cores, commit, node }) => [cpu, cores, commit, node],
  solve: ({ problem, contender, threads }) => [problem, contender, threads],
};

/** A solution whose true residual is at most so many times the tolerance counts as solved. */
const SLACK = 10;

export function parseSolves(texts) {
  const all = latestLines(texts, KEYS);
  const solves = all
    .filter(({ kind }) => kind === 'solve')
    .map((line) => ({ ...line, isSolved: line.residual <= SLACK * line.rtol }));
  if (solves.length === 0) throw new Error('results: expected at least one line of kind solve, got none');
  return { machines: all.filter(({ kind }) => kind === 'machine'), solves };
}

export const isOurs = ({ contender }) => contender.startsWith('sparlane');

/** The best time of the others over that of what `solve` chose; undefined if one of them is missing or has not solved it. */
export function leadOf(lines) {
  const solved = lines.filter(({ isSolved }) => isSolved);
  const ours = solved.find(({ contender }) => contender === 'sparlane');
  const others = solved.filter((line) => !isOurs(line)).map(({ ms }) => ms);
  return ours === undefined || others.length === 0 ? undefined : Math.min(...others) / ours.ms;
}
