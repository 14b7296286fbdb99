/**
 * A bridge of steel bars: displacements of its joints under load, and bars that get as thick as their forces need. K u = f by Cholesky. The pattern
 * of K does not depend on the thickness of bars, so the first K is analysed, and the others go to `update`.
 *
 * The thickness of a bar becomes its force over the stress that it may have, again and again, since thicker bars attract more force (fully
 * stressed design). Units: m, N, Pa.
 *
 * usage: node examples/truss/truss.mjs     (in a program: import from 'sparlane')
 */
import { CsrBuilder, createEngine, factor } from '#dist/index.node.js';

const BAYS = 210;
const LEVELS = 8;
const MODULUS = 210e9;
const STRESS = 160e6;
const LEAST_AREA = 1e-4;
/** Of the roadway, on each joint at the bottom. */
const LOAD = 20e3;
/** Every so many joints at the bottom stand on a pillar. */
const SPAN = 30;

const print = (line) => void process.stdout.write(`${line}\n`);

const joint = (bay, level) => bay * (LEVELS + 1) + level;
const joints = (BAYS + 1) * (LEVELS + 1);
const isOnPillar = (j) => j % (LEVELS + 1) === 0 && (j / (LEVELS + 1)) % SPAN === 0;

/** Chords, posts and both diagonals of each cell: more bars than it takes to stand, so forces depend on areas. */
const bars = [];
for (let bay = 0; bay <= BAYS; bay++)
  for (let level = 0; level <= LEVELS; level++) {
    if (bay < BAYS) bars.push([joint(bay, level), joint(bay + 1, level), 1, 0]);
    if (level < LEVELS) bars.push([joint(bay, level), joint(bay, level + 1), 0, 1]);
    if (bay < BAYS && level < LEVELS) {
      bars.push([joint(bay, level), joint(bay + 1, level + 1), 1, 1]);
      bars.push([joint(bay, level + 1), joint(bay + 1, level), 1, -1]);
    }
  }

/** The unknowns of each joint, x and y; none on pillars. */
const first = new Int32Array(joints).fill(-1);
let unknowns = 0;
for (let j = 0; j < joints; j++)
  if (!isOnPillar(j)) {
    first[j] = unknowns;
    unknowns += 2;
  }

const lengthOf = ([, , dx, dy]) => Math.hypot(dx, dy);

function stiffness(areas) {
  const K = new CsrBuilder(unknowns, unknowns);
  bars.forEach((bar, k) => {
    const [from, to, dx, dy] = bar;
    const length = lengthOf(bar);
    const direction = [dx / length, dy / length];
    const spring = (MODULUS * areas[k]) / length;
    for (const [i, j, sign] of [
      [from, from, 1],
      [to, to, 1],
      [from, to, -1],
      [to, from, -1],
    ])
      if (first[i] >= 0 && first[j] >= 0)
        for (let a = 0; a < 2; a++)
          for (let b = 0; b < 2; b++) K.add(first[i] + a, first[j] + b, sign * spring * direction[a] * direction[b]);
  });
  return K.build();
}

/** Tension in each bar at displacements u. */
function tensions(areas, u) {
  const at = (j, axis) => (first[j] < 0 ? 0 : u[first[j] + axis]);
  return Float64Array.from(bars, (bar, k) => {
    const [from, to, dx, dy] = bar;
    const length = lengthOf(bar);
    const longer = ((at(to, 0) - at(from, 0)) * dx + (at(to, 1) - at(from, 1)) * dy) / length;
    return ((MODULUS * areas[k]) / length) * longer;
  });
}

const load = new Float64Array(unknowns);
for (let bay = 0; bay <= BAYS; bay++) if (first[joint(bay, 0)] >= 0) load[first[joint(bay, 0)] + 1] = -LOAD;

/** The largest force at a joint that its bars do not carry. */
function imbalance(forces) {
  const left = load.slice();
  bars.forEach((bar, k) => {
    const [from, to, dx, dy] = bar;
    const length = lengthOf(bar);
    [from, to].forEach((j, end) => {
      if (first[j] < 0) return;
      const sign = end === 0 ? 1 : -1;
      left[first[j]] += (sign * forces[k] * dx) / length;
      left[first[j] + 1] += (sign * forces[k] * dy) / length;
    });
  });
  return left.reduce((most, force) => Math.max(most, Math.abs(force)), 0);
}

const volumeOf = (areas) => bars.reduce((sum, bar, k) => sum + areas[k] * lengthOf(bar), 0);
const stressOf = (forces, areas) => forces.reduce((most, force, k) => Math.max(most, Math.abs(force) / areas[k]), 0);

const engine = await createEngine();
let areas = new Float64Array(bars.length).fill(5e-3);
const factors = factor(engine, stiffness(areas));
const { method, order, entries } = factors.explain();
print(`${bars.length} bars, ${unknowns} unknowns, ${method} (${order}), ${entries} entries in the factor`);
let u = factors.solve(load);
let forces = tensions(areas, u);
print(
  `all bars alike: ${volumeOf(areas).toFixed(1)} m³ of steel, stress up to ${(stressOf(forces, areas) / 1e6).toFixed(1)} MPa`,
);
let steps = 0;
do {
  areas = areas.map((_, k) => Math.max(LEAST_AREA, Math.abs(forces[k]) / STRESS));
  factors.update(stiffness(areas).values);
  u = factors.solve(load);
  forces = tensions(areas, u);
} while (++steps < 200 && stressOf(forces, areas) > 1.001 * STRESS);
const lowest = u.reduce((least, value) => Math.min(least, value), 0);
print(
  `after ${steps} updates: ${volumeOf(areas).toFixed(1)} m³, stress up to ${(stressOf(forces, areas) / 1e6).toFixed(1)} MPa`,
);
print(
  `largest displacement ${(-1e3 * lowest).toFixed(2)} mm, force left at a joint: ${imbalance(forces).toExponential(1)} N`,
);
factors.dispose();
await engine.dispose();
