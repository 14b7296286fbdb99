/**
 * Complex matrices whose rows are dealt to ranks. A rank stores its own columns and its ghosts as complex operators; a ghost is a pair of numbers, and so is a
 * row. Everything beyond these two operators (halo, sums, transposes, preconditioners) is that of the real equivalent, whose rows and columns come in twos.
 *
 * Cost: as of real rows, with 16 bytes per ghost sent.
 */
import { complexOperator } from '../complex/operator.js';
import type { ComplexDtype } from '../complex/options.js';
import type { NumberArray } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import {
  COMPLEX_SYMMETRIES,
  type ComplexInput,
  type ComplexMatrix,
  type ComplexSymmetry,
  complexMatrix,
  numberedEntries,
  pairsOf,
  realEquivalent,
} from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import { compare } from './comparison.js';
import { operatorOf, type RankedShape, type RankRows, type StoreParts, shapeOf, symmetryOf } from './distribute.js';
import type { DistributedOperator } from './distributed-operator.js';
import { type DividedRows, type DividedSizes, divideRows } from './division.js';
import type { Meeting } from './meeting.js';

/** The rows of one rank of a complex matrix, in CSR with the columns of the whole matrix. Rows and columns are counted as those of the matrix. */
export interface ComplexRankRows extends Omit<RankRows, 'values' | 'field' | 'symmetry'> {
  /** Two for each entry: its real part, then its imaginary part. */
  readonly values: NumberArray;
  readonly field: 'complex';
  /** Of the whole matrix, which must then be square. Default `general`. */
  readonly symmetry?: ComplexSymmetry;
}

/** `distributeComplex` takes these options. */
export interface ComplexDistributedOptions {
  /** The format of the part of a rank's own columns, as of `complexOperator`. Default `csr`. */
  readonly format?: string;
  /** The format of the part of ghost columns. Default `csr`. */
  readonly ghostFormat?: string;
  /** Default `c128`. */
  readonly dtype?: ComplexDtype;
}

const ROWS = {
  ...{ firstRow: true, rows: true, cols: true, rowPtr: true, colIdx: true, values: true, field: true, symmetry: true },
} satisfies Record<keyof ComplexRankRows, true>;
const OPTIONS = { format: true, ghostFormat: true, dtype: true } satisfies Record<
  keyof ComplexDistributedOptions,
  true
>;

/** @throws as `Communicator.complexOperator` */
export function distributeComplex(
  meeting: Meeting,
  engine: Engine,
  given: ComplexRankRows,
  options: ComplexDistributedOptions,
): DistributedOperator {
  const start = performance.now();
  const { rank, calls } = meeting.transport;
  const { matrix, firstRow, symmetry } = meeting.together(
    () => checkRows(engine, given, options),
    () => {},
  );
  const name = calls.name('operator');
  compare(meeting, name, { dtype: options.dtype ?? 'c128', symmetry });
  const shape = shapeOf(meeting, matrix, firstRow);
  symmetryOf({ symmetry }, shape);
  const divided = divideRows(numberedEntries(matrix), rank, shape.colBounds);
  const named = { name, shape: shapeInNumbers(shape), divided: sizesInNumbers(divided), start };
  return operatorOf(meeting, engine, named, storingPairs(engine, divided, matrix, symmetry, options));
}

function checkRows(
  engine: Engine,
  given: ComplexRankRows,
  options: ComplexDistributedOptions,
): { readonly matrix: ComplexMatrix; readonly firstRow: number; readonly symmetry: ComplexSymmetry } {
  knownKeys('rows', given, ROWS);
  knownKeys('options', options, OPTIONS);
  if (engine.space.heap === undefined)
    throw mismatch('backend', 'engine', 'one on the CPU for complex matrices over ranks', engine.device);
  const symmetry = oneOf('symmetry', given.symmetry ?? 'general', COMPLEX_SYMMETRIES);
  return { matrix: matrixOf(given), firstRow: integer('firstRow', given.firstRow), symmetry };
}

/** The rows as a matrix. @throws as `complexMatrix` */
function matrixOf({ firstRow: _, symmetry: __, ...arrays }: ComplexRankRows): ComplexMatrix {
  return complexMatrix(arrays as ComplexInput);
}

/** @param rows with numbers of entries for values */
export function complexRankRows(
  { firstRow, rows, cols, rowPtr, colIdx, values = [] }: RankRows,
  matrix: ComplexMatrix,
): ComplexRankRows {
  const { symmetry } = matrix;
  return { firstRow, rows, cols, rowPtr, colIdx, values: pairsOf(values, matrix), field: 'complex', symmetry };
}

/** The rows of the real equivalent. */
export function realRowsOf(rows: ComplexRankRows): RankRows {
  const { nnz: _, ...real } = realEquivalent(matrixOf(rows));
  const symmetry = rows.symmetry === 'hermitian' ? 'symmetric' : 'general';
  return { ...real, firstRow: 2 * rows.firstRow, symmetry };
}

/** The places of both numbers of pairs. */
function inNumbers(places: Uint32Array): Uint32Array {
  return Uint32Array.from({ length: 2 * places.length }, (_, k) => 2 * places[k >> 1]! + (k & 1));
}

function shapeInNumbers({ rows, cols, nnz, rowBounds, colBounds, entries }: RankedShape): RankedShape {
  const twice = (bounds: Float64Array) => bounds.map((bound) => 2 * bound);
  return {
    ...{ rows: 2 * rows, cols: 2 * cols, nnz: 4 * nnz, entries: entries.map((count) => 4 * count) },
    ...{ rowBounds: twice(rowBounds), colBounds: twice(colBounds) },
  };
}

function sizesInNumbers({ own, ghost, boundaryRows, ghosts }: DividedRows): DividedSizes {
  return {
    own: { rows: 2 * own.rows, nnz: 4 * own.nnz },
    ghost: { nnz: 4 * ghost.nnz },
    ...{ boundaryRows: inNumbers(boundaryRows), ghosts: inNumbers(ghosts) },
  };
}

/** @param divided the rows, with numbers of entries for values */
function storingPairs(
  engine: Engine,
  divided: DividedRows,
  matrix: ComplexMatrix,
  symmetry: ComplexSymmetry,
  { format = 'auto', ghostFormat = 'auto', dtype = 'c128' }: ComplexDistributedOptions,
): StoreParts {
  const store = (part: CsrMatrix, spec: string, has: ComplexSymmetry) => {
    const { rows, cols, rowPtr, colIdx, values } = part;
    const pairs = complexMatrix({ rows, cols, rowPtr, colIdx, values: pairsOf(values, matrix), symmetry: has });
    return complexOperator(engine, pairs, { ...(spec !== 'auto' && { format: spec }), dtype });
  };
  const ofOwn = divided.own.rows === divided.own.cols ? symmetry : 'general';
  return (owned) => ({
    own: owned.own(store(divided.own, format, ofOwn)),
    ghost: owned.own(store(divided.ghost, ghostFormat, 'general')),
  });
}
