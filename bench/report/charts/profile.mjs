/**
 * Flegar & Anzt's figure 9 with the axes exchanged: the share of matrices on which a contender is within a factor θ of
 * the fastest.
 */
import * as Plot from '@observablehq/plot';
import { axes, draw, valueAxis, widthOf } from '../draw.mjs';
import { percent } from '../numbers.mjs';
import { timesOf } from '../results.mjs';
import { overheads, profileSteps, shareWithin } from '../statistics.mjs';
import { endLabels } from './ends.mjs';

const MAX_OVERHEAD = 3;
const HEIGHT = 320;
const [TOP, BOTTOM] = [12, 36];

/** `named`: the contenders whose lines are labelled; others are faint. */
export function profileChart({ cases, contenders, named, looks, label }) {
  const found = [...overheads(timesOf(cases, contenders))].map(([contender, sorted]) => ({
    contender,
    steps: profileSteps(sorted, MAX_OVERHEAD).map((step) => ({ contender, ...step })),
    last: shareWithin(sorted, MAX_OVERHEAD),
  }));
  const steps = (isNamed) =>
    found.filter(({ contender }) => named.includes(contender) === isNamed).flatMap((line) => line.steps);
  const line = (data, options) =>
    Plot.line(data, { x: 'theta', y: 'share', z: 'contender', curve: 'step-after', ...options });
  const colour = ({ contender }) => looks.get(contender).colour;
  return draw({
    label,
    height: HEIGHT,
    ...{ marginLeft: 40, marginRight: widthOf(named, looks) + 14, marginTop: TOP, marginBottom: BOTTOM },
    x: { domain: [1, MAX_OVERHEAD] },
    y: { domain: [0, 1] },
    marks: [
      axes('θ: times as long as the fastest', { ticks: 5 }),
      valueAxis([0, 0.2, 0.4, 0.6, 0.8, 1], percent),
      line(steps(false), { stroke: 'var(--format)', strokeWidth: 0.8, strokeOpacity: 0.7 }),
      line(steps(true), { stroke: colour, strokeWidth: 2 }),
      endLabels(
        found.filter(({ contender }) => named.includes(contender)),
        {
          ...{
            looks,
            at: [MAX_OVERHEAD, MAX_OVERHEAD + 0.09, MAX_OVERHEAD + 0.11],
            domain: [0, 1],
            height: HEIGHT - TOP - BOTTOM,
          },
          text: ({ contender }) => looks.get(contender).label,
        },
      ),
    ],
  });
}
