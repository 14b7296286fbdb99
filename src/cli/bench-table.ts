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

/** The results of one matrix in one dtype. */
export interface BenchGroup {
  /** The matrix with its size, which is known if a product was timed, and the dtype. */
  readonly title: string;
  readonly heads: readonly string[];
  readonly timed: readonly TimedLine[];
  /** The cells of each line of `timed`. */
  readonly rows: ReadonlyArray<readonly string[]>;
  /** What was not timed, by reason. */
  readonly failures: ReadonlyArray<readonly [reason: string, text: string]>;
}

export function benchGroups(lines: readonly BenchLine[], device: Computer['device']): BenchGroup[] {
  const columns = columnsOf(device);
  return groupsOf(lines).map((group) => {
    const timed = group.filter(isTimed);
    return {
      title: headOf(group[0]!, timed[0]),
      heads: columns.map(({ head }) => head),
      timed,
      rows: timed.map((line) => columns.map(({ cell }) => cell(line))),
      failures: failuresOf(group.filter((line): line is FailedLine => !isTimed(line))),
    };
  });
}

export function printTables(lines: readonly BenchLine[], device: Computer['device']): void {
  const numbers = columnsOf(device).flatMap(({ isText = false }, place) => (isText ? [] : [place]));
  for (const { title, heads, rows, failures } of benchGroups(lines, device)) {
    print(title);
    if (rows.length > 0) print(renderTable(heads, rows, numbers));
    for (const [reason, text] of failures) printLine(`${reason}: `, text);
    print('');
  }
}

function columnsOf(device: Computer['device']): Column[] {
  const whose = device === 'cuda' ? 'cuda' : 'cpu';
  return COLUMNS.filter(({ only = whose }) => only === whose);
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

function headOf({ matrix, dtype }: BenchLine, timed: TimedLine | undefined): string {
  const name = `${shortName(matrix)}, ${dtype}`;
  if (timed === undefined) return name;
  const { rows, cols, nnz } = timed;
  return `${name}: ${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} entries`;
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

/** The formats of each refusal; wrong products one by one. */
function failuresOf(failures: readonly FailedLine[]): [string, string][] {
  const refused = failures.filter(({ wrong }) => !wrong);
  const refusals = [...new Set(Object.values(REFUSALS))].flatMap((reason): [string, string][] => {
    const formats = refused.filter(({ code }) => REFUSALS[code] === reason).map(({ requested }) => requested);
    return formats.length === 0 ? [] : [[reason, [...new Set(formats)].join(', ')]];
  });
  const wrong = failures
    .filter((failure) => failure.wrong)
    .map(({ requested, threads, error }): [string, string] => [
      `${requested}${threads === null ? '' : `, threads ${threads}`}`,
      error,
    ]);
  return [...refusals, ...wrong];
}
