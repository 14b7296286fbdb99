import { expect, it } from 'vitest';
import { conformanceMatrices } from '#dist/conformance/matrices.js';

it('has matrices with different names', () => {
  const names = conformanceMatrices().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
