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
    .map((line) => ({ ...line, isSolved: line.unfinished === undefined && line.residual <= SLACK * line.rtol }));
  if (solves.length === 0) throw new Error('results: expected at least one line of kind solve, got none');
  return { machines: all.filter(({ kind }) => kind === 'machine'), solves };
}

/** Whether a text of JSON lines has a solve already. @param solve `{ rtol, problem, threads, contender }` */
export function isDone(text, solve) {
  return latestLines([text], KEYS).some(
    (line) => line.kind === 'solve' && Object.entries(solve).every(([key, value]) => line[key] === value),
  );
}

export const isOurs = ({ contender }) => contender.startsWith('sparlane');

/** An npm package. */
export const isPackage = ({ contender }) => contender.startsWith('npm ');

/** A package, or a program without one. */
export const isJavascript = (line) => isPackage(line) || line.contender.startsWith('JavaScript');

export const isNative = (line) => !isOurs(line) && !isJavascript(line);

/** The fastest solve of a kind; undefined if none has solved it. */
export function fastest(lines, isOfKind) {
  const solved = lines.filter((line) => line.isSolved && isOfKind(line));
  return solved.length === 0 ? undefined : solved.reduce((best, line) => (line.ms < best.ms ? line : best));
}

/** What `solve` chose, if that has solved it. */
export const chosen = (lines) => fastest(lines, ({ contender }) => contender === 'sparlane');

/** The best time of a kind over that of what `solve` chose; undefined if one of them is missing or has not solved it. */
export function leadOf(lines, isOfKind = (line) => !isOurs(line)) {
  const [ours, best] = [chosen(lines), fastest(lines, isOfKind)];
  return ours === undefined || best === undefined ? undefined : best.ms / ours.ms;
}
