/** Results of the suite `solve` (JSON lines of `bench/solve.mjs`), by problem and number of threads. */
import { latestLines } from '../results-file.mjs';

/** The key of a line. The page has the solves; the other kinds are of `npx bench multigrid`. */
const KEYS = {
  machine: ({ cpu, cores, commit, node }) => [cpu, cores, commit, node],
  solve: ({ problem, contender, threads }) => [problem, contender, threads],
  growth: ({ problem, side, threads }) => [problem, side, threads],
  bits: ({ problem, preconditioner, threads }) => [problem, preconditioner, threads],
  update: ({ problem, preconditioner, threads }) => [problem, preconditioner, threads],
};

/** A solution whose true residual is at most so many times the tolerance counts as solved. */
const SLACK = 10;

/** A line of kind `solve`, with the verdict on it. @param attainable a residual that counts as solved as well, if it is above the tolerance */
export function judged(line, attainable = 0) {
  const limit = SLACK * Math.max(line.rtol, attainable);
  return { ...line, isSolved: line.unfinished === undefined && line.residual <= limit };
}

export function parseSolves(texts) {
  const all = latestLines(texts, KEYS);
  const solves = all.filter(({ kind }) => kind === 'solve').map((line) => judged(line));
  if (solves.length === 0) throw new Error('results: expected at least one line of kind solve, got none');
  return { machines: all.filter(({ kind }) => kind === 'machine'), solves };
}

/** The solves of a text of JSON lines that have these properties, without a verdict. */
export function solvesWith(text, properties) {
  return latestLines([text], KEYS).filter(
    (line) => line.kind === 'solve' && Object.entries(properties).every(([key, value]) => line[key] === value),
  );
}

/** Whether a text of JSON lines has a solve already. @param solve `{ rtol, problem, threads, contender }` */
export const isDone = (text, solve) => solvesWith(text, solve).length > 0;

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
