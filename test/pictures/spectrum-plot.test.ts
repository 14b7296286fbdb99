/** Plots of eigenvalues and singular values: the axis, the points, and what is left out. */
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { SparlaneError } from '#dist/core/errors.js';
import { spectrumPlot } from '#dist/pictures/index.js';

function drawn(svg: string) {
  const { document } = parseHTML(svg);
  const numberOf = (element: Element, name: string) => Number(element.getAttribute(name));
  const points = [...document.querySelectorAll('circle')].map((one) => [numberOf(one, 'cx'), numberOf(one, 'cy')]);
  return {
    points: points as [number, number][],
    bars: document.querySelectorAll('.bar').length,
    labels: [...document.querySelectorAll('text')].map((one) => one.textContent ?? ''),
  };
}

test('linear, where values are near to each other: equal steps are equal heights', () => {
  const { points, labels } = drawn(spectrumPlot({ values: [1, 2, 3, 4] }));
  expect(points.length).toBe(4);
  const steps = points.slice(1).map(([x, y], k) => [x - points[k]![0], points[k]![1] - y]);
  for (const [dx, dy] of steps) {
    expect(dx).toBeCloseTo(steps[0]![0]!, 0);
    expect(dy).toBeCloseTo(steps[0]![1]!, 0);
    expect(dy).toBeGreaterThan(0);
  }
  expect(labels).toContain('2');
});

test('logarithmic, where they are far from each other: equal ratios are equal heights', () => {
  const { points, labels } = drawn(spectrumPlot({ values: [1000, 100, 10, 1] }));
  const steps = points.slice(1).map(([, y], k) => y - points[k]![1]);
  for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 0);
  expect(labels).toEqual(expect.arrayContaining(['10⁰', '10²']));
  expect(drawn(spectrumPlot({ values: [1000, 100, 10, 1] }, { axis: 'linear' })).labels).not.toContain('10²');
});

test('negative, equal, zero, single and no values; numbers that are not finite are left out', () => {
  expect(drawn(spectrumPlot({ values: Float64Array.of(-3, 0, 3) })).labels).toContain('0');
  for (const values of [[2, 2, 2], [0, 0], [5], [], [1e-300, 1e300], [-1e-310]]) {
    const svg = spectrumPlot({ values });
    expect(drawn(svg).points.length).toBe(values.length);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
  const gaps = spectrumPlot({ values: [1, Number.NaN, 0, 1000] }, { axis: 'logarithmic' });
  expect(drawn(gaps).points.length).toBe(2);
  expect(gaps).not.toMatch(/NaN|Infinity/);
});

test('residuals are bars, where they can be seen', () => {
  const values = [1, 2, 3];
  expect(drawn(spectrumPlot({ values, residualNorms: [0.5, 1e-9, Number.NaN] })).bars).toBe(1);
  const logarithmic = spectrumPlot({ values: [1e-3, 1, 1e3], residualNorms: [1, 1, 1] });
  expect(drawn(logarithmic).bars).toBe(2);
  expect(logarithmic).not.toContain('NaN');
});

test('titles are escaped; wrong arguments', () => {
  expect(spectrumPlot({ values: [1] }, { title: 'a < b' })).toContain('a &lt; b');
  for (const call of [
    () => spectrumPlot({ values: 'x' } as never),
    () => spectrumPlot({ values: ['1'] } as never),
    () => spectrumPlot({ values: [1] }, { axis: 'cubic' } as never),
    () => spectrumPlot({ values: [1] }, { titel: '' } as never),
  ])
    expect(call).toThrow(SparlaneError);
});
