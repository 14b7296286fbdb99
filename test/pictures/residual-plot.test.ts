/** Residual plots: the scale, the curves, and what has no logarithm. */
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { SparlaneError } from '#dist/core/errors.js';
import { cg, createEngine, gallery, minres, solve } from '#dist/index.node.js';
import { residualPlot } from '#dist/pictures/index.js';

/** The points of the curves, [x, y] in pixels. */
function curvesOf(svg: string): number[][][] {
  const { document } = parseHTML(svg);
  return [...document.querySelectorAll('polyline')].map((line) => {
    const points = line.getAttribute('points')!;
    return points === '' ? [] : points.split(' ').map((pair) => pair.split(',').map(Number));
  });
}

const curveOf = (residualNorms: ArrayLike<number>, more = {}) => curvesOf(residualPlot({ residualNorms, ...more }))[0]!;

test('the axis is logarithmic', () => {
  const equal = curveOf([1, 0.1, 0.01, 0.001]);
  const [dx, dy] = [equal[1]![0]! - equal[0]![0]!, equal[1]![1]! - equal[0]![1]!];
  expect(dx).toBeGreaterThan(0);
  expect(dy).toBeGreaterThan(0);
  for (let k = 1; k < 4; k++) {
    expect(equal[k]![0]! - equal[k - 1]![0]!).toBeCloseTo(dx, 0);
    expect(equal[k]![1]! - equal[k - 1]![1]!).toBeCloseTo(dy, 0);
  }
});

test('norms are divided by ‖b‖, or by the first; the tolerance is a line where the curve ends', () => {
  expect(curveOf([8, 0.8])).toEqual(curveOf([1, 0.1]));
  const svg = residualPlot({ residualNorms: [8, 0.8, 0.08] }, { bNorm: 80, rtol: 1e-3 });
  expect(svg).toContain('‖r‖ / ‖b‖');
  const goal = Number(/class="goal" d="M\d+,([\d.]+)H/.exec(svg)![1]);
  expect(curvesOf(svg)[0]!.at(-1)![1]).toBe(goal);
});

test('nothing is drawn that has no logarithm, and text is escaped', () => {
  const wild = { residualNorms: [1, Number.NaN, 0, Number.POSITIVE_INFINITY, 2], checkEvery: 8 };
  const svg = residualPlot(wild, { title: 'a < b & c' });
  expect(curvesOf(svg)[0]).toHaveLength(2);
  expect(svg).toContain('a &lt; b &amp; c');
  expect(svg).not.toMatch(/NaN|Infinity/);
  for (const residualNorms of [[1], [], [0]])
    expect(residualPlot({ residualNorms }, { rtol: 1e-8 })).not.toMatch(/NaN|Infinity/);
});

test('long curves are thinned out, and their peaks stay', () => {
  const thinned = curveOf(Float64Array.from({ length: 100_000 }, (_, k) => (k === 54_321 ? 10 : 1 / (k + 1))));
  expect(thinned.length).toBeLessThanOrEqual(1000);
  expect(Math.min(...thinned.map(([, y]) => y!))).toBeLessThan(thinned[0]![1]!);
});

test('solutions: one with its title, several by name on one scale', async () => {
  await using engine = await createEngine({ threads: 1 });
  const matrix = gallery('laplace2d5', { nx: 20, ny: 20 });
  const b = new Float64Array(matrix.rows).fill(1);
  const solution = solve(engine, matrix, b);
  using x = solution.x;
  expect(x.length).toBe(400);
  expect(residualPlot(solution)).toMatch(/class="title"[^>]*>direct, \d+ iterations, \d\.\de-\d+</);
  using A = engine.operator(matrix);
  const several = { cg: cg(A, b), minres: minres(A, b) };
  const svg = residualPlot(several);
  expect(curvesOf(svg).map(({ length }) => length)).toEqual(
    Object.values(several).map(({ residualNorms }) => residualNorms.length),
  );
  for (const name of Object.keys(several)) expect(svg).toContain(`text-anchor="end">${name}</text>`);
  for (const { x } of Object.values(several)) x.dispose();
});

test('light and dark: one of them, or both for the page to choose', () => {
  const solution = { residualNorms: [1, 0.1] };
  expect(residualPlot(solution)).toContain('@media(prefers-color-scheme:dark)');
  expect(residualPlot(solution, { scheme: 'light' })).not.toMatch(/@media|#16181c/);
  expect(residualPlot(solution, { scheme: 'dark' })).toMatch(/\.page\{fill:#16181c\}/);
  // Rules hold in the picture only.
  const [, css] = /<style>(.*?)<\/style>/.exec(residualPlot(solution, { scheme: 'dark' }))!;
  for (const rule of css!.split('}').slice(0, -1)) expect(rule).toMatch(/^\.sparlane-residuals-dark /);
});

test.each([
  [[5], /solutions: expected a solution, or several by name, got 5/],
  [[{}], /solutions: expected at least one/],
  [[{ cg: 5 }], /cg\.residualNorms: expected numbers/],
  [[{ residualNorms: 'x' }], /solution\.residualNorms: expected numbers/],
  [[{ residualNorms: [1], checkEvery: 0 }], /checkEvery: expected an integer from 1/],
  [[{ residualNorms: [1] }, { bNorm: 0 }], /bNorm: expected a number from/],
  [[{ residualNorms: [1] }, { rtol: 2 }], /rtol: expected a number from 0 to 1/],
  [[{ residualNorms: [1] }, { title: 7 }], /title: expected a string/],
  [[{ residualNorms: [1] }, { width: 7 }], /width/],
])('wrong arguments %#', (args, message) => {
  const call = () => Reflect.apply(residualPlot, undefined, args);
  expect(call).toThrow(message);
  expect(call).toThrow(SparlaneError);
});
