/**
 * Reorders the eigenvalues of a real Schur form by swaps of neighbouring diagonal blocks.
 *
 * Source: Bai & Demmel 1993.
 * Cost: a swap takes some 20 n operations for each pair of rows that it exchanges.
 */
import { type Reflector, reflectColumns, reflectorOf, reflectRows } from './reflector.js';
import type { Schur } from './schur.js';
import { standardize } from './standard-block.js';

/** A diagonal block of T, in rows `at` and, if it is a complex pair, `at` + 1. */
export interface SchurBlock {
  readonly at: number;
  readonly width: 1 | 2;
  readonly real: number;
  /** The imaginary part is that of the eigenvalue above the real axis, so it is at least 0. */
  readonly imaginary: number;
}

/** What a swap may leave below the diagonal, beside the largest element of both blocks; Bai & Demmel's test, as in dlaexc. */
const WEAKLY_STABLE = 10 * Number.EPSILON;

/** The diagonal blocks, from row `begin` on, where one begins. */
export function blocksOf({ T, size }: Schur, begin = 0): SchurBlock[] {
  const blocks: SchurBlock[] = [];
  for (let at = begin; at < size; at += blocks.at(-1)!.width) {
    const place = at * size + at;
    const under = at + 1 < size ? T[place + size]! : 0;
    const width = under === 0 ? 1 : 2;
    const imaginary = width === 1 ? 0 : Math.sqrt(Math.abs(T[place + 1]!)) * Math.sqrt(Math.abs(under));
    blocks.push({ at, width, real: T[place]!, imaginary });
  }
  return blocks;
}

/**
 * Brings the eigenvalues in order; T and Z change. Two blocks that are too close to be swapped stay as they are: then it is
 * not known which is which.
 *
 * @param compare as of `Array.sort`
 */
export function reorderSchur(schur: Schur, compare: (one: SchurBlock, other: SchurBlock) => number): void {
  for (let place = 0; place < schur.size; ) {
    const first = blocksOf(schur, place).reduce((best, block) => (compare(block, best) < 0 ? block : best));
    moveUp(schur, first, place);
    place += blocksOf(schur, place)[0]!.width;
  }
}

function moveUp(schur: Schur, { at, width }: SchurBlock, place: number): void {
  let here = at;
  while (here > place) {
    const { at: above } = blocksOf(schur, place).findLast((block) => block.at < here)!;
    if (!swap(schur, above, here - above, width)) return;
    here = above;
  }
}

/** Swaps the blocks of `first` and `second` rows, from row `at` on. @returns whether it did */
function swap({ T, Z, size }: Schur, at: number, first: number, second: number): boolean {
  const rows = first + second;
  const block = Float64Array.from({ length: rows * rows }, (_, k) => {
    return T[(at + Math.floor(k / rows)) * size + at + (k % rows)]!;
  });
  const reflectors = reflectorsFor(block, first, second);
  const largest = block.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (const [i, reflector] of reflectors.entries()) {
    reflectRows(block, rows, i, reflector, 0, rows);
    reflectColumns(block, rows, i, reflector, 0, rows);
  }
  for (let i = second; i < rows; i++)
    for (let j = 0; j < second; j++) if (!(Math.abs(block[i * rows + j]!) <= WEAKLY_STABLE * largest)) return false;
  for (const [i, reflector] of reflectors.entries()) {
    reflectRows(T, size, at + i, reflector, at, size);
    reflectColumns(T, size, at + i, reflector, 0, at + rows);
    reflectColumns(Z, size, at + i, reflector, 0, size);
  }
  for (let i = second; i < rows; i++) T.fill(0, (at + i) * size + at, (at + i) * size + at + second);
  if (first === 2) standardize(T, Z, size, at + second);
  if (second === 2) standardize(T, Z, size, at);
  return true;
}

/** Reflectors that turn the invariant subspace of the second block, the columns of [−X; I], to the front: T₁₁ X − X T₂₂ = T₁₂. */
function reflectorsFor(block: Float64Array, first: number, second: number): Reflector[] {
  const rows = first + second;
  const x = solveSylvester(block, first, second);
  const space = new Float64Array(rows * second);
  for (let j = 0; j < second; j++) {
    for (let i = 0; i < first; i++) space[i * second + j] = -x[i * second + j]!;
    space[(first + j) * second + j] = 1;
  }
  return Array.from({ length: second }, (_, j) => {
    const column = Float64Array.from({ length: rows - j }, (_, i) => space[(j + i) * second + j]!);
    const reflector = reflectorOf(column);
    reflectRows(space, second, j, reflector, j, second);
    return reflector;
  });
}

/** T₁₁ X − X T₂₂ = T₁₂ as at most four equations, by elimination with complete pivoting. X is first × second. */
function solveSylvester(block: Float64Array, first: number, second: number): Float64Array {
  const rows = first + second;
  const count = first * second;
  const at = (i: number, j: number) => block[i * rows + j]!;
  const equations = Array.from({ length: count }, (_, row) => {
    const [i, j] = [Math.floor(row / second), row % second];
    const equation = new Float64Array(count + 1);
    for (let k = 0; k < first; k++) equation[k * second + j]! += at(i, k);
    for (let k = 0; k < second; k++) equation[i * second + k]! -= at(first + k, first + j);
    equation[count] = at(i, first + j);
    return equation;
  });
  return eliminate(equations, Number.EPSILON * block.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
}

/** @param least a smaller pivot becomes this one */
function eliminate(equations: Float64Array[], least: number): Float64Array {
  const count = equations.length;
  const order = equations.map((_, j) => j);
  for (let step = 0; step < count; step++) {
    let [row, column, largest] = [step, step, -1];
    for (let i = step; i < count; i++)
      for (let j = step; j < count; j++) {
        const size = Math.abs(equations[i]![order[j]!]!);
        if (size > largest) [row, column, largest] = [i, j, size];
      }
    [equations[step], equations[row]] = [equations[row]!, equations[step]!];
    [order[step], order[column]] = [order[column]!, order[step]!];
    const pivots = equations[step]!;
    const pivot = order[step]!;
    if (largest < least) pivots[pivot] = least;
    for (const equation of equations.slice(step + 1)) {
      const factor = equation[pivot]! / pivots[pivot]!;
      for (let j = 0; j <= count; j++) equation[j]! -= factor * pivots[j]!;
      equation[pivot] = 0;
    }
  }
  const x = new Float64Array(count);
  for (let step = count - 1; step >= 0; step--) {
    const equation = equations[step]!;
    const later = order.slice(step + 1).reduce((sum, j) => sum + equation[j]! * x[j]!, 0);
    x[order[step]!] = (equation[count]! - later) / equation[order[step]!]!;
  }
  return x;
}
