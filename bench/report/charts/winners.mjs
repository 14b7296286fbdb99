/**
 * Flegar & Anzt's figure 7: the numbers of matrices on which a contender is the fastest (to the right) and the slowest
 * (to the left).
 */
import * as Plot from '@observablehq/plot';
import { axes, draw, rowNames, widthOf } from '../draw.mjs';
import { timesOf } from '../results.mjs';
import { winnersAndLosers } from '../statistics.mjs';

const ROW = 20;

export function winnersChart({ cases, contenders, looks, label }) {
  const counts = winnersAndLosers(timesOf(cases, contenders));
  const rows = [...counts].map(([contender, count]) => ({ contender, ...count }));
  if (rows.length === 0) return undefined;
  rows.sort((a, b) => b.fastest - a.fastest || a.slowest - b.slowest);
  const names = rows.map(({ contender }) => contender);
  const greatest = Math.max(...rows.map(({ fastest, slowest }) => Math.max(fastest, slowest)), 1);
  const bar = (side, sign, colour) => [
    Plot.barX(rows, { x: (row) => sign * row[side], y: 'contender', fill: colour, filter: (row) => row[side] > 0 }),
    Plot.text(rows, {
      ...{ x: (row) => sign * row[side], y: 'contender', text: side, filter: (row) => row[side] > 0 },
      ...{ dx: sign * 4, textAnchor: sign < 0 ? 'end' : 'start', fontVariant: 'tabular-nums' },
    }),
  ];
  return draw({
    label,
    height: 44 + ROW * rows.length,
    ...{ marginLeft: widthOf(names, looks) + 8, marginRight: 8, marginTop: 22, marginBottom: 22 },
    x: { domain: [-1.3 * greatest, 1.3 * greatest] },
    y: { type: 'band', domain: names, padding: 0.3 },
    marks: [
      axes(null, { ticks: 5, tickFormat: (number) => `${Math.abs(number)}` }),
      rowNames(names, looks),
      bar('slowest', -1, 'var(--worst)'),
      bar('fastest', 1, ({ contender }) => looks.get(contender).colour),
      Plot.ruleX([0], { stroke: 'var(--muted)' }),
      Plot.text(['← slowest'], { frameAnchor: 'top', textAnchor: 'end', dx: -8, dy: -14, fill: 'var(--muted)' }),
      Plot.text(['fastest →'], { frameAnchor: 'top', textAnchor: 'start', dx: 8, dy: -14, fill: 'var(--muted)' }),
    ],
  });
}
