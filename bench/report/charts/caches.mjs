/** Time of a product with nothing in a cache over that with warm caches, by the size of the matrix. */
import * as Plot from '@observablehq/plot';
import { axes, draw, hollow, valueAxis } from '../draw.mjs';
import { ticksIn } from './strips.mjs';

/** `pairs`: hot and cold cases of the same matrices. */
export function cacheChart({ pairs, contenders, looks, label }) {
  const points = pairs.flatMap(({ hot, cold }) =>
    contenders.flatMap((contender) => {
      const [warm, evicted] = [hot.products.get(contender), cold.products.get(contender)];
      if (warm === undefined || evicted === undefined) return [];
      const title = `${hot.line.matrix}, ${looks.get(contender).label}`;
      return [{ contender, title, megabytes: warm.bytes / 1e6, ratio: evicted.medianMs / warm.medianMs }];
    }),
  );
  if (points.length === 0) return undefined;
  const sizes = points.map(({ megabytes }) => megabytes);
  const ratios = points.map(({ ratio }) => ratio);
  const symbol = ({ contender }) => looks.get(contender).symbol;
  const dots = (isHollow, options) =>
    Plot.dot(points, {
      ...{ x: 'megabytes', y: 'ratio', symbol, r: 2.8, title: 'title', ...options },
      filter: (point) => hollow(symbol(point)) === isHollow,
    });
  const colour = ({ contender }) => looks.get(contender).colour;
  const xDomain = [Math.min(...sizes) / 1.1, Math.max(...sizes) * 1.1];
  const yDomain = [Math.min(0.9, ...ratios), Math.max(2, ...ratios) * 1.05];
  return draw({
    label,
    height: 300,
    ...{ marginLeft: 34, marginRight: 10, marginTop: 12, marginBottom: 38 },
    x: { type: 'log', domain: xDomain },
    y: { type: 'log', domain: yDomain },
    marks: [
      axes('MB that a product moves', { ticks: ticksIn(xDomain), text: String }),
      valueAxis(
        [0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16].filter((tick) => tick >= yDomain[0] && tick <= yDomain[1]),
        (ratio) => `${ratio}×`,
      ),
      Plot.ruleY([1], { stroke: 'var(--muted)' }),
      dots(false, { fill: colour, fillOpacity: 0.75 }),
      dots(true, { stroke: colour, strokeOpacity: 0.75 }),
    ],
  });
}
