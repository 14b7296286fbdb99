/** y ← β y, the first stage of products whose other stages only add: lines of 16 elements, cut anywhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DTYPES, vectorArray } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { scaleStage } from '#dist/formats/layout/scale.js';
import { createEngine } from '#dist/index.node.js';
import { runParts } from '../run-parts.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** y after β y over some of the lines; the elements after its end were 7 before. */
function scaled(before: readonly number[], bounds: readonly number[], dtype: (typeof DTYPES)[number], beta: number) {
  using scope = engine.heap.scope();
  const type = vectorArray(dtype);
  const y = scope.array<Float64Array | Float32Array>(type, before.length + 1);
  y.set([...before, 7]);
  const stage = scaleStage(scope, before.length);
  runParts(engine, { stored: { dtype, stages: { spmv: [stage] } }, bounds, x: y, y, beta });
  expect(y[before.length]).toBe(7);
  return [...y.subarray(0, -1)];
}

const count = (length: number) => Array.from({ length }, (_, i) => i + 1);

describe.each(DTYPES)('%s', (dtype) => {
  it.each([0, 1, 15, 16, 17, 31, 32, 33])('%i elements, in one part or in as many as there are lines', (rows) => {
    const units = Math.ceil(rows / 16);
    const doubled = count(rows).map((value) => -2 * value);
    expect(scaled(count(rows), [0, units], dtype, -2)).toEqual(doubled);
    expect(scaled(count(rows), [...new Array(units + 1).keys()], dtype, -2)).toEqual(doubled);
    expect(scaled(count(rows), [0, units, units], dtype, 1)).toEqual(count(rows));
  });

  it('a part scales its lines and no others', () => {
    const expected = count(40).map((value, i) => (i >= 16 && i < 32 ? 3 * value : value));
    expect(scaled(count(40), [1, 2], dtype, 3)).toEqual(expected);
  });

  it('β = 0 overwrites elements that are not finite; other values keep them', () => {
    const bad = [Number.NaN, Infinity, -Infinity];
    expect(scaled(bad, [0, 1], dtype, 0)).toEqual([0, 0, 0]);
    expect(scaled(bad, [0, 1], dtype, -1)).toEqual([Number.NaN, -Infinity, Infinity]);
  });
});

it('is work: an element as much as an entry', () => {
  using scope = engine.heap.scope();
  const { units, workBefore } = scaleStage(scope, 33);
  expect([units, workBefore(0), workBefore(units)]).toEqual([3, 0, 48]);
});
