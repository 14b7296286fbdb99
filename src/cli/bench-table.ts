/** The tables at the end of a bench: one for each matrix and dtype, followed by the formats that refused the matrix. */
import type { ErrorCode } from '../core/errors.js';
import { formatCount, formatFigure } from '../pictures/figures.js';
import { type BenchLine, type FailedLine, isTimed, type TimedLine } from './bench-group.js';
import { print, printLine, shortName } from './output.js';
import { busShare, type Computer } from './product.js';
import { renderTable } from './table.js';

interface Column {
  readonly head: string;
  readonly cell: (line: TimedLine) => string;
  /** The device that has this column; undefined: every device. */
  readonly only?: Computer['device'];
  readonly isText?: boolean;
}

const COLUMNS: readonly Column[] = [
  {
    head: 'format',
    cell: ({ requested, format }) => (requested === format ? format : `${requested}: ${format}`),
    isText: true,
  },
  { head: 'threads', cell: threadsCell, only: 'cpu' },
  { head: 'setup ms', cell: ({ setupMs }) => formatFigure(setupMs) },
  { head: 'median ms', cell: ({ medianMs }) => formatFigure(medianMs), only: 'cpu' },
  { head: 'cold ms', cell: ({ medianMs }) => formatFigure(medianMs), only: 'cuda' },
  { head: 'warm ms', cell: ({ warmMs }) => formatFigure(warmMs ?? Number.NaN), only: 'cuda' },
  { head: 'spread', cell: ({ spreadPercent }) => `${spreadPercent.toFixed(0)} %` },
  { head: 'GFLOP/s', cell: ({ gflops }) => formatFigure(gflops) },
  { head: 'GB/s', cell: ({ gbps }) => formatFigure(gbps) },
  { head: 'of bus', cell: busShare },
  {
    head: 'paid back',
    cell: ({ paybackProducts }) => (paybackProducts === null ? '' : formatCount(paybackProducts)),
  },
];

export function printTables(lines: readonly BenchLine[], device: Computer['device']): void {
  for (const group of groupsOf(lines)) {
    const timed = group.filter(isTimed);
    print(headOf(group[0]!, timed[0]));
    if (timed.length > 0) print(tableOf(timed, device === 'cuda' ? 'cuda' : 'cpu'));
    printFailures(group.filter((line): line is FailedLine => !isTimed(line)));
    print('');
  }
}

/** Lines of the same matrix and dtype, in the order of their first ones. */
function groupsOf(lines: readonly BenchLine[]): readonly BenchLine[][] {
  const groups = new Map<string, BenchLine[]>();
  for (const line of lines) {
    const key = `${line.dtype} ${line.matrix}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return [...groups.values()];
}

/** The size is known if a product was timed. */
function headOf({ matrix, dtype }: BenchLine, timed: TimedLine | undefined): string {
  const name = `${shortName(matrix)}, ${dtype}`;
  if (timed === undefined) return name;
  const { rows, cols, nnz } = timed;
  return `${name}: ${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} entries`;
}

function tableOf(timed: readonly TimedLine[], whose: Computer['device']): string {
  const columns = COLUMNS.filter(({ only = whose }) => only === whose);
  return renderTable(
    columns.map(({ head }) => head),
    timed.map((line) => columns.map(({ cell }) => cell(line))),
    columns.flatMap(({ isText = false }, place) => (isText ? [] : [place])),
  );
}

/** If the caller computes alone: 1 of that many. */
function threadsCell({ threads, parts }: TimedLine): string {
  return threads !== null && threads > 1 && parts === 1 ? `1 of ${threads}` : `${threads}`;
}

/** The reasons of refusals, by the codes of `isRefusal`. */
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  'fill-in': 'refused as mostly padding',
  structure: 'not applicable to this matrix',
  shape: 'not applicable to this matrix',
  heap: 'larger than the memory left',
};

/** One line per refusal with its formats; wrong products one by one. */
function printFailures(failures: readonly FailedLine[]): void {
  const refused = failures.filter(({ wrong }) => !wrong);
  for (const reason of new Set(Object.values(REFUSALS))) {
    const formats = refused.filter(({ code }) => REFUSALS[code] === reason).map(({ requested }) => requested);
    if (formats.length > 0) printLine(`${reason}: `, [...new Set(formats)].join(', '));
  }
  for (const { requested, threads, error, wrong } of failures) {
    if (wrong) printLine(`${requested}${threads === null ? '' : `, threads ${threads}`}: `, error);
  }
}
