/**
 * AC analysis of a circuit: the response of an LC ladder, a model of a transmission line, over frequencies. For each frequency ω, nodal analysis gives a complex symmetric
 * system Y(ω) v = i with admittances 1 / R, i ω C and 1 / (R + i ω L). All frequencies have one pattern, so the first matrix is analysed and factored, the others by `update`.
 * The line is a chain, whose response is also a recurrence from its end: they agree.
 *
 * usage: node examples/circuit-ac/circuit-ac.mjs     (in a program: import from 'sparlane')
 */
import { complexMatrix, createEngine, factor, realEquivalent } from '#dist/index.node.js';

/** The line has 50 Ω and 1 km, in sections of 0.5 m: a section has an inductance in H, a capacitance in F, a resistance in Ω. The source and the load have one, too. */
const SECTIONS = 2000;
const INDUCTANCE = 125e-9;
const CAPACITANCE = 50e-12;
const RESISTANCE = 2e-3;
const SOURCE = 50;
const LOAD = 75;
const FREQUENCIES = [3e4, 5e4, 1e5, 1e6, 1e7, 3e7, 1e8];

const print = (line) => void process.stdout.write(`${line}\n`);
const times = (a, b) => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
const plus = (a, b) => [a[0] + b[0], a[1] + b[1]];
const inverse = ([re, im]) => [re / (re * re + im * im), -im / (re * re + im * im)];

/** The admittances of a section at ω: along the line, and to the ground. */
function section(omega) {
  return { along: inverse([RESISTANCE, omega * INDUCTANCE]), ground: [0, omega * CAPACITANCE] };
}

/** Y(ω): node 0 is behind the source's resistance, node SECTIONS at the load. */
function admittance(omega) {
  const { along, ground } = section(omega);
  const nodes = SECTIONS + 1;
  const entries = { rowIdx: [], colIdx: [], values: [] };
  const add = (row, col, [re, im], sign = 1) => {
    entries.rowIdx.push(row);
    entries.colIdx.push(col);
    entries.values.push(sign * re, sign * im);
  };
  add(0, 0, [1 / SOURCE, 0]);
  add(SECTIONS, SECTIONS, [1 / LOAD, 0]);
  for (let k = 0; k < SECTIONS; k++) {
    for (const node of [k, k + 1]) add(node, node, along);
    add(k, k + 1, along, -1);
    add(k + 1, k, along, -1);
    add(k + 1, k + 1, ground);
  }
  return complexMatrix({ rows: nodes, cols: nodes, ...entries, symmetry: 'symmetric' });
}

/** The voltage at the load, for 1 V of the source, computed from the end of the line to its beginning. */
function chain(omega) {
  const { along, ground } = section(omega);
  const impedance = inverse(along);
  let voltage = [1, 0];
  let current = [1 / LOAD, 0];
  for (let k = 0; k < SECTIONS; k++) {
    current = plus(current, times(ground, voltage));
    voltage = plus(voltage, times(impedance, current));
  }
  return inverse(plus(voltage, times([SOURCE, 0], current)));
}

const engine = await createEngine({ complex: true });
const injected = new Float64Array(2 * (SECTIONS + 1));
// 1 V behind a resistance is a current into node 0.
injected[0] = 1 / SOURCE;
let factors;
let worst = 0;
for (const frequency of FREQUENCIES) {
  const omega = 2 * Math.PI * frequency;
  const matrix = admittance(omega);
  if (factors === undefined) factors = factor(engine, matrix);
  else factors.update(realEquivalent(matrix).values);
  const [re, im] = factors.solve(injected).slice(-2);
  const [expectedRe, expectedIm] = chain(omega);
  const size = Math.hypot(re, im);
  worst = Math.max(worst, Math.hypot(re - expectedRe, im - expectedIm) / Math.hypot(expectedRe, expectedIm));
  const phase = (Math.atan2(im, re) * 180) / Math.PI;
  print(
    `${(frequency / 1e6).toString().padStart(5)} MHz: gain ${(20 * Math.log10(size)).toFixed(2)} dB, phase ${phase.toFixed(1)}°`,
  );
}
print(`greatest relative difference from the chain: ${worst.toExponential(1)}`);
factors.dispose();
await engine.dispose();
