/**
 * Tables in the terminal: a head and rows in columns; without lines and colours, so that they can be piped or pasted
 * into a README. No table is wider than a terminal of 100 columns: if the cells are wider, the widest columns of text
 * are wrapped.
 */
import Table from 'cli-table3';
import { MAX_WIDTH, wrapText } from './output.js';

const LINES = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];
const NO_LINES: Record<string, string> = Object.fromEntries(LINES.map((name) => [name, '']));

/** Between two columns. */
const GAP = 2;

/** Minimum width to which columns of text are wrapped. */
const MIN_WRAPPED = 12;

/**
 * @param numeric places of the columns that are aligned on the right, and never wrapped
 * @param maxWidth columns of the terminal
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly number[] = [],
  maxWidth: number = MAX_WIDTH,
): string {
  const widths = columnWidths([head, ...rows], numeric, maxWidth);
  const wrapped = (cells: readonly string[]) => cells.map((cell, place) => wrapText(cell, widths[place]!).join('\n'));
  const table = new Table({
    head: wrapped(head),
    chars: NO_LINES,
    colAligns: head.map((_, place) => (numeric.includes(place) ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
  });
  table.push(...rows.map(wrapped));
  return table.toString().replaceAll(/ +$/gm, '');
}

/** The longest cell of each column; if they are too wide together, the widest columns of text are narrowed. */
function columnWidths(lines: readonly (readonly string[])[], numeric: readonly number[], maxWidth: number): number[] {
  const widths = lines[0]!.map((_, place) => Math.max(...lines.map((cells) => widthOf(cells[place]!))));
  const texts = [...widths.keys()].filter((place) => !numeric.includes(place));
  let excess = widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - maxWidth;
  for (; excess > 0 && texts.length > 0; excess--) {
    const widest = texts.reduce((one, other) => (widths[other]! > widths[one]! ? other : one));
    if (widths[widest]! <= MIN_WRAPPED) break;
    widths[widest]!--;
  }
  return widths;
}

function widthOf(cell: string): number {
  return Math.max(...cell.split('\n').map(({ length }) => length));
}
