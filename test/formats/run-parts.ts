/** Runs the parts of a product of one stage one by one on the caller's thread, so that a test sees the carry slot of each. */
import type { FloatArray } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { CARRIES_BYTES, Carries } from '#dist/execution/carries.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { kernelName, OPERANDS_BYTES } from '#dist/kernels/abi.js';
import { kernelIndex } from '#dist/kernels/module.js';
import { OperandBlock } from '#dist/kernels/operands.js';

/** The unfinished row of a part and its sum so far; undefined if its last row is complete. */
export type Slot = { row: number; sum: number } | undefined;

export interface Parts {
  readonly stored: Pick<StoredMatrix, 'stages' | 'dtype'>;
  /** Part p is the units bounds[p] … bounds[p + 1] − 1. */
  readonly bounds: readonly number[];
  readonly x: FloatArray;
  readonly y: FloatArray;
  readonly alpha?: number;
  readonly beta?: number;
}

const NO_ROW = 0xffff_ffff;

/** Runs the parts and returns their slots. Nothing is added to y afterwards. */
export function runParts({ context, heap }: Engine, { stored, bounds, x, y, alpha, beta }: Parts): Slot[] {
  using scope = heap.scope();
  const carries = new Carries(heap.memory, scope.alloc(CARRIES_BYTES));
  const [stage] = stored.stages.spmv;
  const run = context.own[kernelIndex(context.kernels, kernelName(stage!.kernel, stored.dtype))]!;
  const operands = new OperandBlock(heap.memory, scope.alloc(OPERANDS_BYTES));
  operands.write(x.byteOffset, y.byteOffset, alpha ?? 1, beta ?? 0);
  return bounds.slice(1).map((end, part) => {
    const slot = carries.slotOf(part);
    operands.carry = slot;
    run(stage!.header, operands.address, bounds[part]!, end);
    const row = heap.view(Uint32Array, slot, 1)[0]!;
    return row === NO_ROW ? undefined : { row, sum: heap.view(Float64Array, slot + 8, 1)[0]! };
  });
}
