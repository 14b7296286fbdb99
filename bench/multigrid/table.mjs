/** The results of the suite `multigrid` (lines of kind `solve`) as a Markdown table for each number of threads. */
import { fastest, judged } from '../solve/results.mjs';

/** The columns, by the names of their contenders. `isPeer`: multigrid of another library. */
const COLUMNS = [
  { title: '`amg`', isOurs: true, isIn: (name) => isSmoothed(name) && !name.endsWith(' mixed') },
  { title: '`amg`, mixed', isOurs: true, isIn: (name) => isSmoothed(name) && name.endsWith(' mixed') },
  { title: '`classical-amg`', isOurs: true, isIn: (name) => name.includes('+classical-amg') },
  { title: 'AMGCL, sa', isPeer: true, isIn: (name) => name.startsWith('AMGCL sa+') },
  { title: 'AMGCL, rs', isPeer: true, isIn: (name) => name.startsWith('AMGCL rs+') },
  { title: 'gamg', isPeer: true, isIn: (name) => name.endsWith('+gamg') },
  { title: 'BoomerAMG', isPeer: true, isIn: (name) => name.endsWith('+boomeramg') },
  { title: '`solve`', isIn: (name) => name === 'sparlane' },
  { title: 'direct', isIn: isDirect },
];

/** A residual above the tolerance by this factor is stated beside the time. */
const STATED = 1.05;

/** An error message is cut to so many characters in a cell. */
const REASON_LENGTH = 60;

/** Iterations of ours over those of AMGCL that are asked for. */
const ITERATIONS_AIM = 1.2;

function isDirect(name) {
  return ['CHOLMOD', 'UMFPACK'].includes(name);
}

function isSmoothed(name) {
  return /^sparlane \w+\+amg/.test(name);
}

/** The solves of one system, with verdicts. Where rounding errors keep a direct solver from the tolerance, its residual counts in place of it. */
function verdictsOn(lines) {
  const direct = lines.find(({ contender }) => isDirect(contender));
  return lines.map((line) => judged(line, direct?.residual));
}

/** The figures of one system, of solves with verdicts: the best of ours over the best multigrid of peers, and iterations of `amg` over AMGCL's with aggregates. */
export function ratiosOf(lines) {
  const best = (isWanted) =>
    fastest(lines, ({ contender }) => COLUMNS.some((column) => isWanted(column) && column.isIn(contender)));
  const [ours, peer] = [best(({ isOurs }) => isOurs), best(({ isPeer }) => isPeer)];
  const [amg, theirs] = ['`amg`', 'AMGCL, sa'].map((wanted) => best(({ title }) => title === wanted));
  return {
    time: ours === undefined || peer === undefined ? undefined : ours.ms / peer.ms,
    iterations: amg === undefined || theirs === undefined ? undefined : amg.iterations / theirs.iterations,
  };
}

/** Makes the Markdown table of a run. @param lines its results with one number of threads. @param problems `{ name, rows, aim }`, in the order of the table */
export function tableOf(lines, problems) {
  const titles = COLUMNS.map(({ title }) => title);
  const head = ['problem', 'rows', ...titles, 'ours / peer', 'aim', 'iterations / AMGCL', 'aim'];
  const rows = problems.flatMap(({ name, rows: unknowns, aim }) => {
    const own = verdictsOn(lines.filter(({ problem }) => problem === name));
    if (own.length === 0) return [];
    const { time, iterations } = ratiosOf(own);
    const cells = COLUMNS.map(({ isIn }) => cellOf(own.find(({ contender }) => isIn(contender))));
    const ratios = [ratio(time), `≤ ${aim}`, ratio(iterations), `≤ ${ITERATIONS_AIM}`];
    return [[name, unknowns.toLocaleString('en'), ...cells, ...ratios]];
  });
  return markdown(head, rows);
}

export function markdown(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, k) => (k === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

export const ratio = (number) => number?.toFixed(2) ?? '–';

/** `46 + 47 (17)`: ms of the set-up and of the solve, and iterations. */
function cellOf(line) {
  if (line === undefined) return '';
  const { ms, setupMs, iterations, residual, rtol, isSolved, unfinished } = line;
  if (unfinished !== undefined) return unfinished.slice(0, REASON_LENGTH);
  if (!isSolved) return `not solved: ${residual.toExponential(1)} (${iterations})`;
  const times = setupMs === undefined ? ms.toFixed(0) : `${setupMs.toFixed(0)} + ${(ms - setupMs).toFixed(0)}`;
  const count = iterations > 0 ? ` (${iterations})` : '';
  return `${times}${count}${residual > STATED * rtol ? ` at ${residual.toExponential(1)}` : ''}`;
}
