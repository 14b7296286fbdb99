/** Runs a stage's parts one by one on the caller's thread, so that a test sees the carry slot of each. */
import type { Dtype, FloatArray } from '#dist/core/types.js';
import { CARRIES_BYTES, Carries } from '#dist/execution/carries.js';
import type { Stage } from '#dist/formats/format.js';
import { kernelName } from '#dist/kernels/abi.js';
import { kernelIndex } from '#dist/kernels/module.js';
import type { Engine } from '#dist/operators/engine.js';

/** The unfinished row of a part and its sum so far; undefined if its last row is complete. */
export type Slot = { row: number; sum: number } | undefined;

export interface Parts {
  readonly stage: Stage;
  readonly dtype: Dtype;
  /** Part p is the units bounds[p] … bounds[p + 1] − 1. */
  readonly bounds: readonly number[];
  readonly x: FloatArray;
  readonly y: FloatArray;
  readonly alpha?: number;
  readonly beta?: number;
}

const NO_ROW = 0xffff_ffff;

/** Runs the parts and returns their slots. Nothing is added to y afterwards. */
export function runParts({ context, heap }: Engine, { stage, dtype, bounds, x, y, alpha, beta }: Parts): Slot[] {
  using scope = heap.scope();
  const carries = new Carries(heap.memory, scope.alloc(CARRIES_BYTES));
  const run = context.own[kernelIndex(context.kernels, kernelName(stage.kernel, dtype))]!;
  return bounds.slice(1).map((end, part) => {
    const slot = carries.slotOf(part);
    run(stage.header, x.byteOffset, y.byteOffset, bounds[part]!, end, slot, alpha ?? 1, beta ?? 0);
    const row = heap.view(Uint32Array, slot, 1)[0]!;
    return row === NO_ROW ? undefined : { row, sum: heap.view(Float64Array, slot + 8, 1)[0]! };
  });
}
