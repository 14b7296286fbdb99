/** What operations on vectors read and write. */
import { isOnBlocks, type VectorOperation } from './space.js';

/** The scalars that an operation sets. */
export function resultsOf(operation: VectorOperation): readonly number[] {
  if (operation.kind === 'columnDots') return operation.slots;
  return operation.kind === 'dot' ? [operation.slot] : [];
}

/** The scalars that are factors of an operation. */
export function factorsOf(operation: VectorOperation): readonly number[] {
  if (operation.kind !== 'axpby') return [];
  return [operation.a.slot, operation.b.slot].filter((slot) => slot !== undefined);
}

/** The blocks of the vectors and scalars that an operation uses. */
export function blocksOf(operation: VectorOperation): readonly number[] {
  if (isOnBlocks(operation)) {
    const { x, y } = operation;
    const others = operation.kind === 'columnDots' ? operation.slots : [operation.c.block];
    return [x.block, y.block, ...others];
  }
  const { kind, x, y } = operation;
  if (kind === 'dot') return [x, y, operation.slot];
  if (kind === 'multiply') return [x, y, operation.d];
  if (kind === 'scatter') return [x, y, operation.order];
  return [x, y, ...factorsOf(operation)];
}
