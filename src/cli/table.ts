/** Tables in the terminal: a head and rows in columns; no lines and no colours, so that they survive a pipe and a README. */
import Table from 'cli-table3';

const LINES = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];
const NO_LINES: Record<string, string> = Object.fromEntries(LINES.map((name) => [name, '']));

/** `numeric`: places of the columns that are aligned on the right. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly number[] = [],
): string {
  const table = new Table({
    head: [...head],
    chars: NO_LINES,
    colAligns: head.map((_, place) => (numeric.includes(place) ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replaceAll(/ +$/gm, '');
}
