/**
 * How a bridge of steel bars swings: the modes x of K x = ω² M x with the least frequencies, by `eigs` with the mass as `B`. `page/` shows them in motion;
 * `examples/truss` designs such a bridge.
 *
 * Rayleigh's estimate from the deflection w under the bridge's own weight, ω² ≈ g Σ m w / Σ m w², is an upper bound of the first one, and near to it.
 *
 * usage: node examples/truss-modes/truss-modes.mjs [FILE.svg]     (in a program: import from 'sparlane')
 */
import { createEngine, eigs, factor } from '#dist/index.node.js';
import { COLOURS, writeSvg } from '../svg.mjs';
import { bridgeOf, frequencyOf, lines, matricesOf, swung } from './page/bridge.js';

const MODES = 8;
const SHOWN = 6;
/** A train in the middle of the bridge, in kg. */
const LOAD = 50e3;
const GRAVITY = 9.81;

const print = (line) => void process.stdout.write(`${line}\n`);
const inHz = (values) => Array.from(values, (value) => frequencyOf(value).toFixed(3)).join(', ');

const bridge = bridgeOf();
const { bars, unknownOf, unknowns } = bridge;
const { K, M } = matricesOf(bridge, 0);
const engine = await createEngine();
const begin = performance.now();
const { values, vectors, residualNorms, reason, solves, decision } = eigs(engine, K, MODES, { B: M });
print(`${bars.length} bars, ${unknowns} unknowns: ${MODES} modes in ${(performance.now() - begin).toFixed(0)} ms`);
print(
  `${decision.method}, ${solves} solves, ${reason}: ${decision.reasons.find((said) => said.startsWith('inertia'))}`,
);
print(`frequencies in Hz: ${inHz(values)}`);
const relative = residualNorms.map((norm, j) => norm / values[j]);
print(`residuals over ω²: up to ${Math.max(...relative).toExponential(1)}`);

const mass = engine.operator(M);
const down = new Float64Array(unknowns);
unknownOf.forEach((unknown, k) => {
  if (unknown >= 0 && k % 2 === 1) down[unknown] = 1;
});
const weight = new Float64Array(unknowns);
mass.apply(down, weight, GRAVITY);
const tonnes = weight.reduce((sum, force) => sum + force, 0) / GRAVITY / 1000;
print(`mass beside the supports: ${tonnes.toFixed(2)} t`);
const factors = factor(engine, K);
const deflection = factors.solve(weight);
const inertia = new Float64Array(unknowns);
mass.apply(deflection, inertia);
const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
const estimate = dot(deflection, weight) / dot(deflection, inertia);
print(
  `Rayleigh's estimate of the first one: ${inHz([estimate])}, from a deflection of ${(1e3 * Math.max(...deflection)).toFixed(1)} mm`,
);

const loaded = eigs(engine, K, MODES, { B: matricesOf(bridge, LOAD).M });
print(`with ${LOAD / 1e3} t in the middle: ${inHz(loaded.values)}`);
loaded.vectors.dispose();

const modes = vectors.toArray({ order: 'column' });
vectors.dispose();
factors.dispose();
mass.dispose();
await engine.dispose();

const file = process.argv[2];
if (file !== undefined) {
  // Tenths of a metre, two bridges in a row; each line of joints is a path of steps.
  const [panelWidth, panelHeight, columns] = [420, 110, 2];
  const panels = Array.from({ length: SHOWN }, (_, j) => {
    const mode = modes.subarray(j * unknowns, (j + 1) * unknowns);
    // The sign of a mode is open: here the largest displacement is positive.
    const largest = mode.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    const joints = swung(bridge, mode, Math.sign(largest) * 4).map(([x, y]) => [
      Math.round(10 * x),
      Math.round(-10 * y),
    ]);
    const path = lines.map((line) => {
      const steps = line
        .slice(1)
        .map((j, k) => `${joints[j][0] - joints[line[k]][0]},${joints[j][1] - joints[line[k]][1]}`);
      return `M${joints[line[0]]}l${steps.join(' ')}`;
    });
    const [left, top] = [panelWidth * (j % columns) + 10, panelHeight * Math.floor(j / columns)];
    const text = `<text x="${left}" y="${top + 16}">${j + 1}: ${frequencyOf(values[j]).toFixed(2)} Hz</text>`;
    return `${text}<path transform="translate(${left},${top + 78})scale(0.4)" d="${path.join('')}" stroke="${COLOURS[j]}"/>`;
  });
  const size = { width: columns * panelWidth, height: panelHeight * Math.ceil(SHOWN / columns) };
  const label = `The first ${SHOWN} modes of a bridge: ${inHz(values.subarray(0, SHOWN))} Hz`;
  writeSvg(file, { ...size, label }, panels);
  print(`wrote ${file}`);
}
