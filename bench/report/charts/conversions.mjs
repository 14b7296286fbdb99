/**
 * Cost of a format before its first product: in products of plain CSR, and as the number of products after which it has
 * paid for itself.
 */
import * as Plot from '@observablehq/plot';
import { ascending } from 'd3-array';
import { axes, draw, rowNames, widthOf } from '../draw.mjs';
import { percent, rounded } from '../numbers.mjs';
import { CSR } from '../results.mjs';
import { payback } from '../statistics.mjs';
import { notes, strips, ticksIn } from './strips.mjs';

const ROW = 20;
const NOTES = 44;

export function costChart({ cases, contenders, looks, label }) {
  const rows = rowsOf(contenders, (contender) =>
    cases.flatMap(({ products }) => products.get(contender)?.setupProducts ?? []),
  );
  return stripChart({ rows, looks, label, unit: 'products of plain CSR', note: ({ middle }) => rounded(middle) });
}

/** Relative to our plain CSR, which needs no conversion. */
export function paybackChart({ cases, contenders, looks, label }) {
  const rows = rowsOf(contenders, (contender) =>
    cases.flatMap(({ products }) => {
      const [one, plain] = [products.get(contender), products.get(CSR)];
      if (plain === undefined || typeof one?.setupMs !== 'number') return [];
      return payback(one.setupMs, one.medianMs, plain.medianMs);
    }),
  );
  const note = ({ numbers }) => percent(numbers.filter(Number.isFinite).length / numbers.length);
  return stripChart({ rows, looks, label, unit: 'products until it has paid for itself', note });
}

function rowsOf(contenders, numbersOf) {
  return contenders
    .map((contender) => ({ contender, numbers: numbersOf(contender) }))
    .filter(({ numbers }) => numbers.length > 0)
    .map((row) => ({ ...row, middle: row.numbers.toSorted(ascending)[(row.numbers.length - 1) >> 1] }))
    .sort((a, b) => ascending(a.middle, b.middle));
}

/** A tick for every matrix, a disc for the median. */
function stripChart({ rows, looks, label, unit, note }) {
  const finite = rows.flatMap(({ numbers }) => numbers.filter((number) => Number.isFinite(number) && number > 0));
  if (finite.length === 0) return undefined;
  const domain = [Math.min(...finite), Math.max(...finite)];
  const names = rows.map(({ contender }) => contender);
  return draw({
    label,
    height: 48 + ROW * rows.length,
    ...{ marginLeft: widthOf(names, looks) + 8, marginRight: NOTES, marginTop: 8, marginBottom: 40 },
    x: { type: 'log', domain },
    y: { type: 'band', domain: names, padding: 0.35 },
    marks: [
      axes(unit, { ticks: decadesIn(domain), text: String }),
      rowNames(names, looks),
      strips(rows, looks, domain),
      Plot.dot(rows, {
        ...{ x: 'middle', y: 'contender', r: 4, stroke: 'var(--paper)', strokeWidth: 0.75 },
        fill: ({ contender }) => looks.get(contender).colour,
        filter: ({ middle }) => Number.isFinite(middle) && middle > 0,
      }),
      notes(rows, looks, note, NOTES),
    ],
  });
}

function decadesIn(domain) {
  const decades = ticksIn(domain).filter((tick) => Number.isInteger(Math.log10(tick)));
  return decades.length > 1 ? decades : ticksIn(domain);
}
