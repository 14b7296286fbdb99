/** Lane & Booth's figure 5: speedup with more threads, geometric means over the matrices; and that of the bus. */
import * as Plot from '@observablehq/plot';
import { axes, draw, valueAxis, widthOf } from '../draw.mjs';
import { times } from '../numbers.mjs';
import { BUS, casesOf } from '../results.mjs';
import { geometricMean } from '../statistics.mjs';
import { endLabels } from './ends.mjs';

const HEIGHT = 300;
const [TOP, BOTTOM] = [12, 36];

export function scalingChart({ results, dtype, isIn, contenders, looks, label }) {
  const { threads } = results;
  const cases = threads.map((number) => casesOf(results, { dtype, threads: number }).filter(({ line }) => isIn(line)));
  const lines = [...contenders, BUS].flatMap((contender) => {
    const points = pointsOf(contender, threads, cases);
    return points.length < 2 ? [] : [{ contender, points, last: points.at(-1).speedup }];
  });
  if (lines.length === 0) return undefined;
  const names = lines.map(({ contender }) => contender);
  const speedups = lines.flatMap(({ points }) => points.map(({ speedup }) => speedup));
  const [least, most] = [threads[0], threads.at(-1)];
  const domain = [Math.min(1, ...speedups), Math.max(most / least, ...speedups)];
  const beyond = (share) => most + share * (most - least);
  return draw({
    label,
    height: HEIGHT,
    ...{ marginLeft: 34, marginRight: widthOf(names, looks) + 54, marginTop: TOP, marginBottom: BOTTOM },
    x: { domain: [least, most] },
    y: { domain },
    marks: [
      axes('threads', { ticks: threads, text: String }),
      valueAxis(5, (speedup) => `${speedup}×`),
      Plot.line([least, most], { x: Number, y: (number) => number / least, stroke: 'var(--faint)', strokeWidth: 4 }),
      lines.map((line) => lineOf(line, looks)),
      endLabels(lines, {
        ...{ looks, at: [most, beyond(0.05), beyond(0.06)], domain, height: HEIGHT - TOP - BOTTOM },
        text: ({ contender, last }) => `${looks.get(contender).label} ${times(last)}`,
      }),
    ],
  });
}

function lineOf({ contender, points }, looks) {
  const dashes = contender === BUS ? { strokeDasharray: '4,3' } : {};
  const { colour } = looks.get(contender);
  return Plot.line(points, { x: 'threads', y: 'speedup', stroke: colour, strokeWidth: 2, marker: 'dot', ...dashes });
}

/** The geometric mean over the matrices measured with both the smallest number of threads and this one. */
function pointsOf(contender, threads, cases) {
  const speed = (one) => (contender === BUS ? one.readGbps : one.products.get(contender)?.gflops);
  const least = new Map(cases[0].map((one) => [one.key, speed(one)]));
  return threads.flatMap((number, k) => {
    const ratios = cases[k].map((one) => speed(one) / least.get(one.key)).filter(Number.isFinite);
    return ratios.length === 0 ? [] : [{ contender, threads: number, speedup: geometricMean(ratios) }];
  });
}
