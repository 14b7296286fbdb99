/** GFLOP/s of one matrix by threads, and what the read bandwidth allows a product that reads all of CSR. */
import * as Plot from '@observablehq/plot';
import { axes, draw, valueAxis, widthOf } from '../draw.mjs';
import { rounded } from '../numbers.mjs';
import { BUS } from '../results.mjs';
import { endLabels } from './ends.mjs';

const HEIGHT = 300;
const [TOP, BOTTOM] = [12, 36];

/** `lines`: `{ contender, points: { threads, gflops }[] }`, `BUS` for the bound. Undefined with fewer than two numbers of threads. */
export function coresChart({ lines, looks, label }) {
  const threads = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.threads)))].sort(
    (a, b) => a - b,
  );
  if (threads.length < 2) return undefined;
  const names = lines.map(({ contender }) => contender);
  const domain = [0, Math.max(...lines.flatMap(({ points }) => points.map(({ gflops }) => gflops)))];
  const [least, most] = [threads[0], threads.at(-1)];
  const beyond = (share) => most + share * (most - least);
  const ends = lines.map((line) => ({ ...line, last: line.points.at(-1).gflops }));
  return draw({
    label,
    height: HEIGHT,
    ...{ marginLeft: 34, marginRight: widthOf(names, looks) + 48, marginTop: TOP, marginBottom: BOTTOM },
    x: { domain: [least, most] },
    y: { domain },
    marks: [
      axes('threads', { ticks: threads, text: String }),
      valueAxis(5, String),
      lines.map(({ contender, points }) =>
        Plot.line(points, {
          ...{ x: 'threads', y: 'gflops', stroke: looks.get(contender).colour, strokeWidth: 2 },
          ...(contender === BUS ? { strokeDasharray: '4,3' } : { marker: 'dot' }),
        }),
      ),
      endLabels(ends, {
        ...{ looks, at: [most, beyond(0.05), beyond(0.06)], domain, height: HEIGHT - TOP - BOTTOM },
        text: ({ contender, last }) => `${looks.get(contender).label} ${rounded(last)}`,
      }),
    ],
  });
}
