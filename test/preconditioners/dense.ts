/** Preconditioners by their definitions, on dense matrices. */
import type { CsrMatrix } from '#dist/core/csr.js';

export type Dense = number[][];

export function dense({ rows, cols, rowPtr, colIdx, values }: CsrMatrix): Dense {
  const matrix = Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) matrix[i]![colIdx[k]!] = values[k]!;
  return matrix;
}

/** P A Pᵀ without the entries between blocks. */
export function blocksOf(matrix: Dense, order: ArrayLike<number>, blockRows: number): Dense {
  const block = (i: number) => Math.floor(i / blockRows);
  return matrix.map((_, i) => matrix.map((_, j) => (block(i) === block(j) ? matrix[order[i]!]![order[j]!]! : 0)));
}

/** P A Pᵀ without the entries between two pieces of one stage. */
export function keptOf(
  matrix: Dense,
  order: ArrayLike<number>,
  { ptr, stages }: { readonly ptr: ArrayLike<number>; readonly stages: readonly number[] },
): Dense {
  const stageOf = stages.flatMap((count, stage) => new Array<number>(count).fill(stage));
  const pieceOf = matrix.map((_, i) => Array.from(ptr).findLastIndex((first) => first <= i));
  const isKept = (p: number, q: number) => p === q || stageOf[p] !== stageOf[q];
  const kept = (i: number, j: number) => isKept(pieceOf[i]!, pieceOf[j]!);
  return matrix.map((_, i) => matrix.map((_, j) => (kept(i, j) ? matrix[order[i]!]![order[j]!]! : 0)));
}

/** L, with ones on its diagonal, and U in one matrix: Gaussian elimination that drops what is not in the pattern of A. */
export function ilu0(matrix: Dense): Dense {
  const factors = matrix.map((row) => row.slice());
  for (let i = 0; i < factors.length; i++) {
    for (let j = 0; j < i; j++) {
      if (matrix[i]![j] === 0) continue;
      factors[i]![j]! /= factors[j]![j]!;
      for (let m = j + 1; m < factors.length; m++)
        if (matrix[i]![m] !== 0) factors[i]![m]! -= factors[i]![j]! * factors[j]![m]!;
    }
  }
  return factors;
}

/** L U */
export function productOf(factors: Dense): Dense {
  const element = (i: number, j: number) => {
    // L has a one on its diagonal.
    let sum = i <= j ? factors[i]![j]! : 0;
    for (let m = 0; m < i && m <= j; m++) sum += factors[i]![m]! * factors[m]![j]!;
    return sum;
  };
  return factors.map((_, i) => factors.map((_, j) => element(i, j)));
}

/** x of A x = b, by Gaussian elimination with pivots. */
export function solveDense(matrix: Dense, b: ArrayLike<number>): number[] {
  const rows = matrix.map((row, i) => [...row, b[i]!]);
  const n = rows.length;
  for (let j = 0; j < n; j++) {
    let pivot = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(rows[i]![j]!) > Math.abs(rows[pivot]![j]!)) pivot = i;
    [rows[j], rows[pivot]] = [rows[pivot]!, rows[j]!];
    for (let i = 0; i < n; i++) {
      if (i === j || rows[i]![j] === 0) continue;
      const factor = rows[i]![j]! / rows[j]![j]!;
      for (let m = j; m <= n; m++) rows[i]![m]! -= factor * rows[j]![m]!;
    }
  }
  return rows.map((row, i) => row[n]! / row[i]!);
}

/** ‖x − y‖ ÷ ‖y‖ */
export function distance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const difference = Array.from(y, (value, i) => x[i]! - value);
  return Math.hypot(...difference) / (Math.hypot(...Array.from(y)) || 1);
}
