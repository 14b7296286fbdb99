/** The results of the suite `eigs` (lines of kind `eigs`) as Markdown: a row for each problem, and one for each contender. */
import { markdown, ratio } from '../multigrid/table.mjs';
import { missedBy, referenceOf } from './judge.mjs';

/** Our time over that of the fastest way of a library that is asked for. */
const AIM = 1;
/** A residual of so many times the tolerance counts as found. */
const SLACK = 10;
/** An error message is cut to so many characters in a cell. */
const REASON_LENGTH = 60;

/** The lines of one problem with verdicts: `missed` values, of all contenders' together, and `isSolved`. @param problem `{ k, which, isSingularValues, floor }` */
export function judged(lines, problem) {
  const reference = referenceOf(lines, problem);
  return lines.map((line) => {
    if (line.unfinished !== undefined) return { ...line, isSolved: false };
    const missed = problem.k - reference.length + missedBy(line, reference, problem.floor);
    return { ...line, missed, isSolved: missed === 0 && line.residual <= SLACK * line.rtol };
  });
}

/** @param lines with verdicts. @returns the fastest that has solved it; undefined if none has */
export function fastest(lines, library) {
  const solved = lines.filter((line) => line.isSolved && line.contender.startsWith(library));
  return solved.reduce((best, line) => (best === undefined || line.ms < best.ms ? line : best), undefined);
}

/** @param threads of ours; peers have one. @param problems `{ name, rows, cols, k, which, isSingularValues, floor }`, in the order of the table */
export function tableOf(lines, problems, threads) {
  const judgedLines = problems.map((problem) => ({
    problem,
    own: judged(
      lines.filter((line) => line.problem === problem.name),
      problem,
    ).filter((line) => line.threads === threads || !line.contender.startsWith('sparlane')),
  }));
  const asked = judgedLines.filter(({ own }) => own.length > 0);
  return [summary(asked), details(asked)].join('\n\n');
}

function summary(asked) {
  const head = ['problem', 'size', 'sparlane', 'SciPy', 'SLEPc', 'ours / SciPy', 'ours / SLEPc', 'aim'];
  const rows = asked.map(({ problem, own }) => {
    const chosen = own.find(({ contender }) => contender === 'sparlane');
    const ours = chosen?.isSolved ? chosen : undefined;
    const peers = ['SciPy', 'SLEPc'].map((library) => fastest(own, library));
    const ratios = peers.map((peer) => ratio(ours === undefined || peer === undefined ? undefined : ours.ms / peer.ms));
    const cells = peers.map((peer, at) =>
      peer === undefined ? '–' : `${peer.ms.toFixed(0)} (${peer.contender.slice(['SciPy ', 'SLEPc '][at].length)})`,
    );
    const time = ours === undefined ? '–' : `${ours.ms.toFixed(0)} (${ours.decision})`;
    return [problem.name, sizeOf(problem), time, ...cells, ...ratios, `≤ ${AIM}`];
  });
  return markdown(head, rows);
}

function details(asked) {
  const head = ['problem', 'contender', 'ms', 'products or solves', 'worst residual', 'missed', 'its time / ours'];
  const rows = asked.flatMap(({ problem, own }) => {
    const chosen = own.find(({ contender }) => contender === 'sparlane');
    return own.map((line) => {
      const { contender, ms, iterations, residual, missed, unfinished, reason } = line;
      if (unfinished !== undefined)
        return [problem.name, contender, unfinished.slice(0, REASON_LENGTH), '', '', '', ''];
      const said = reason === undefined || reason === 'tolerance' ? '' : ` (${reason})`;
      const relative = ratio(chosen?.isSolved ? ms / chosen.ms : undefined);
      return [
        ...[problem.name, `${contender}${said}`, ms.toFixed(0), `${iterations}`, residual.toExponential(1)],
        ...[`${missed}`, relative],
      ];
    });
  });
  return markdown(head, rows);
}

function sizeOf({ rows, cols }) {
  return rows === cols ? rows.toLocaleString('en') : `${rows.toLocaleString('en')} × ${cols.toLocaleString('en')}`;
}
