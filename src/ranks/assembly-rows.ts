/**
 * Assembly over ranks: each rank has numbers for entries of any rows, and those of one entry are added on the rank that owns its row. Who sends what to whom, the pattern
 * and the place of each number are found once; after that an assembly sends numbers alone, and only to other ranks.
 *
 * Source: PETSc's MatSetValues with ADD_VALUES, MatAssemblyBegin and MatAssemblyEnd, and MatSetPreallocationCOO.
 * Sums are taken in the order of ranks, and of each rank's numbers: the same bits in every run with the same ranks.
 */
import { asFloats, asIndices, checkRange, concatenated, type IndexArray, type NumberArray } from '../core/arrays.js';
import { sortRow } from '../core/canonical.js';
import { checkSymmetry, integer, knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Symmetry } from '../core/types.js';
import { byAscendingKey } from '../reorder/counting-sort.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { gatherBounds, pointersOf } from './row-range.js';
import { indicesByOwner } from './send-entries.js';

/** Numbers of a rank belong to these places of the whole matrix. A place that occurs several times, on one rank or on several, is one entry. */
export interface AssemblyEntries {
  readonly rowIdx: IndexArray;
  /** It is as long as `rowIdx`. */
  readonly colIdx: IndexArray;
}

/** An assembly over ranks takes these options. */
export interface RankAssemblyOptions {
  /** This rank owns so many rows. Those of rank 0 come first, then those of rank 1, … */
  readonly rows: number;
  /** The whole matrix has so many columns; all ranks say the same. Default: as many as all rows. */
  readonly cols?: number;
  /** The whole matrix has this symmetry, which follows from that of the numbers. Default `general`. */
  readonly symmetry?: Symmetry;
}

const ENTRIES = { rowIdx: true, colIdx: true } satisfies Record<keyof AssemblyEntries, true>;
const OPTIONS = { rows: true, cols: true, symmetry: true } satisfies Record<keyof RankAssemblyOptions, true>;

/**
 * All ranks assemble a matrix of this pattern, which `comm.assembly` makes.
 *
 * @example
 * const assembly = comm.assembly({ rowIdx, colIdx }, { rows: ownRows });
 * using A = comm.operator(assembly.rows(values)); // one number for each entry of this rank
 * A.update(assembly.rows(others).values); // the next time step
 */
export class RankAssembly {
  readonly #comm: Communicator;
  /** This rank has so many numbers. */
  readonly #length: number;
  /** Each rank gets these numbers of this one. */
  readonly #sent: readonly Uint32Array[];
  /** Each number that arrives, in the order of ranks, is added to this entry. */
  readonly #places: Uint32Array;
  readonly #pattern: Omit<RankRows, 'values'>;

  /** Made by `Communicator.assembly`. */
  constructor(comm: Communicator, given: AssemblyEntries, options: RankAssemblyOptions) {
    const { rank, size } = comm;
    const rows = comm.together(() => {
      knownKeys('options', options, OPTIONS);
      return integer('rows', options.rows);
    });
    const bounds = gatherBounds(comm, rows);
    const { rowIdx, colIdx, cols, symmetry } = comm.together(() => checked(given, options, bounds[size]!));
    const sent = indicesByOwner(rowIdx, bounds);
    const ask = (numbers: Uint32Array) =>
      concatenated(Float64Array, comm.alltoall(sent.map((own) => Float64Array.from(own, (k) => numbers[k]!))));
    const first = bounds[rank]!;
    const arrived = { rows: ask(rowIdx).map((row) => row - first), columns: ask(colIdx) };
    const { rowPtr, columns, places } = patternOf(rows, arrived.rows, arrived.columns);
    this.#comm = comm;
    this.#length = rowIdx.length;
    this.#sent = sent;
    this.#places = places;
    this.#pattern = { firstRow: first, rows, cols, rowPtr, colIdx: columns, field: 'real', symmetry };
  }

  /**
   * Returns this rank's rows with new values, for `comm.operator`; rows of one assembly share the arrays of their pattern. Together.
   *
   * @param values of this rank: one for each entry that it named, in the same order
   * @throws SparlaneError `shape` for another number of them, on all ranks
   */
  rows(values: NumberArray): RankRows & { readonly values: Float64Array } {
    const numbers = this.#comm.together(() => {
      const floats = asFloats('values', values);
      if (floats.length !== this.#length) throw mismatch('shape', 'values', `length ${this.#length}`, values);
      return floats;
    });
    const arrived = this.#comm.alltoall(this.#sent.map((own) => Float64Array.from(own, (k) => numbers[k]!)));
    const sums = new Float64Array(this.#pattern.colIdx.length);
    let at = 0;
    for (const part of arrived) for (const value of part) sums[this.#places[at++]!]! += value;
    return { ...this.#pattern, values: sums };
  }
}

function checked(given: AssemblyEntries, { cols, symmetry }: RankAssemblyOptions, rows: number) {
  knownKeys('entries', given, ENTRIES);
  const rowIdx = asIndices('rowIdx', given.rowIdx);
  const colIdx = asIndices('colIdx', given.colIdx);
  const columns = integer('cols', cols ?? rows);
  if (colIdx.length !== rowIdx.length)
    throw mismatch('shape', 'colIdx', `the length of rowIdx = ${rowIdx.length}`, colIdx);
  checkRange('rowIdx', 'row', rowIdx, rows);
  checkRange('colIdx', 'column', colIdx, columns);
  return { rowIdx, colIdx, cols: columns, symmetry: checkSymmetry(symmetry ?? 'general', rows, columns) };
}

/** Returns the different entries by rows, columns ascending, and which of them each number is. */
function patternOf(rows: number, rowIdx: Float64Array, colIdx: Float64Array) {
  const lengths = new Uint32Array(rows);
  for (const row of rowIdx) lengths[row]!++;
  const begins = pointersOf(lengths);
  /** Each place of `columns` has this number. */
  const numbers = Float64Array.from(byAscendingKey(Uint32Array.from(rowIdx)));
  const columns = Uint32Array.from(numbers, (k) => colIdx[k]!);
  const rowPtr = new Uint32Array(rows + 1);
  const places = new Uint32Array(rowIdx.length);
  let used = 0;
  for (let i = 0; i < rows; i++) {
    const [begin, end] = [begins[i]!, begins[i + 1]!];
    sortRow(columns, numbers, begin, end);
    const first = used;
    for (let k = begin; k < end; k++) {
      if (used === first || columns[k] !== columns[used - 1]) columns[used++] = columns[k]!;
      places[numbers[k]!] = used - 1;
    }
    rowPtr[i + 1] = used;
  }
  return { rowPtr, columns: columns.slice(0, used), places };
}
