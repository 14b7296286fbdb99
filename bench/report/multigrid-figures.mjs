/**
 * The figures of `docs/multigrid.md`, of real runs: the aggregates of a mesh, the residual with four preconditioners, and the iterations over the size of the
 * grid. They have no times, so that they are the same on every machine.
 *
 * usage: npx bench report/multigrid-figures [--check]
 *   --check   writes nothing, and fails if a figure in `docs/` is another one
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as Plot from '@observablehq/plot';
import Delaunator from 'delaunator';
import { drain } from '../../dist/core/drain.js';
import { Owned } from '../../dist/core/owned.js';
import { Assembly, cg, createEngine, gallery, precondition } from '../../dist/index.node.js';
import { residualPlot } from '../../dist/pictures/index.js';
import { aggregate } from '../../dist/preconditioners/amg/aggregates.js';
import { Hierarchy } from '../../dist/preconditioners/amg/hierarchy.js';
import { smoothedAggregation } from '../../dist/preconditioners/amg/smoothed-aggregation.js';
import { strongCouplings } from '../../dist/preconditioners/amg/strength.js';
import { axes, draw, standalone, valueAxis } from './draw.mjs';

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });

/** Of the options of `amg`. */
const THETA = 0.08;
const LEVELS = 3;
const SIDE = 27;
const COLOURS = ['--native-1', '--native-2', '--best', '--native-4', '--native-5', '--native-6', '--native-7'];

/** A lattice whose inner points are moved by up to 0.3 of its width, triangulated, and the Laplacian on it. */
function meshOf(side) {
  const points = Array.from({ length: side * side }, (_, k) => {
    const [i, j] = [k % side, Math.floor(k / side)];
    const isInner = i % (side - 1) !== 0 && j % (side - 1) !== 0;
    // Coordinates are rounded, since the sines of two JavaScript engines may differ in their last bits.
    const move = (seed) => (isInner ? Number((0.3 * Math.sin(seed * (12.9898 * i + 78.233 * j))).toFixed(6)) : 0);
    return [i + move(1), j + move(2)];
  });
  const { triangles } = Delaunator.from(points);
  const stiffness = [];
  for (let e = 0; e < triangles.length; e += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points[triangles[e + k]]);
    const sides = [
      [b, c],
      [c, a],
      [a, b],
    ].map(([p, q]) => [p[1] - q[1], q[0] - p[0]]);
    const area = Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2;
    for (const g of sides) for (const h of sides) stiffness.push((g[0] * h[0] + g[1] * h[1]) / (4 * area));
  }
  return { points, matrix: new Assembly(triangles, { perElement: 3, symmetry: 'symmetric' }).matrix(stiffness) };
}

/** The aggregates of each level, as amg makes them: by node of the mesh, the node's aggregate. */
function aggregatesOf(engine, matrix) {
  const owned = new Owned();
  const wish = { coarsen: smoothedAggregation(THETA, 1), block: 1, coarsest: 1, near: undefined, isSymmetric: true };
  const { levels } = drain(Hierarchy.steps(engine, matrix, wish, owned));
  let owners = Array.from({ length: matrix.rows }, (_, node) => node);
  const aggregates = levels.slice(0, LEVELS).map((level, l) => {
    const scope = engine.context.heap.scope();
    const diagonal = level.matrix.diagonal();
    const strong = strongCouplings(engine.context, scope, level.matrix, diagonal.data, THETA / 2 ** l);
    const { count, owner } = aggregate(engine.context, scope, strong);
    if (count !== level.prolongation.cols)
      throw new Error(`level ${l}: expected the ${level.prolongation.cols} aggregates of amg, got ${count}`);
    owners = owners.map((node) => owner[node]);
    diagonal[Symbol.dispose]();
    scope[Symbol.dispose]();
    return { count, owners };
  });
  owned[Symbol.dispose]();
  return aggregates;
}

/** Pairs of different nodes with an entry. */
const edgesOf = ({ rows, rowPtr, colIdx }) =>
  Array.from({ length: rows }, (_, i) => [...colIdx.subarray(rowPtr[i], rowPtr[i + 1])].map((j) => [i, j]))
    .flat()
    .filter(([i, j]) => i < j);

/** A colour for each aggregate, other than those of its neighbours as far as the colours suffice. */
function coloured({ count, owners }, edges) {
  const near = Array.from({ length: count }, () => new Set());
  for (const [i, j] of edges) {
    near[owners[i]].add(owners[j]);
    near[owners[j]].add(owners[i]);
  }
  const colours = [];
  for (let a = 0; a < count; a++) {
    const taken = new Set([...near[a]].map((other) => colours[other]));
    const free = COLOURS.map((_, k) => COLOURS[(a + k) % COLOURS.length]).find((colour) => !taken.has(colour));
    colours.push(free ?? COLOURS[a % COLOURS.length]);
  }
  return colours;
}

/** A panel, and the space around it; the mesh is drawn in whole numbers of a finer unit, which keeps the file short. */
const [PANEL, GAP, TOP, UNITS] = [240, 10, 24, 480];

/** Three panels, each with the mesh: nodes and edges of an aggregate have its colour. */
function aggregatesFigure(engine) {
  const { points, matrix } = meshOf(SIDE);
  const places = points.map((point) => point.map((at) => Math.round(((at + 0.5) / SIDE) * UNITS)));
  const edges = edgesOf(matrix);
  const levels = aggregatesOf(engine, matrix);
  const segment = (i, j) => `M${places[i]}l${places[j][0] - places[i][0]},${places[j][1] - places[i][1]}`;
  const panels = levels.map((level, l) => {
    const { count, owners } = level;
    const colours = coloured(level, edges);
    const paths = COLOURS.map((colour) => {
      const within = edges.filter(([i, j]) => owners[i] === owners[j] && colours[owners[i]] === colour);
      return `<path d="${within.map(([i, j]) => segment(i, j)).join('')}" stroke="var(${colour})"/>`;
    });
    const left = GAP + l * (PANEL + GAP);
    const title = `level ${l + 1}: ${count} aggregate${count === 1 ? '' : 's'}`;
    return {
      title,
      text: `<text x="${left + PANEL / 2}" y="16">${title}</text><g transform="translate(${left},${TOP})scale(${PANEL / UNITS})"><use href="#mesh"/><g stroke-width="9">${paths.join('')}</g></g>`,
    };
  });
  const mesh = edges.map(([i, j]) => segment(i, j)).join('');
  const [width, height] = [GAP + levels.length * (PANEL + GAP), TOP + PANEL + GAP];
  const label = `${points.length} nodes of a mesh: ${panels.map(({ title }) => title).join(', ')}`;
  const text = `<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" text-anchor="middle" font-size="12" font-family="system-ui, sans-serif" fill="currentColor" stroke-linecap="round"><defs><path id="mesh" d="${mesh}" stroke="var(--faint)" stroke-width="2"/></defs>${panels.map((panel) => panel.text).join('')}</svg>`;
  return { text };
}

/** cg from zeros to 1e-8, on the 5-point Laplacian of side² nodes. */
function solutionOf(engine, side, preconditioner) {
  const matrix = gallery('laplace2d5', { nx: side, ny: side });
  const A = engine.operator(matrix, { format: 'csr' });
  const M = preconditioner && precondition(engine, matrix, preconditioner);
  const { x, ...solution } = cg(A, new Float64Array(A.rows).fill(1), M ? { preconditioner: M } : {});
  for (const made of [x, M, A]) made?.dispose();
  if (!solution.converged) throw new Error(`${side}², ${preconditioner}: did not converge`);
  return solution;
}

function residualsFigure(engine) {
  const names = { 'cg alone': undefined, jacobi: 'jacobi', ic0: 'ic0', amg: 'amg' };
  const solutions = Object.entries(names).map(([name, M]) => {
    const solution = solutionOf(engine, 300, M);
    return [`${name}: ${solution.iterations}`, solution];
  });
  return residualPlot(Object.fromEntries(solutions), { title: 'cg on 5-point 300², to 1e-8', rtol: 1e-8 });
}

const SIDES = [50, 100, 200, 400, 800];

function iterationsFigure(engine) {
  const runs = SIDES.flatMap((side) =>
    ['ic0', 'amg'].map((name) => ({ side, name, iterations: solutionOf(engine, side, name).iterations })),
  );
  const colour = ({ name }) => (name === 'amg' ? 'var(--best)' : 'var(--native-1)');
  const ticks = [10, 30, 100, 300, 1000];
  return draw({
    label: `Iterations of cg over the nodes of a side: ${runs.map(({ side, name, iterations }) => `${name} ${side}² ${iterations}`).join(', ')}`,
    ...{ width: 560, height: 300, marginLeft: 44, marginRight: 44, marginTop: 16, marginBottom: 40 },
    x: { type: 'log', base: 2 },
    y: { type: 'log', domain: [8, 1200] },
    marks: [
      axes('nodes along a side of the grid', { ticks: SIDES, text: SIDES.map((side) => `${side}²`) }),
      valueAxis(ticks, ticks.map(String)),
      Plot.line(runs, { x: 'side', y: 'iterations', z: 'name', stroke: colour, strokeWidth: 2 }),
      Plot.dot(runs, { x: 'side', y: 'iterations', fill: colour, r: 3.5 }),
      Plot.text(runs, { x: 'side', y: 'iterations', text: ({ iterations }) => `${iterations}`, dy: -10 }),
      Plot.text(
        runs.filter(({ side }) => side === SIDES.at(-1)),
        { x: 'side', y: 'iterations', text: 'name', textAnchor: 'start', dx: 8, fill: colour },
      ),
    ],
  });
}

// One build of the kernels: the other one rounds less often.
const engine = await createEngine({ threads: 1, binary: 'simd', tuning: 'built-in' });
const figures = {
  'multigrid-aggregates.svg': standalone(aggregatesFigure(engine)),
  'multigrid-residuals.svg': residualsFigure(engine),
  'multigrid-iterations.svg': standalone(iterationsFigure(engine)),
};
await engine.dispose();
for (const [name, text] of Object.entries(figures)) {
  const path = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  if (!flags.check) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    process.stdout.write(`docs/${name}: another figure than that of this run (npx bench report/multigrid-figures)\n`);
    process.exitCode = 1;
  }
}
