/** What ranks must find that run `programs/order-rows.mjs`, by whatever the ranks reach each other. */
import { expect } from 'vitest';

export interface OrderedRows {
  readonly most: number;
  readonly nnz: number;
  readonly failures: number;
  readonly partOf: readonly number[];
  readonly places: readonly number[];
  readonly halo: number;
  readonly serialHalo: number;
  readonly heaviest: number;
}

/** The halo may be larger than that of `partition` by this. */
const MOST_HALO = 1.25;

export function expectOrderedRows(found: OrderedRows): void {
  const { most, nnz, halo, serialHalo, heaviest } = found;
  expect(halo).toBeLessThanOrEqual(MOST_HALO * serialHalo);
  expect(heaviest).toBeLessThan(1.035);
  // No rank holds the whole pattern.
  expect(most).toBeLessThan(nnz);
  expectRightRows(found);
}

/** Rows have different places, and products with moved rows are right. */
export function expectRightRows({ places, failures }: OrderedRows): void {
  expect(places.toSorted((one, other) => one - other)).toEqual(places.map((_, i) => i));
  expect(failures).toBe(0);
}
