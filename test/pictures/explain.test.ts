/** The choice of a format as HTML: the table that the decision holds. */
import { parseHTML } from 'linkedom';
import { afterAll, expect, test } from 'vitest';
import { SparlaneError } from '#dist/core/errors.js';
import { createEngine, gallery } from '#dist/index.node.js';
import { explain } from '#dist/pictures/index.js';

const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());
using operator = engine.operator(gallery('laplace2d5', { nx: 100, ny: 100 }));
const decision = operator.decision!;

test('every candidate in a row, the chosen one marked, and the reason', () => {
  const { document } = parseHTML(`<html><body>${explain(decision)}</body></html>`);
  const rows = [...document.querySelectorAll('tbody tr')];
  expect(rows.map((row) => row.querySelector('th')!.textContent)).toEqual(decision.ranking.map(({ spec }) => spec));
  expect(rows.filter((row) => row.classList.contains('chosen'))).toEqual([rows[0]]);
  const heads = [...document.querySelectorAll('thead th')];
  for (const row of rows) expect(row.children).toHaveLength(heads.length);
  expect(heads.map(({ textContent }) => textContent)).toContain('threads');
  expect(document.querySelector('dd')!.textContent).toBe(`${decision.chosen.spec}: ${decision.reason}`);
  const bars = rows.map((row) => Number(row.querySelector('rect')!.getAttribute('width')));
  expect(Math.max(...bars)).toBe(96);
  expect(document.querySelector('section')!.textContent).toContain('10,000 × 10,000, 49,600 entries');
});

test('of a GPU without threads; as a page with a heading, escaped', () => {
  const page = explain(decision, { gpu: 'GPU <1>', title: 'a & b', page: true, reordered: true });
  expect(page).toMatch(/^<!doctype html>[\s\S]*<title>a &amp; b<\/title>[\s\S]*<h2>a &amp; b<\/h2>/);
  expect(page).toContain('f64, GPU &lt;1&gt;, 1000 products expected, reordered');
  expect(page).not.toMatch(/<th scope="col">threads/);
});

test('with times of --tune there is a column more', () => {
  const ranking = decision.ranking.map((format, k) => (k === 0 ? { ...format, measuredMs: 1.5 } : format));
  const html = explain({ ...decision, ranking });
  expect(html).toContain('<th scope="col">measured ms</th>');
  expect(html).toContain('<td>1.50</td>');
});

test('its style holds within the element', () => {
  const [, css] = /<style>(.*?)<\/style>/.exec(explain(decision, { scheme: 'dark' }))!;
  for (const rule of css!.split('}').slice(0, -1))
    expect(rule).toMatch(/^\.sparlane-explain-dark( [^,{]*(:is\([^)]*\))?)?\{/);
});

test.each([
  [[undefined], /decision: expected that of an operator whose format was chosen, got undefined/],
  [[{}], /decision/],
  [[decision, { scheme: 'grey' }], /scheme: expected auto \| light \| dark/],
  [[decision, { page: 1 }], /page: expected a boolean/],
  [[decision, { gpu: 1 }], /gpu: expected a string/],
])('wrong arguments %#', (args, message) => {
  const call = () => Reflect.apply(explain, undefined, args);
  expect(call).toThrow(message);
  expect(call).toThrow(SparlaneError);
});
