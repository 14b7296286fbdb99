/**
 * Heat that spreads over a network of roads from a crossing: u(t) = e^{−tL} u(0), where L is the Laplacian of the network. No time steps: one `expMultiply` for
 * each picture. The sum of heat stays, no crossing is below zero, and after a long time all are equally warm.
 *
 * u(t) is also the chance of a walker, who takes a road of length d at the rate 1 / d, to be at a crossing at the time t.
 *
 * usage: node examples/heat-kernel/heat-kernel.mjs [FILE.svg]     (in a program: import from 'sparlane')
 */
import Delaunator from 'delaunator';
import { CsrBuilder, createEngine, expMultiply, laplacian } from '#dist/index.node.js';
import { dots, writeSvg } from '../svg.mjs';

const SIDE = 30;
/** Roads of a triangulation that are left out, unless a crossing would lose its connection. */
const LEFT_OUT = 0.65;
const TIMES = [1, 8, 64];

const print = (line) => void process.stdout.write(`${line}\n`);

let state = 11;
const draw = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

/** Crossings near a lattice of width 1, some of which are missing, and roads between them: few long ones, and a way between any two crossings. */
function network() {
  const points = Array.from({ length: SIDE * SIDE }, (_, k) => [
    (k % SIDE) + 0.7 * (draw() - 0.5),
    Math.floor(k / SIDE) + 0.7 * (draw() - 0.5),
  ]).filter(() => draw() < 0.9);
  const { triangles } = Delaunator.from(points);
  const roads = [];
  for (let k = 0; k < triangles.length; k++) {
    const [i, j] = [triangles[k], triangles[k % 3 === 2 ? k - 2 : k + 1]];
    // Each road inside is a side of two triangles, once in each direction.
    if (i < j) roads.push({ i, j, length: Math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]) });
  }
  roads.sort((a, b) => a.length - b.length);
  // The shortest roads that connect all crossings (Kruskal), and some others.
  const parent = points.map((_, i) => i);
  const rootOf = (i) => {
    while (parent[i] !== i) i = parent[i];
    return i;
  };
  const built = roads.filter(({ i, j, length }) => {
    const isNeeded = rootOf(i) !== rootOf(j);
    parent[rootOf(i)] = rootOf(j);
    return isNeeded || (length < 2 && draw() > LEFT_OUT);
  });
  return { points, roads: built };
}

const { points, roads } = network();
const graph = new CsrBuilder(points.length, points.length);
for (const { i, j, length } of roads) {
  graph.add(i, j, 1 / length);
  graph.add(j, i, 1 / length);
}
const L = laplacian(graph.build());
const squared = ([x, y]) => (x - SIDE / 3) ** 2 + (y - SIDE / 2) ** 2;
const source = points.reduce((best, point, i) => (squared(point) < squared(points[best]) ? i : best), 0);
const start = new Float64Array(points.length);
start[source] = 1;

const engine = await createEngine();
print(`${points.length} crossings, ${roads.length} roads, from crossing ${source}`);
const heatAt = (t, from) => {
  const { y, method, products } = expMultiply(engine, L, from, -t);
  const u = y.toArray();
  y.dispose();
  return { u, method, products };
};
const sumOf = (u) => u.reduce((sum, value) => sum + value, 0);
const states = TIMES.map((t) => {
  const { u, method, products } = heatAt(t, start);
  const loss = Math.abs(sumOf(u) - 1).toExponential(1);
  print(
    `t = ${t}: ${products} products (${method}), sum off by ${loss}, from ${Math.min(...u).toExponential(1)} to ${Math.max(...u).toExponential(2)}`,
  );
  return u;
});
// Two stretches of time are as good as one, and heat goes from i to j as from j to i.
const [first, second] = TIMES;
const again = heatAt(second - first, states[0]).u;
const difference = again.reduce((most, value, i) => Math.max(most, Math.abs(value - states[1][i])), 0);
const other = points.length - 1;
const back = new Float64Array(points.length);
back[other] = 1;
const asymmetry = Math.abs(heatAt(second, back).u[source] - states[1][other]);
print(`in two stretches: off by ${difference.toExponential(1)}; backwards: off by ${asymmetry.toExponential(1)}`);
const even = heatAt(1e5, start).u;
const unevenness = even.reduce((most, value) => Math.max(most, Math.abs(value * points.length - 1)), 0);
print(`t = 100000: off by ${unevenness.toExponential(1)} from the same everywhere`);
await engine.dispose();

const file = process.argv[2];
if (file !== undefined) {
  const [panel, gap, top, units] = [270, 10, 26, 999];
  const scale = units / SIDE;
  const places = points.map(([x, y]) => [(x + 0.5) * scale, (y + 0.5) * scale]);
  const line = ({ i, j }) => {
    const [[x, y], [u, v]] = [i, j].map((end) => places[end].map(Math.round));
    return `M${x},${y}l${u - x},${v - y}`;
  };
  const mesh = `<defs><path id="roads" d="${roads.map(line).join('')}" stroke="#9aa2ad" stroke-width="2"/></defs>`;
  /** The colours begin at the warmest crossing. Each stands for a third of the warmth of the one before. */
  const warmth = ['#b81702', '#ea5410', '#f78f2a', '#e6b93c', '#bcc45c', '#8cc08a'];
  const panels = states.map((u, k) => {
    const most = Math.max(...u);
    const bandOf = (value) => Math.floor(Math.log(most / value) / Math.log(3));
    const layers = warmth
      .map((colour, band) =>
        dots(
          places.filter((_, i) => bandOf(u[i]) === band),
          colour,
          20,
        ),
      )
      .reverse();
    const left = gap + k * (panel + gap);
    return `<text x="${left + panel / 2}" y="16" text-anchor="middle">t = ${TIMES[k]}, up to ${most.toPrecision(2)}</text><g transform="translate(${left},${top})scale(${panel / units})"><use href="#roads"/>${layers.join('')}</g>`;
  });
  const size = { width: gap + TIMES.length * (panel + gap), height: top + panel + gap };
  const label = `Heat on a network of ${points.length} crossings at the times ${TIMES.join(', ')}`;
  writeSvg(file, { ...size, label }, [mesh, ...panels]);
  print(`wrote ${file}`);
}
