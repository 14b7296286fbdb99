/**
 * GFLOP/s of every matrix, like Lane & Booth's figure 6: all our formats, our best, our choice, the baseline and the
 * peers; behind them the limit of the memory bus if only each format's own bytes were moved.
 */
import * as Plot from '@observablehq/plot';
import { max, mean } from 'd3-array';
import { axes, draw, hollow } from '../draw.mjs';
import { labelOf } from '../looks.mjs';
import { rounded, times } from '../numbers.mjs';
import { AUTO, BEST } from '../results.mjs';

/** A line of text, and below it the marks. */
const ROW = 34;
const TEXT = 17;
const CHARACTERS = 58;
/** Factor above the greatest speed. */
const LIMITS_UP_TO = 1.25;
/** Background of words that lie on lines. */
const HALO = { stroke: 'var(--paper)', strokeWidth: 4 };

/** GFLOP/s at which the bus is full: 2 nnz operations while `bytes` are read. */
function limitOf({ line, readGbps }, bytes) {
  return readGbps === undefined ? undefined : (2 * line.nnz * readGbps) / bytes;
}

export function matrixChart({ cases, contenders, baseline, looks, label }) {
  const greatest = greatestOf(cases, baseline);
  const rows = cases.map((one) => rowOf(one, contenders, baseline, greatest));
  const onRow = { y: 'key', insetTop: TEXT + 1, insetBottom: 4 };
  const all = (of) => rows.flatMap(of);
  return draw({
    label,
    height: 62 + ROW * rows.length,
    ...{ marginLeft: 4, marginRight: 4, marginTop: 34, marginBottom: 28 },
    x: { domain: [0, greatest] },
    y: { type: 'band', domain: rows.map(({ key }) => key), padding: 0, axis: null },
    marks: [
      axes('GFLOP/s', { anchor: 'top', ticks: 6 }),
      axes(null, { ticks: 6 }),
      Plot.barX(rows, { x1: 0, x2: 'plainLimit', fill: 'var(--bar)', filter: 'plainLimit', ...onRow }),
      meanLines(cases, [baseline, AUTO, BEST], looks),
      Plot.tickX(
        all(({ limits }) => limits),
        { x: 'limit', stroke: 'var(--muted)', ...onRow, insetTop: ROW - 9 },
      ),
      Plot.tickX(
        rows.filter(({ gatherLimit }) => gatherLimit),
        { x: 'gatherLimit', stroke: 'var(--worst)', strokeWidth: 1.5, ...onRow },
      ),
      Plot.tickX(rows, { x: 'bestLimit', stroke: 'var(--best)', strokeWidth: 1.5, filter: 'bestLimit', ...onRow }),
      Plot.tickX(
        all(({ formats }) => formats),
        {
          ...{ x: 'gflops', stroke: 'var(--format)', strokeWidth: 1.25, ...onRow },
          ...{ insetTop: TEXT + 4, insetBottom: 7 },
        },
      ),
      Plot.tickX(rows, {
        ...{
          x: 'plain',
          stroke: looks.get(baseline).colour,
          strokeWidth: 2,
          filter: 'plain',
          title: 'plainTitle',
          ...onRow,
        },
      }),
      peerDots(
        all(({ peers }) => peers),
        looks,
      ),
      ...ourDots(rows),
      Plot.text(rows, {
        y: 'key',
        text: 'name',
        frameAnchor: 'left',
        textAnchor: 'start',
        dy: -8,
        fontWeight: 600,
        fill: 'var(--ink)',
        ...HALO,
      }),
      Plot.text(rows, {
        y: 'key',
        text: 'verdict',
        frameAnchor: 'right',
        textAnchor: 'end',
        dy: -8,
        fill: looks.get(BEST).text,
        ...HALO,
      }),
    ],
  });
}

/** The right end includes all measurements, and limits not far beyond them. */
function greatestOf(cases, baseline) {
  const measured = max(cases.flatMap(({ products }) => [...products.values()].map(({ gflops }) => gflops)));
  const limits = cases.flatMap((one) => {
    const named = [BEST, baseline].flatMap((name) => one.products.get(name) ?? []);
    return named.flatMap(({ bytes }) => limitOf(one, bytes) ?? []);
  });
  return 1.03 * max([measured, ...limits.filter((limit) => limit < LIMITS_UP_TO * measured)]);
}

/** GFLOP/s if only gathers took time; shown if known, inside the chart, and below the bus limit of the product. */
function gatherLimitOf(one, product, greatest) {
  if (one.gathersMs === undefined || product === undefined) return undefined;
  const limit = (2 * one.line.nnz) / one.gathersMs / 1e6;
  return limit < Math.min(greatest, limitOf(one, product.bytes)) ? limit : undefined;
}

/** The marks of a matrix; limits beyond the chart's right end are omitted. */
function rowOf(one, contenders, baseline, greatest) {
  const { key, line, products } = one;
  const [best, auto, plain] = [BEST, AUTO, baseline].map((name) => products.get(name));
  const named = (names) => names.flatMap((name) => products.get(name) ?? []);
  const limit = (product) => {
    const found = product && limitOf(one, product.bytes);
    return found <= greatest ? found : undefined;
  };
  const formats = named(contenders.formats);
  const peers = named([...contenders.native, ...contenders.javascript]).filter(
    ({ contender }) => contender !== baseline,
  );
  return {
    key,
    ...textOf(line, best, plain),
    ...{ best: best?.gflops, bestTitle: best && titleOf(best), bestLimit: limit(best) },
    gatherLimit: gatherLimitOf(one, best, greatest),
    ...{ auto: auto?.gflops, autoTitle: auto && titleOf(auto) },
    ...{ plain: plain?.gflops, plainTitle: plain && titleOf(plain) },
    plainLimit: plain && Math.min(limitOf(one, plain.bytes) ?? 0, greatest),
    formats: formats.map(({ gflops }) => ({ key, gflops })),
    limits: formats.flatMap((product) => (limit(product) === undefined ? [] : { key, limit: limit(product) })),
    peers: peers.map((peer) => ({ key, contender: peer.contender, gflops: peer.gflops, title: titleOf(peer) })),
  };
}

function titleOf({ contender, format, gflops, spreadPercent }) {
  const name = contender === AUTO ? `auto: ${format}` : contender;
  return `${name}: ${rounded(gflops)} GFLOP/s ± ${Math.round(spreadPercent)} %`;
}

/** The name on the left, shortened to leave room for our best format and its speed relative to the baseline. */
function textOf({ matrix, standIn }, best, plain) {
  const verdict =
    best && `${labelOf(best.format)}  ${plain ? times(plain.medianMs / best.medianMs) : rounded(best.gflops)}`;
  const name = standIn ? `≈ ${matrix}` : matrix;
  const room = CHARACTERS - (verdict?.length ?? 0);
  return { verdict, name: name.length > room ? `${name.slice(0, room - 1)}…` : name };
}

/** Lane & Booth's dashed lines: the arithmetic means of the group. */
function meanLines(cases, contenders, looks) {
  const lines = contenders.flatMap((contender) => {
    const gflops = mean(cases, ({ products }) => products.get(contender)?.gflops);
    return gflops === undefined ? [] : [{ gflops, colour: looks.get(contender).colour }];
  });
  return Plot.ruleX(lines, { x: 'gflops', stroke: 'colour', strokeDasharray: '2,3', strokeWidth: 1 });
}

function peerDots(peers, looks) {
  const dots = (some, options) =>
    Plot.dot(some, { x: 'gflops', y: 'key', dy: TEXT / 2 - 1, r: 3.2, title: 'title', symbol: symbolOf, ...options });
  const colour = ({ contender }) => looks.get(contender).colour;
  const symbolOf = ({ contender }) => looks.get(contender).symbol;
  const isHollow = (peer) => hollow(symbolOf(peer));
  return [
    dots(
      peers.filter((peer) => !isHollow(peer)),
      { fill: colour, stroke: 'var(--paper)', strokeWidth: 0.5 },
    ),
    dots(peers.filter(isHollow), { stroke: colour, strokeWidth: 1.2 }),
  ];
}

/** The best is a disc; a ring around it means that the choice chose the best. */
function ourDots(rows) {
  const dot = (value, options) =>
    Plot.dot(rows, { x: value, y: 'key', dy: TEXT / 2 - 1, title: `${value}Title`, ...options });
  return [
    dot('best', { r: 3.6, fill: 'var(--best)', filter: 'best' }),
    dot('auto', {
      r: 5.6,
      fill: 'none',
      stroke: 'var(--auto)',
      strokeWidth: 1.4,
      filter: 'auto',
      pointerEvents: 'all',
    }),
  ];
}
