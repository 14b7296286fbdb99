/** Completes dot products of a program over the ranks that share the space: one sum for all of them. */
import type { Heap } from '../../memory/heap.js';
import { resultsOf } from '../../memory/operation-blocks.js';
import type { Ranks, VectorOperation } from '../../memory/space.js';

/** A run of f64 in the heap. */
interface Results {
  readonly address: number;
  readonly count: number;
}

function placesOf(operation: VectorOperation): readonly Results[] {
  if (operation.kind !== 'gram') return resultsOf(operation).map((address) => ({ address, count: 1 }));
  const { x, c } = operation;
  // Padding is zero, and so are its sums.
  return [{ address: c.block, count: x.columns * c.stride }];
}

/** @returns what to call after the operations; undefined if they have no results */
export function sumOverRanks(
  heap: Heap,
  ranks: Ranks,
  operations: readonly VectorOperation[],
): (() => void) | undefined {
  const places = operations.flatMap(placesOf).map(({ address, count }) => heap.view(Float64Array, address, count));
  if (places.length === 0) return undefined;
  const numbers = new Float64Array(places.reduce((sum, { length }) => sum + length, 0));
  return () => {
    let at = 0;
    for (const place of places) {
      numbers.set(place, at);
      at += place.length;
    }
    ranks.complete(numbers, () => {
      at = 0;
      for (const place of places) {
        place.set(numbers.subarray(at, at + place.length));
        at += place.length;
      }
    });
  };
}
