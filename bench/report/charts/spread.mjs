/** A contender's GFLOP/s in one line of a table: minimum, maximum, quartiles, median. */
import * as Plot from '@observablehq/plot';
import { draw } from '../draw.mjs';

const [WIDTH, HEIGHT] = [150, 16];

export function spreadLine({ min, lower, median, upper, max }, colour, greatest) {
  const y = HEIGHT / 2;
  const at = (value) => [{ value, y }];
  return draw({
    label: '',
    ...{ width: WIDTH, height: HEIGHT, margin: 0, marginLeft: 2, marginRight: 2, axis: null },
    x: { domain: [0, greatest] },
    y: { type: 'identity' },
    marks: [
      Plot.ruleY([y], { x1: min, x2: max, stroke: colour }),
      Plot.rect([0], { x1: lower, x2: upper, y1: y - 4, y2: y + 4, fill: colour, fillOpacity: 0.45 }),
      Plot.ruleX(at(median), { x: 'value', y1: y - 6, y2: y + 6, stroke: 'var(--ink)', strokeWidth: 2 }),
    ],
  });
}
