/**
 * Stages of transposed products by scattering. Row i of A adds xᵢ times its entries to y, so parts would write to the same
 * elements. With several parts, each part has a y of its own, for the columns that it reaches, and a last stage adds these in the order of
 * the parts. With one part, y is scaled by β, and all stages add to it. Kernels: `assembly/scatter.ts`.
 */
import { evenly, type Span } from '../../core/span.js';
import { type Dtype, vectorArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Stage } from '../format.js';
import { COLUMN_CHUNK, type ColumnWindow, placeWindows } from './column-windows.js';
import { scaleStage } from './scale.js';

export const SCATTER_HEADER = {
  /** The header of the layout. */
  matrix: 'usize',
  /** u32, parts + 1: the units of each part. */
  bounds: 'usize',
  /** A `Window` for each part, whose places are sums in the type of y; 0 if there is one part. */
  windows: 'usize',
  /** 1 if this stage is the first to write the sums. */
  isFirst: 'u32',
} as const;
export const SUMS_HEADER = {
  cols: 'u32',
  parts: 'u32',
  windows: 'usize',
} as const;

/**
 * Least number of entries per element of all private y. An element is zeroed, written, read and added: as much memory traffic as
 * some four entries.
 */
const ENTRIES_PER_SUM = 4;

/** The most parts with all columns that pay off, at least 1. */
export function scatterParts({ cols, nnz }: { readonly cols: number; readonly nnz: number }): number {
  return Math.max(1, Math.floor(nnz / (ENTRIES_PER_SUM * Math.max(cols, 1))));
}

/** Whether parts that reach these columns pay off. */
export function payOff(windows: readonly ColumnWindow[], nnz: number): boolean {
  return ENTRIES_PER_SUM * windows.reduce((sum, { first, end }) => sum + end - first, 0) <= nnz;
}

/** Bounds of equal work of a layout's units, parts + 1. */
export type Divide = (span: Span, parts: number) => Uint32Array;

/**
 * The stages that scatter, as stages over parts.
 *
 * @param scope owns the headers and the private y
 * @param windows the columns that each part reaches, or more, in whole chunks but for the last one
 * @throws SparlaneError `heap` if the private y do not fit
 */
export function scatterStages(
  scope: HeapScope,
  stages: readonly Stage[],
  { cols, dtype }: { readonly cols: number; readonly dtype: Dtype },
  windows: readonly ColumnWindow[],
  divide: Divide,
): readonly Stage[] {
  const parts = windows.length;
  if (parts === 1) {
    const none = { bounds: 0, windows: 0, isFirst: 0 };
    const adding = stages.map((stage): Stage => {
      const header = placeHeader(scope, SCATTER_HEADER, { matrix: stage.header, ...none });
      return { ...stage, header, workBefore: (unit) => stage.workBefore(unit), adds: true };
    });
    return [scaleStage(scope, cols), ...adding];
  }
  const placed = placeWindows(scope, windows, vectorArray(dtype).BYTES_PER_ELEMENT);
  const scattering = stages.map((stage, place): Stage => {
    const bounds = scope.copy(Uint32Array, divide(stage, parts));
    const words = { matrix: stage.header, bounds, windows: placed, isFirst: Number(place === 0) };
    const header = placeHeader(scope, SCATTER_HEADER, words);
    return { kernel: stage.kernel, header, ...evenly(parts) };
  });
  const header = placeHeader(scope, SUMS_HEADER, { cols, parts, windows: placed });
  const chunks = evenly(Math.ceil(cols / COLUMN_CHUNK), COLUMN_CHUNK);
  const reduction: Stage = { kernel: { base: 'y', verb: 'reduce' }, header, ...chunks };
  return [...scattering, reduction];
}
