/** What replaced functions share: an instance of mathjs, an engine, and what is kept of matrices that both know. */
import type { MathJsInstance, Matrix } from 'mathjs';
import type { Engine } from 'sparlane';
import type { KeptMatrices } from './kept-matrices.js';
import { arraysOf, type SparseArrays } from './matrices.js';

export interface Link {
  readonly math: MathJsInstance;
  readonly engine: Engine;
  readonly kept: KeptMatrices;
  /** Sparse matrices of fewer entries are left to mathjs. */
  readonly minEntries: number;
  /** Residuals of solutions and eigenvectors are at most this. */
  readonly rtol: number;
}

/** Complex numbers and units have `type` and `toJSON`, too. */
export function isMatrix(value: unknown): value is Matrix {
  return (value as { isMatrix?: unknown } | null | undefined)?.isMatrix === true;
}

/** The arrays of a square SparseMatrix of at least `minEntries` entries; undefined for any other matrix. */
export function squareArrays({ minEntries }: Link, matrix: Matrix): SparseArrays | undefined {
  const arrays = arraysOf(matrix);
  if (arrays.mathjs !== 'SparseMatrix' || arrays.index.length < minEntries) return undefined;
  return arrays.size[0] === arrays.size[1] ? arrays : undefined;
}
