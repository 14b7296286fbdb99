/** The table at the end of a bench. */
import type { BenchLine, TimedLine } from './bench-group.js';
import { formatCount, formatFigure, print } from './output.js';
import { renderTable } from './table.js';

const COLUMNS: readonly (readonly [head: string, cell: (line: TimedLine) => string])[] = [
  ['matrix', ({ matrix }) => shortName(matrix)],
  ['format', ({ requested, format }) => (requested === format ? format : `${requested}: ${format}`)],
  ['dtype', ({ dtype }) => dtype],
  ['threads', ({ threads, parts }) => `${threads > 1 && parts === 1 ? '(alone) ' : ''}${threads}`],
  ['setup ms', ({ setupMs }) => formatFigure(setupMs)],
  ['in products', ({ setupProducts }) => (setupProducts === null ? '' : setupProducts.toFixed(1))],
  ['median ms', ({ medianMs }) => formatFigure(medianMs)],
  ['min ms', ({ minMs }) => formatFigure(minMs)],
  ['spread', ({ spreadPercent }) => `${spreadPercent.toFixed(0)} %`],
  ['GFLOP/s', ({ gflops }) => formatFigure(gflops)],
  ['GB/s', ({ gbps }) => formatFigure(gbps)],
  ['of bus', ({ bandwidthFraction }) => `${(100 * bandwidthFraction).toFixed(0)} %`],
  ['paid back', ({ paybackProducts }) => (paybackProducts === null ? '' : formatCount(paybackProducts))],
];

const FIRST_NUMBER = 3;
const NAME_LENGTH = 32;

export function printTable(lines: readonly BenchLine[]): void {
  const numeric = COLUMNS.map((_, place) => place).slice(FIRST_NUMBER);
  const heads = COLUMNS.map(([head]) => head);
  const timed = lines.filter((line): line is TimedLine => !('error' in line));
  print(
    renderTable(
      heads,
      timed.map((line) => COLUMNS.map(([, cell]) => cell(line))),
      numeric,
    ),
  );
  for (const line of lines) {
    if ('error' in line) print(`${shortName(line.matrix)} ${line.format} ${line.dtype} ${line.threads}: ${line.error}`);
  }
}

/** Without scheme and folders; the end of what is too long. */
function shortName(source: string): string {
  const name = source.replace(/^gallery:/, '').replace(/^.*\//, '');
  return name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
}
