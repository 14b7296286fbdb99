/** The papers' charts, in their own layouts: bars by matrix, lines by size, spreads, and counts of winners. */
import * as Plot from '@observablehq/plot';
import { axes, draw, valueAxis } from '../report/draw.mjs';
import { distribution, overheads, winnersAndLosers } from '../report/statistics.mjs';

const COLOURS = [
  ...['var(--best)', 'var(--native-1)', 'var(--native-2)', 'var(--native-3)', 'var(--native-4)', 'var(--native-6)'],
  ...['var(--native-7)', 'var(--compiled)'],
];
const WIDTH = 720;
/** The mean width of a character. */
const CHARACTER = 6.2;
/** The height of a row with a name. */
const LABEL = 20;
/** The left margin of a chart with values on its left. */
const VALUES = 40;

const widest = (names) => Math.ceil(1.1 * CHARACTER * Math.max(...names.map((name) => name.length))) + 12;

/** Writes numbers as 2048, 30k, 5M. */
const shortly = (number) => (number >= 1e6 ? `${number / 1e6}M` : number >= 1e4 ? `${number / 1e3}k` : String(number));

/**
 * Series with their colours: dots and names in lines above the chart, which break where they are full. `from`: where a line begins; `margin`: that of the
 * chart, on its left; `gap`: from the last line to the chart, whose margin `top` is.
 */
function legend(series, { from, margin = from, gap }) {
  let [x, y] = [from, 8];
  const places = series.map((name) => {
    const width = CHARACTER * name.length + 26;
    if (x + width > WIDTH) [x, y] = [from, y + 15];
    const at = { name, dx: x - margin, y };
    x += width;
    return at;
  });
  const top = y + gap;
  // `super` draws the legend once, not in each panel.
  const options = { frameAnchor: 'top-left', facet: 'super' };
  const marks = places.flatMap(({ name, dx, y }) => [
    Plot.dot([0], { ...options, dx: dx + 5, dy: y - top, r: 4, fill: colourOf(series, name) }),
    Plot.text([name], { ...options, dx: dx + 13, dy: y - top, textAnchor: 'start', lineAnchor: 'middle' }),
  ]);
  return { top, marks };
}

const colourOf = (series, name) => COLOURS[series.indexOf(name) % COLOURS.length];

/**
 * Draws horizontal bars, a group for each matrix: `rows` of { group, series, value }. `unit`: that of the axis; `log`: whether the axis is logarithmic, from
 * the least value on. Returns undefined without values, as the other charts do.
 */
export function bars({ label, rows, series, unit, log = false, ruler }) {
  const all = rows.filter(({ value }) => value !== undefined);
  if (all.length === 0) return undefined;
  const present = series.filter((name) => all.some((row) => row.series === name));
  const groups = [...new Set(all.map(({ group }) => group))];
  const [thick, gap] = [present.length > 6 ? 5 : 7, 7];
  const left = widest(groups);
  const { top, marks } = legend(present, { from: 0, margin: left, gap: 16 });
  // A place for each bar: a group has those of all series and a gap.
  const size = present.length * thick + gap;
  const places = all.map((row) => {
    const y = groups.indexOf(row.group) * size + present.indexOf(row.series) * thick;
    return { ...row, y1: y, y2: y + thick - 1 };
  });
  const values = all.map(({ value }) => value);
  const least = log ? Math.min(...values) / 1.3 : 0;
  return draw({
    label,
    width: WIDTH,
    height: top + 34 + groups.length * size,
    marginLeft: left,
    marginRight: 14,
    marginTop: top,
    marginBottom: 34,
    x: { type: log ? 'log' : 'linear', domain: [least, Math.max(...values) * (log ? 1.2 : 1.04)] },
    y: { axis: null, domain: [0, groups.length * size], range: [top, top + groups.length * size] },
    marks: [
      axes(unit, { ticks: 5, ...(log && { tickFormat: shortly }) }),
      Plot.rect(places, {
        x1: least,
        x2: 'value',
        y1: 'y1',
        y2: 'y2',
        fill: ({ series: name }) => colourOf(present, name),
      }),
      Plot.text(groups, {
        y: (_, k) => k * size + (size - gap) / 2,
        text: (name) => name,
        frameAnchor: 'left',
        textAnchor: 'end',
        dx: -6,
      }),
      ...(ruler === undefined ? [] : [Plot.ruleX([ruler], { stroke: 'var(--ink)' })]),
      ...marks,
    ],
  });
}

/** Draws small panels of lines: `rows` of { panel, series, x, y }, x and y on logarithmic axes if asked for. */
export function panels({ label, rows, series, x, y, across = 3, logX = true }) {
  const all = rows.filter((row) => row.y !== undefined);
  if (all.length === 0) return undefined;
  const names = [...new Set(all.map(({ panel }) => panel))];
  const present = series.filter((name) => all.some((row) => row.series === name));
  const columns = Math.min(across, names.length);
  const rowsOf = Math.ceil(names.length / columns);
  const { top, marks } = legend(present, { from: VALUES, gap: 34 });
  const place = ({ panel }) => ({
    column: names.indexOf(panel) % columns,
    row: Math.floor(names.indexOf(panel) / columns),
  });
  const placed = all.map((one) => ({ ...one, ...place(one) }));
  const ticks = [...new Set(all.map((one) => one.x))].sort((a, b) => a - b);
  const shown = ticks.length > 8 ? ticks.filter((_, k) => k % 2 === 0) : ticks;
  const axisTicks = logX && ticks.length <= 16 ? shown : 5;
  return draw({
    label,
    width: WIDTH,
    height: top + 34 + 150 * rowsOf,
    marginLeft: VALUES,
    marginTop: top,
    marginBottom: 34,
    marginRight: 10,
    x: { type: logX ? 'log' : 'linear', insetLeft: 4, insetRight: 4 },
    fx: { axis: null, padding: 0.08 },
    fy: { axis: null, padding: 0.16 },
    y: { domain: [0, Math.max(...all.map((one) => one.y)) * 1.05] },
    marks: [
      axes(x, { ticks: axisTicks, tickFormat: shortly }),
      valueAxis(4, String),
      Plot.line(placed, {
        x: 'x',
        y: 'y',
        z: 'series',
        fx: 'column',
        fy: 'row',
        stroke: (one) => colourOf(present, one.series),
        marker: 'dot',
      }),
      Plot.text(
        names.map((panel) => ({ panel, ...place({ panel }) })),
        { fx: 'column', fy: 'row', frameAnchor: 'top-left', text: 'panel', dy: -12, fontWeight: 'bold' },
      ),
      Plot.text([y], {
        frameAnchor: 'top-left',
        dx: -36,
        dy: -26,
        textAnchor: 'start',
        facet: 'super',
        fill: 'var(--muted)',
      }),
      ...marks,
    ],
  });
}

/** Draws a box for each contender, as in Flegar & Anzt's figure 8: quartiles, median, and whiskers to the least and the most. */
export function boxes({ label, byName, unit }) {
  const all = [...byName].flatMap(([name, numbers]) =>
    numbers.length === 0 ? [] : [{ name, ...distribution(numbers) }],
  );
  if (all.length === 0) return undefined;
  const names = all.map(({ name }) => name);
  return draw({
    label,
    width: WIDTH,
    height: 44 + 28 * names.length,
    marginLeft: widest(names),
    marginTop: 8,
    marginBottom: 36,
    marginRight: 14,
    x: { domain: [0, Math.max(...all.map(({ max }) => max))] },
    y: { type: 'band', domain: names, padding: 0.35 },
    marks: [
      axes(unit, { ticks: 6 }),
      Plot.axisY(names, { label: null, tickSize: 0 }),
      Plot.ruleY(all, { y: 'name', x1: 'min', x2: 'max', stroke: 'var(--muted)' }),
      Plot.barX(all, { y: 'name', x1: 'lower', x2: 'upper', fill: (one) => colourOf(names, one.name) }),
      Plot.tickX(all, { y: 'name', x: 'median', stroke: 'var(--ink)', strokeWidth: 2 }),
    ],
  });
}

/** Draws the numbers of matrices on which each contender is the fastest (right) and the slowest (left): `timesOf` is a list of Maps by name. */
export function winners({ label, timesOf }) {
  const counts = [...winnersAndLosers(timesOf)].map(([name, count]) => ({ name, ...count }));
  if (counts.length === 0) return undefined;
  counts.sort((a, b) => b.fastest - a.fastest);
  const names = counts.map(({ name }) => name);
  const most = Math.max(...counts.flatMap(({ fastest, slowest }) => [fastest, slowest]), 1);
  const side = (key, sign, fill) => [
    Plot.barX(counts, { y: 'name', x: (one) => sign * one[key], fill }),
    Plot.text(counts, {
      y: 'name',
      x: (one) => sign * one[key],
      text: key,
      dx: sign * 4,
      textAnchor: sign < 0 ? 'end' : 'start',
    }),
  ];
  return draw({
    label,
    ...{ width: WIDTH, height: 52 + LABEL * names.length, marginLeft: widest(names), marginTop: 22, marginBottom: 24 },
    x: { domain: [-1.25 * most, 1.25 * most] },
    y: { type: 'band', domain: names, padding: 0.3 },
    marks: [
      axes(null, { ticks: 5, tickFormat: (number) => `${Math.abs(number)}` }),
      Plot.axisY(names, { label: null, tickSize: 0 }),
      side('slowest', -1, 'var(--worst)'),
      side('fastest', 1, 'var(--best)'),
      Plot.ruleX([0], { stroke: 'var(--muted)' }),
      Plot.text(['← slowest    fastest →'], { frameAnchor: 'top', dy: -14, fill: 'var(--muted)' }),
    ],
  });
}

/** Draws the times over the fastest of each matrix, ascending for each contender by itself, as in Flegar & Anzt's figure 9; cut at `most`. */
export function slowdowns({ label, timesOf, most = 4 }) {
  if (timesOf.length === 0) return undefined;
  const all = [...overheads(timesOf)];
  const rows = all.flatMap(([series, sorted]) =>
    [...sorted].flatMap((value, k) => (value <= most ? [{ panel: 'all', series, x: k + 1, y: value }] : [])),
  );
  const series = all.map(([name]) => name);
  const { top, marks } = legend(series, { from: VALUES, gap: 18 });
  return draw({
    label,
    ...{ width: WIDTH, height: top + 280, marginLeft: VALUES, marginTop: top, marginBottom: 36, marginRight: 10 },
    y: { domain: [1, most] },
    marks: [
      axes('matrices, in the order of the slowdown of each', { ticks: 6 }),
      valueAxis(6, String),
      Plot.line(rows, { x: 'x', y: 'y', z: 'series', stroke: (one) => colourOf(series, one.series), strokeWidth: 1.6 }),
      ...marks,
    ],
  });
}

/** Draws dots of { series, x, y } on a logarithmic x. */
export function dots({ label, rows, series, x, y }) {
  const all = rows.filter((row) => row.y !== undefined);
  if (all.length === 0) return undefined;
  const { top, marks } = legend(series, { from: VALUES, gap: 18 });
  return draw({
    label,
    ...{ width: WIDTH, height: top + 300, marginLeft: VALUES, marginTop: top, marginBottom: 36, marginRight: 10 },
    x: { type: 'log' },
    y: { domain: [0, Math.max(...all.map((row) => row.y)) * 1.04] },
    marks: [
      axes(x, { ticks: 5, tickFormat: shortly }),
      valueAxis(5, String),
      Plot.dot(all, { x: 'x', y: 'y', r: 1.8, fill: (one) => colourOf(series, one.series), fillOpacity: 0.75 }),
      Plot.text([y], { frameAnchor: 'top-left', dx: 4, dy: 2, textAnchor: 'start', fill: 'var(--muted)' }),
      ...marks,
    ],
  });
}
