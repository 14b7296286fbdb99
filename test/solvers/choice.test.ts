/** What `solve` chooses for systems of many kinds: it always comes back with an x where a direct solver would. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine, solve } from '#dist/index.node.js';
import * as problems from '../../bench/solve/choice-problems.mjs';
import { relativeResidual } from './residual.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, tuning: 'built-in' });
});
afterAll(() => engine.dispose());

describe('symmetric up to rounding', () => {
  test('normal equations of an interior-point method are solved by a method for symmetric matrices', () => {
    const matrix = problems.interiorPoint(1500, 4500);
    const b = problems.rightSide(matrix.rows);
    const { x, converged, decision } = solve(engine, matrix, b);
    const residual = relativeResidual(matrix, x.toArray(), b);
    x.dispose();
    expect(decision.facts).toMatchObject({ symmetric: true, roundedSymmetry: true });
    expect(decision.reasons).toContain('symmetric up to rounding: counted as symmetric');
    expect(['cg', 'direct']).toContain(decision.method);
    expect([converged, residual < 1.01e-8]).toEqual([true, true]);
  });
});
