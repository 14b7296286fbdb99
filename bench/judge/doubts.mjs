/**
 * Doubts: factors by which the ranking counts the predicted times of a kernel. A kernel whose predictions scatter is chosen where they are
 * too low. Found one kernel at a time, for the least mean logarithm of the regret.
 */

const FACTORS = [1, 1.02, 1.04, 1.07, 1.1, 1.15, 1.2, 1.3, 1.5];
const SWEEPS = 4;

/** As in `choose.ts`. */
const MARGIN = 1.03;

/** `observations`: { group, key, isCsr, ms, predicted }. Returns the factor of each key. */
export function doubtsOf(observations) {
  const groups = [...grouped(observations).values()];
  const doubts = Object.fromEntries(observations.map(({ key }) => [key, 1]));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const key of Object.keys(doubts)) {
      const own = groups.filter((some) => some.some((one) => one.key === key));
      const losses = FACTORS.map((factor) => lossOf(own, { ...doubts, [key]: factor }));
      doubts[key] = FACTORS[losses.indexOf(Math.min(...losses))];
    }
  }
  return doubts;
}

function lossOf(groups, doubts) {
  let sum = 0;
  for (const some of groups) {
    const counted = ({ key, isCsr, predicted }) => (isCsr ? 1 : MARGIN) * doubts[key] * predicted;
    const chosen = some.reduce((a, b) => (counted(b) < counted(a) ? b : a));
    sum += Math.log(chosen.ms / Math.min(...some.map(({ ms }) => ms)));
  }
  return sum;
}

function grouped(observations) {
  const groups = new Map();
  for (const one of observations) {
    if (!groups.has(one.group)) groups.set(one.group, []);
    groups.get(one.group).push(one);
  }
  return groups;
}
