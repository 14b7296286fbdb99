/** Compares the operations that are estimated before an analysis with those that the analysis counts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { estimateFactors } from '#dist/direct/estimate.js';
import { CsrBuilder, type CsrMatrix, createEngine, type Engine, factor, gallery } from '#dist/index.node.js';
import * as problems from '../../bench/solve/choice-problems.mjs';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, tuning: 'built-in' });
});
afterAll(() => engine.dispose());

test.each<[string, () => CsrMatrix]>([
  ['5 points', () => gallery('laplace2d5', { nx: 100, ny: 100 })],
  ['5 points on a long grid', () => gallery('laplace2d5', { nx: 1000, ny: 10 })],
  ['9 points', () => problems.rotatedAnisotropy(100)],
  ['13 points: a plate', () => problems.plate(80)],
  ['two unknowns at a node: plane strain', () => problems.planeStrain(50)],
  ['7 points', () => gallery('laplace3d7', { nx: 22, ny: 22, nz: 22 })],
  ['7 points in a channel', () => gallery('laplace3d7', { nx: 120, ny: 10, nz: 10 })],
  ['7 points in a thin layer', () => gallery('laplace3d7', { nx: 50, ny: 50, nz: 3 })],
  ['tetrahedra in random order', () => problems.tetrahedra(15)],
])('the operations of a mesh, within a factor of 3: %s', (_, make) => {
  const matrix = make();
  const { flops, isMesh } = estimateFactors(matrix);
  using factors = factor(engine, matrix);
  const ratio = flops / factors.explain().flops;
  expect([isMesh, ratio > 1 / 3, ratio < 3], `ratio ${ratio}`).toEqual([true, true, true]);
});

test('a matrix with a few long rows is not like a mesh', () => {
  const arrow = new CsrBuilder(100, 100);
  for (let i = 0; i < 100; i++) for (const j of new Set([0, i])) arrow.add(i, j, i + j + 1);
  expect(estimateFactors(arrow.build()).isMesh).toBe(false);
});
