/** Speed relative to the baseline: a tick for every matrix, the means of the regular and the irregular ones, and of all. */
import * as Plot from '@observablehq/plot';
import { axes, draw, rowNames, widthOf } from '../draw.mjs';
import { times } from '../numbers.mjs';
import { speedups } from '../results.mjs';
import { geometricMean } from '../statistics.mjs';
import { notes, strips, ticksIn } from './strips.mjs';

const ROW = 26;
const NOTES = 52;

/** Smaller ratios are beyond the left end and shown as an arrow. */
const LEAST = 0.25;

export function speedupChart({ cases, contenders, baseline, plain, looks, domain, label }) {
  const rows = contenders
    .map((contender) => ({ contender, ...meansOf(speedups(cases, contender, baseline)) }))
    .filter(({ all }) => all !== undefined);
  if (rows.length === 0) return undefined;
  const names = rows.map(({ contender }) => contender);
  const colour = ({ contender }) => looks.get(contender).colour;
  const isIn = (ratio) => ratio >= domain[0];
  const mean = (group, options) =>
    Plot.dot(rows, { x: group, y: 'contender', r: 4.5, filter: (row) => isIn(row[group]), ...options });
  return draw({
    label,
    height: 46 + ROW * rows.length,
    ...{ marginLeft: widthOf(names, looks) + 8, marginRight: NOTES, marginTop: 8, marginBottom: 38 },
    x: { type: 'log', domain },
    y: { type: 'band', domain: names, padding: 0.45 },
    marks: [
      axes(`times as fast as ${plain}`, { ticks: ticksIn(domain, [1, 1.5, 2, 3, 5, 7]), text: String }),
      rowNames(names, looks),
      Plot.ruleX([1], { stroke: 'var(--ink)' }),
      strips(rows, looks, domain),
      Plot.link(rows, {
        ...{ x1: 'irregular', x2: 'regular', y: 'contender', stroke: colour, strokeWidth: 1.5 },
        filter: ({ regular, irregular }) => isIn(regular) && isIn(irregular),
      }),
      mean('irregular', { fill: 'var(--paper)', stroke: colour, strokeWidth: 1.5 }),
      mean('regular', { fill: colour, stroke: 'var(--paper)', strokeWidth: 0.75 }),
      Plot.text(rows, {
        ...{ y: 'contender', text: () => '←', frameAnchor: 'left', textAnchor: 'start', fill: colour },
        filter: ({ all }) => !isIn(all),
      }),
      notes(rows, looks, ({ all }) => times(all), NOTES),
    ],
  });
}

function meansOf(found) {
  const mean = (some) => geometricMean(some.map(({ ratio }) => ratio));
  return {
    numbers: found.map(({ ratio }) => ratio),
    all: mean(found),
    regular: mean(found.filter(({ line }) => line.regular)),
    irregular: mean(found.filter(({ line }) => !line.regular)),
  };
}

/** From the smallest ratio shown to the greatest one measured, slightly enlarged. */
export function domainOf(ratios) {
  return [Math.max(LEAST, Math.min(0.8, ...ratios) / 1.05), Math.max(1.25, ...ratios) * 1.05];
}
