/** Charts of the suite `solve`: times to solution, the parts of ours, residuals by iteration. */
import * as Plot from '@observablehq/plot';
import { axes, draw, rowNames, valueAxis, widthOf } from '../draw.mjs';
import { rounded } from '../numbers.mjs';
import { endLabels } from './ends.mjs';

const ROW = 22;
const NOTES = 66;
const CURVE_HEIGHT = 260;
const [TOP, BOTTOM] = [12, 36];

const KINDS = [
  ['chosen', 'sparlane', 'var(--auto)'],
  ['native', 'the fastest native', 'var(--native-1)'],
  ['javascript', 'the fastest in JavaScript', 'var(--javascript-1)'],
];

/** The fastest of each kind on every problem. `rows`: `{ problem, chosen, native, javascript }`, milliseconds or undefined. */
export function problemsChart(rows, label) {
  const dots = rows.flatMap((row) => KINDS.map(([key, , fill]) => ({ problem: row.problem, fill, ms: row[key] })));
  const known = dots.filter(({ ms }) => ms !== undefined);
  if (known.length === 0) return undefined;
  const names = rows.map(({ problem }) => problem);
  const all = known.map(({ ms }) => ms);
  return draw({
    label,
    height: TOP + BOTTOM + ROW * names.length + 18,
    ...{ marginLeft: 96, marginRight: 12, marginTop: TOP + 18, marginBottom: BOTTOM },
    x: { type: 'log', domain: [Math.min(...all) / 1.3, Math.max(...all) * 1.3] },
    y: { type: 'band', domain: names },
    marks: [
      axes('milliseconds, set-up included', { ticks: 5 }),
      Plot.axisY(names, { anchor: 'left', label: null, tickSize: 0, tickPadding: 4 }),
      Plot.dot(known, { x: 'ms', y: 'problem', fill: 'fill', r: 4 }),
      keys(KINDS),
    ],
  });
}

/** Names in their colours above a chart. `kinds`: `[, name, colour]`. */
function keys(kinds) {
  const widths = kinds.map(([, name]) => 6.1 * name.length + 24);
  return kinds.map(([, name, fill], k) =>
    Plot.text([`■ ${name}`], {
      ...{ frameAnchor: 'top-left', textAnchor: 'start', fill },
      ...{ dx: widths.slice(0, k).reduce((sum, width) => sum + width, 0), dy: -16 },
    }),
  );
}

/** Milliseconds of every contender, in the order of the lines, and beside each its iterations. */
export function timesChart({ lines, looks, label }) {
  const names = lines.map(({ contender }) => contender);
  const colour = ({ contender }) => looks.get(contender).colour;
  const [least, most] = [Math.min(...lines.map(({ ms }) => ms)), Math.max(...lines.map(({ ms }) => ms))];
  return draw({
    label,
    height: TOP + BOTTOM + ROW * lines.length,
    ...{ marginLeft: widthOf(names, looks) + 8, marginRight: NOTES, marginTop: TOP, marginBottom: BOTTOM },
    x: { type: 'log', domain: [least / 1.3, most * 1.3] },
    y: { type: 'band', domain: names },
    marks: [
      axes('milliseconds, set-up included', { ticks: 5 }),
      rowNames(names, looks),
      Plot.dot(lines, { x: 'ms', y: 'contender', fill: colour, r: 4 }),
      Plot.text(lines, {
        ...{ y: 'contender', frameAnchor: 'right', textAnchor: 'start', dx: 6, fill: 'var(--muted)' },
        text: ({ ms, isSolved, unfinished }) => (isSolved ? rounded(ms) : unfinished ? 'not finished' : 'not solved'),
      }),
    ],
  });
}

const PARTS = [
  ['setupMs', 'set-up', 'var(--muted)'],
  ['products', 'products', 'var(--auto)'],
  ['preconditioner', 'preconditioner', 'var(--format)'],
  ['vectors', 'vectors', 'var(--best)'],
];

/** Milliseconds of ours by parts, as stacked bars. `lines`: `{ contender, parts: { setupMs, products, preconditioner, vectors } }`. */
export function partsChart({ lines, looks, label }) {
  if (lines.length === 0) return undefined;
  const names = lines.map(({ contender }) => contender);
  const bars = lines.flatMap(({ contender, parts }) =>
    PARTS.map(([key, part, fill]) => ({ contender, part, fill, ms: parts[key] })),
  );
  return draw({
    label,
    height: TOP + BOTTOM + ROW * lines.length + 18,
    ...{ marginLeft: widthOf(names, looks) + 8, marginRight: 12, marginTop: TOP + 18, marginBottom: BOTTOM },
    y: { type: 'band', domain: names, padding: 0.25 },
    marks: [
      axes('milliseconds', { ticks: 5 }),
      rowNames(names, looks),
      Plot.barX(bars, Plot.stackX({ x: 'ms', y: 'contender', fill: 'fill' })),
      keys(PARTS),
    ],
  });
}

/** Relative residual norms by iteration. `curves`: `{ contender, points: { iteration, residual }[] }`. */
export function residualsChart({ curves, looks, label }) {
  const drawn = curves.filter(({ points }) => points.length > 1);
  if (drawn.length === 0) return undefined;
  const all = drawn.flatMap(({ points }) => points);
  const most = Math.max(...all.map(({ iteration }) => iteration));
  const exponents = all.map(({ residual }) => Math.log10(residual));
  const domain = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))];
  const names = drawn.map(({ contender }) => contender);
  return draw({
    label,
    height: CURVE_HEIGHT,
    ...{ marginLeft: 40, marginRight: widthOf(names, looks) + 40, marginTop: TOP, marginBottom: BOTTOM },
    x: { domain: [0, most] },
    y: { domain },
    marks: [
      axes('iterations', { ticks: 5 }),
      valueAxis(5, (exponent) => `1e${exponent}`),
      drawn.map(({ contender, points }) =>
        Plot.line(points, {
          ...{ x: 'iteration', y: ({ residual }) => Math.log10(residual) },
          ...{ stroke: looks.get(contender).colour, strokeWidth: 1.5 },
        }),
      ),
      endLabels(
        drawn.map(({ contender, points }) => ({ contender, last: Math.log10(points.at(-1).residual) })),
        {
          ...{ looks, at: [most, most * 1.04, most * 1.05], domain, height: CURVE_HEIGHT - TOP - BOTTOM },
          text: ({ contender }) => looks.get(contender).label,
        },
      ),
    ],
  });
}
