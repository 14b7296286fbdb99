/** The table at the end of a bench. */
import { type BenchLine, isTimed, type TimedLine } from './bench-group.js';
import { formatCount, formatFigure, print, shortName } from './output.js';
import { busShare, type Computer } from './product.js';
import { renderTable } from './table.js';

interface Column {
  readonly head: string;
  readonly cell: (line: TimedLine) => string;
  /** Where it is a column at all; left out: everywhere. */
  readonly only?: Computer['device'];
  readonly isText?: boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'matrix', cell: ({ matrix }) => shortName(matrix), isText: true },
  {
    head: 'format',
    cell: ({ requested, format }) => (requested === format ? format : `${requested}: ${format}`),
    isText: true,
  },
  { head: 'dtype', cell: ({ dtype }) => dtype, isText: true },
  { head: 'threads', cell: threadsCell, only: 'cpu' },
  { head: 'setup ms', cell: ({ setupMs }) => formatFigure(setupMs) },
  { head: 'in products', cell: ({ setupProducts }) => (setupProducts === null ? '' : setupProducts.toFixed(1)) },
  { head: 'median ms', cell: ({ medianMs }) => formatFigure(medianMs), only: 'cpu' },
  { head: 'cold ms', cell: ({ medianMs }) => formatFigure(medianMs), only: 'cuda' },
  { head: 'warm ms', cell: ({ warmMs }) => formatFigure(warmMs ?? Number.NaN), only: 'cuda' },
  { head: 'min ms', cell: ({ minMs }) => formatFigure(minMs) },
  { head: 'spread', cell: ({ spreadPercent }) => `${spreadPercent.toFixed(0)} %` },
  { head: 'GFLOP/s', cell: ({ gflops }) => formatFigure(gflops) },
  { head: 'GB/s', cell: ({ gbps }) => formatFigure(gbps) },
  { head: 'of bus', cell: busShare },
  {
    head: 'paid back',
    cell: ({ paybackProducts }) => (paybackProducts === null ? '' : formatCount(paybackProducts)),
  },
];

export function printTable(lines: readonly BenchLine[], device: Computer['device']): void {
  const whose = device === 'cuda' ? 'cuda' : 'cpu';
  const columns = COLUMNS.filter(({ only = whose }) => only === whose);
  const timed = lines.filter(isTimed);
  print(
    renderTable(
      columns.map(({ head }) => head),
      timed.map((line) => columns.map(({ cell }) => cell(line))),
      columns.flatMap(({ isText = false }, place) => (isText ? [] : [place])),
    ),
  );
  for (const line of lines) if (!isTimed(line)) print(`${nameOf(line)}: ${line.error}`);
}

function threadsCell({ threads, parts }: TimedLine): string {
  return threads !== null && threads > 1 && parts === 1 ? `(alone) ${threads}` : `${threads}`;
}

function nameOf({ matrix, requested, dtype, threads }: BenchLine): string {
  return [shortName(matrix), requested, dtype, ...(threads === null ? [] : [threads])].join(' ');
}
