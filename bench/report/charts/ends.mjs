/** Names at the right ends of lines, in place of a legend. */
import * as Plot from '@observablehq/plot';

const LINE = 12.5;

/**
 * `lines`: `{ contender, last }`, the name of a line and its last value; `at`: the last x, and the x where the stroke
 * to the name ends and where the name begins; `domain` of the values, over `height` pixels.
 */
export function endLabels(lines, { looks, at: [x, strokeEnd, textStart], domain: [low, high], height, text }) {
  const sorted = lines.toSorted((a, b) => b.last - a.last);
  const pixels = sorted.map(({ last }) => ((high - last) / (high - low)) * height);
  const places = spreadApart(pixels, LINE, height + LINE);
  const labels = sorted.map((line, k) => ({ ...line, place: high - (places[k] / height) * (high - low) }));
  const look = (of) => (line) => looks.get(line.contender)[of];
  return [
    Plot.link(labels, { x1: x, x2: strokeEnd, y1: 'last', y2: 'place', stroke: look('colour'), strokeWidth: 0.8 }),
    Plot.text(labels, { x: textStart, y: 'place', text, fill: look('text'), textAnchor: 'start' }),
  ];
}

/** Positions in ascending order, moved by a small distance so that neighbours are at least `gap` apart and all ≤ `end`. */
export function spreadApart(positions, gap, end = Infinity) {
  const spread = [...positions];
  for (let k = 1; k < spread.length; k++) spread[k] = Math.max(spread[k], spread[k - 1] + gap);
  for (let k = spread.length - 1, limit = end; k >= 0; k--, limit = spread[k + 1] - gap) {
    spread[k] = Math.min(spread[k], limit);
  }
  return spread;
}
