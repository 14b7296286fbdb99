import { expect, test } from 'vitest';
import { csrMatrix } from '#dist/index.node.js';
import { createFakeEngine } from './fake-device.js';

const matrix = csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] });

test('a method is read as a format is: name?key=value; anything else is one clear error', async () => {
  const engine = await createFakeEngine(matrix, { coldMs: 1, warmMs: 1, readMs: 1, gatherMs: 1 });
  const operator = (method: unknown) => engine.operator(matrix, { format: 'csr', method: method as string });
  expect(() => operator('vector?width=8')).not.toThrow();
  expect(() => operator('scalar')).toThrow("method: expected vector, got 'scalar'");
  expect(() => operator('vector?width')).toThrow("method: expected key=value after the question mark, got 'width'");
  expect(() => operator('vector?width=8&width=4')).toThrow('method width: expected one value, got');
  expect(() => operator(5)).toThrow('method: expected name?key=value&…, got 5');
});
