/** Rows of contenders with a tick for every matrix, on a logarithmic axis, and a figure in words at the right end. */
import * as Plot from '@observablehq/plot';

/** `rows`: `{ contender, numbers }`. Numbers outside the domain are omitted. */
export function strips(rows, looks, [least, greatest]) {
  return rows.map(({ contender, numbers }) =>
    Plot.tickX(
      numbers.filter((number) => number >= least && number <= greatest),
      { x: Number, y: () => contender, stroke: looks.get(contender).colour, strokeOpacity: 0.3 },
    ),
  );
}

/** Text in the right margin, of `margin` pixels. */
export function notes(rows, looks, text, margin) {
  return Plot.text(rows, {
    ...{ y: 'contender', text, fill: ({ contender }) => looks.get(contender).text },
    ...{ frameAnchor: 'right', textAnchor: 'end', dx: margin - 2, fontWeight: 600, fontVariant: 'tabular-nums' },
  });
}

/** The given digits of every decade within the domain of a logarithmic axis. */
export function ticksIn([least, greatest], digits = [1, 2, 5]) {
  const ticks = [];
  for (let decade = 10 ** Math.floor(Math.log10(least)); decade <= greatest; decade *= 10) {
    ticks.push(...digits.map((digit) => Number((digit * decade).toPrecision(2))));
  }
  return ticks.filter((tick) => tick >= least && tick <= greatest);
}
