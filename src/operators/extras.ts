/**
 * The parts of an engine beyond vectors and the products of one backend: operations on vectors, transposes, algebra in the heap, rows that
 * devices share, and a choice of the format by measurement or with another order of the rows. A page loads them when they are needed.
 */
import { HeapArithmetic } from '../backends/team/heap-arithmetic.js';
import { reorder } from '../choice/reorder.js';
import { byRows } from './by-rows.js';
import { HeapMatrix, heapMatrix } from './heap-matrix.js';
import { shareWithCpu } from './hybrid.js';
import { createLanes } from './lanes.js';
import { multiplyInEngine } from './matrix-algebra.js';
import { fastestOf } from './measure.js';
import { partitionRows } from './row-partition.js';
import { transpose } from './transposed.js';

export interface Extras {
  readonly HeapArithmetic: typeof HeapArithmetic;
  readonly HeapMatrix: typeof HeapMatrix;
  readonly heapMatrix: typeof heapMatrix;
  readonly multiplyInEngine: typeof multiplyInEngine;
  readonly byRows: typeof byRows;
  readonly partitionRows: typeof partitionRows;
  readonly shareWithCpu: typeof shareWithCpu;
  readonly transpose: typeof transpose;
  readonly reorder: typeof reorder;
  readonly createLanes: typeof createLanes;
  readonly fastestOf: typeof fastestOf;
}

export const EXTRAS: Extras = {
  HeapArithmetic,
  HeapMatrix,
  heapMatrix,
  multiplyInEngine,
  byRows,
  partitionRows,
  shareWithCpu,
  transpose,
  reorder,
  createLanes,
  fastestOf,
};
