/**
 * The DC operating point of a circuit: a ladder of amplifier stages with diodes, by Newton's method. The equations are those of modified nodal
 * analysis: a voltage for each node, Kirchhoff's current law in its row, and a current for the voltage source, whose row has a zero on the
 * diagonal. The matrix is not symmetric. All Jacobians have one pattern, so the first one is analysed and factored, the others by `update`.
 *
 * usage: node examples/operating-point/operating-point.mjs     (in a program: import from 'sparlane')
 */
import { CsrBuilder, createEngine, factor } from '#dist/index.node.js';

const STAGES = 2000;
const SUPPLY = 5;
const SATURATION = 1e-14;
const THERMAL = 0.02585;
/** Above this voltage the current of a diode bends so much that Newton's steps must be limited (SPICE's `pnjlim`). */
const CRITICAL = THERMAL * Math.log(THERMAL / (Math.SQRT2 * SATURATION));

const print = (line) => void process.stdout.write(`${line}\n`);

/** Nodes of stage k: its input, which is the output of the stage before, and the anode of its diode. Node 0 of the circuit is the supply. */
const input = (k) => 1 + 2 * k;
const anode = (k) => 2 + 2 * k;
const NODES = input(STAGES) + 1;
const SOURCE = NODES;

/** Adds the currents of all parts at the voltages x to `current`, and their derivatives to `jacobian`. */
function stamp(x, diodes, jacobian, current) {
  const conductance = (a, b, g) => {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ]) {
      if (from < 0) continue;
      current[from] += g * (x[from] - (to < 0 ? 0 : x[to]));
      jacobian.add(from, from, g);
      if (to >= 0) jacobian.add(from, to, -g);
    }
  };
  // The supply: its current flows into node 0, whose voltage is given.
  current[0] += x[SOURCE];
  jacobian.add(0, SOURCE, 1);
  current[SOURCE] += x[0] - SUPPLY;
  jacobian.add(SOURCE, 0, 1);
  conductance(0, input(0), 1e-3);
  for (let k = 0; k < STAGES; k++) {
    const next = input(k + 1);
    conductance(0, next, 1e-4);
    conductance(input(k), anode(k), 1e-3);
    conductance(next, -1, 2e-5);
    // The voltage of the input takes current out of the output: an entry without its mirror image.
    const gain = 3e-5;
    current[next] += gain * x[input(k)];
    jacobian.add(next, input(k), gain);
    // The diode is linear around the limited voltage, at which Newton's method takes its current.
    const slope = (SATURATION / THERMAL) * Math.exp(diodes[k] / THERMAL);
    const flow = SATURATION * Math.expm1(diodes[k] / THERMAL);
    current[anode(k)] += flow + slope * (x[anode(k)] - diodes[k]);
    jacobian.add(anode(k), anode(k), slope);
  }
}

function limited(wanted, before) {
  if (wanted <= CRITICAL || Math.abs(wanted - before) <= 2 * THERMAL) return wanted;
  if (before <= 0) return THERMAL * Math.log(wanted / THERMAL);
  const ratio = 1 + (wanted - before) / THERMAL;
  return ratio > 0 ? before + THERMAL * Math.log(ratio) : CRITICAL;
}

/** The largest current that is left at a node, without any limit. */
function imbalance(x) {
  const current = new Float64Array(NODES + 1);
  stamp(
    x,
    Float64Array.from({ length: STAGES }, (_, k) => x[anode(k)]),
    new CsrBuilder(NODES + 1, NODES + 1),
    current,
  );
  return current.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

const engine = await createEngine({ threads: 1 });
const x = new Float64Array(NODES + 1);
const diodes = new Float64Array(STAGES);
let factors;
let steps = 0;
let change = Number.POSITIVE_INFINITY;
for (; change > 1e-9 && steps < 100; steps++) {
  const jacobian = new CsrBuilder(NODES + 1, NODES + 1);
  const current = new Float64Array(NODES + 1);
  stamp(x, diodes, jacobian, current);
  const matrix = jacobian.build();
  if (factors === undefined) factors = factor(engine, matrix);
  else factors.update(matrix.values);
  const correction = factors.solve(current);
  change = 0;
  for (let i = 0; i < x.length; i++) {
    x[i] -= correction[i];
    change = Math.max(change, Math.abs(correction[i]));
  }
  for (let k = 0; k < STAGES; k++) {
    diodes[k] = limited(x[anode(k)], diodes[k]);
    change = Math.max(change, Math.abs(diodes[k] - x[anode(k)]));
  }
}
const { method, order, entries, fill } = factors.explain();
print(
  `${NODES + 1} unknowns, ${method} (${order}), ${entries} entries in the factors, ${fill.toFixed(2)} of the matrix`,
);
print(`${steps} steps, current left at a node: ${imbalance(x).toExponential(1)} A`);
print(
  `output ${x[input(STAGES)].toFixed(6)} V, its diode before ${x[anode(STAGES - 1)].toFixed(6)} V, supply ${(-1e3 * x[SOURCE]).toFixed(3)} mA`,
);
factors.dispose();
await engine.dispose();
