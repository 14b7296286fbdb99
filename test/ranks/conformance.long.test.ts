/** Ranks have the products and solutions of one process, whatever way the rows are dealt. */
import { expect, test } from 'vitest';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { isSoak } from '../soak.js';
import { conform } from './conform.js';

const brief = !isSoak;

test('products of 3 ranks', async () => {
  const [report] = await conform(3, { check: 'products', specs: ['auto'], brief });
  expect(report!.checks).toBeGreaterThan(1000);
  expect(report!.refused).toBe(0);
}, 300_000);

test('products of 2 ranks by every format, and solvers', async () => {
  const products = { check: 'products', specs: FORMAT_SPECS, brief };
  const [ofProducts, ofSolvers] = await conform(2, products, { check: 'solvers' });
  expect(ofProducts!.checks).toBeGreaterThan(10_000);
  expect(ofSolvers!.checks).toBeGreaterThan(500);
}, 300_000);

test('some solvers of 4 ranks', async () => {
  const [report] = await conform(4, { check: 'solvers', every: brief ? 6 : 3 });
  expect(report!.checks).toBeGreaterThan(50);
}, 300_000);
