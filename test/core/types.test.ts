/** The table of dtypes, and what follows it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DTYPES, valueArray, vectorArray } from '#dist/core/types.js';
import { TYPES } from '#dist/formats/instances.js';

test('devices get a dtype by its place, which is that of CUDA', () => {
  const source = readFileSync(new URL('../../cuda/plan.cuh', import.meta.url), 'utf8');
  expect(/enum class Dtype \{ (.*) \}/.exec(source)![1]!.split(', ')).toEqual(DTYPES);
});

test('arrays and kernels have the types of a dtype', () => {
  const types = DTYPES.map((dtype) => [dtype, valueArray(dtype), vectorArray(dtype), TYPES.product[dtype]]);
  expect(types).toEqual([
    ['f64', Float64Array, Float64Array, { V: 'f64', X: 'f64' }],
    ['f32', Float32Array, Float32Array, { V: 'f32', X: 'f32' }],
    ['mixed', Float32Array, Float64Array, { V: 'f32', X: 'f64' }],
  ]);
});
