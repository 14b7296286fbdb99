/** Ranks have the products and solutions of one process, whatever way the rows are dealt. */
import { expect, test } from 'vitest';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { isSoak } from '../soak.js';
import { conform } from './conform.js';

const brief = !isSoak;

test('products of 3 ranks', async () => {
  const { checks, refused } = await conform(3, { check: 'products', specs: ['auto'], brief });
  expect(checks).toBeGreaterThan(1000);
  expect(refused).toBe(0);
}, 300_000);

test('products of 2 ranks by every format', async () => {
  const { checks } = await conform(2, { check: 'products', specs: FORMAT_SPECS, brief });
  expect(checks).toBeGreaterThan(10_000);
}, 300_000);

test('solvers of 2 ranks', async () => {
  const { checks } = await conform(2, { check: 'solvers' });
  expect(checks).toBeGreaterThan(500);
}, 300_000);

test('some solvers of 4 ranks', async () => {
  const { checks } = await conform(4, { check: 'solvers', brief: true });
  expect(checks).toBeGreaterThan(100);
}, 300_000);
