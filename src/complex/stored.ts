/**
 * Complex matrices in the layouts of real ones. A layout depends on the positions of the entries alone: the matrix whose values are the numbers of its
 * entries, from 1 on, is laid out as any real one, and each number is then replaced by the pair (re, im) of that entry. Zeros remain where the layout pads.
 *
 * As a stored matrix it is the real equivalent (`core/complex.ts`), of which it stores two numbers of four: it has twice the rows, four times the entries,
 * and its transpose is the conjugate transpose. Plans, vectors and the conformance suite take it as they take every other one.
 *
 * For: `csr`, `csrk`, `coo`, `ell`, `sell`, `hyb`, `dia`, `bsr`. Kernels: `assembly/complex/`.
 * Cost: as the layout of a real matrix, with 16 bytes per value (c64: 8): 20 bytes an entry in CSR, where f64 has 12.
 */
import type { ComplexMatrix } from '../core/complex.js';
import { complexFrom, numberedEntries } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type Dtype, type FloatArray, type Symmetry, valueArray } from '../core/types.js';
import {
  type Cost,
  costOf,
  type Stage,
  type Stages,
  type StoredMatrix,
  type SummationOrder,
  type Verb,
} from '../formats/format.js';
import { READ_PAST } from '../formats/layout/read-past.js';
import { type StoreOptions, storeMatrix } from '../formats/store.js';
import type { Stored } from '../formats/stored.js';
import { placeHeader } from '../memory/header.js';
import type { Heap, HeapScope } from '../memory/heap.js';
import { COMPLEX_HEADER, COMPLEX_KERNELS } from './kernels.js';

/** The formats with complex kernels, as an error lists them. */
const FORMATS =
  'csr, csrk, coo, ell, sell, hyb, dia or bsr, without value tables, atomic adds, merge path or cut block rows';

/** A layout whose values number the entries. They are freed, and return for a moment to visit entries. */
type Numbered = Stored & { values: FloatArray };

/** A layout with the pairs of its entries. */
interface Piece {
  readonly layout: StoredMatrix;
  /** The name of the layout's array of values. */
  readonly key: 'values' | 'data';
  readonly pairs: FloatArray;
  /** Places of entries that are 0, ascending. */
  readonly zeros: Uint32Array;
}

export interface ComplexStoreOptions extends Pick<StoreOptions, 'tuning' | 'runLoop' | 'padding'> {
  /** The result of `numberedEntries` for the matrix, if it is known. */
  readonly numbered?: CsrMatrix;
}

/**
 * Stores a complex matrix in the format of a spec.
 *
 * @param dtype f64 for c128, f32 for c64; mixed: values of f32, vectors of f64
 * @throws as `storeMatrix`; SparlaneError `argument` for a format without complex kernels
 */
export function storeComplex(
  heap: Heap,
  matrix: ComplexMatrix,
  spec: string,
  dtype: Dtype,
  { numbered = numberedEntries(matrix), ...options }: ComplexStoreOptions = {},
): StoredComplex {
  const layout = storeMatrix(heap, numbered, spec, 'f64', options);
  const scope = heap.scope();
  try {
    if (!(layout.pieces ?? [layout]).every((piece) => hasVerb(piece, 'spmv')))
      throw mismatch('argument', 'format', `one with complex kernels: ${FORMATS}`, layout.spec);
    const pieces = (layout.pieces ?? [layout]).map((piece) => pairsOf(scope, piece, matrix.values, dtype));
    const { symmetry } = matrix;
    return new StoredComplex(scope, layout, pieces, { dtype, symmetry, isConjugate: false, isView: false });
  } catch (error) {
    scope[Symbol.dispose]();
    layout[Symbol.dispose]();
    throw error;
  }
}

/** Whether all stages of a verb have complex kernels. */
function hasVerb(layout: StoredMatrix, verb: Verb): boolean {
  const { stages } = layout;
  return (
    stages[verb]?.every(({ kernel }, k) => {
      const { verb: step, values = 'full' } = kernel;
      const known = COMPLEX_KERNELS.find(({ layout: name }) => name === complexBase(stages, verb, k));
      return values === 'full' && step === verb && known?.verbs.includes(step) === true;
    }) ?? false
  );
}

/** The name of the complex kernels of stage k. For a product it is that of the block product, which all sizes of blocks of a matrix share. */
function complexBase(stages: Stages, verb: Verb, k: number): string {
  return `complex_${stages[verb === 'spmv' ? 'spmm' : verb]?.[k]?.kernel.base}`;
}

/** Replaces the numbers of a layout by pairs, and frees them. */
function pairsOf(scope: HeapScope, layout: StoredMatrix, source: FloatArray, dtype: Dtype): Piece {
  const key = 'data' in layout ? 'data' : 'values';
  const numbers = (layout as unknown as Numbered)[key as 'values'];
  const places = scope.array<FloatArray>(valueArray(dtype), 2 * (numbers.length + READ_PAST));
  places.fill(0, 2 * numbers.length);
  const pairs = places.subarray(0, 2 * numbers.length);
  const zeros: number[] = [];
  for (let place = 0; place < numbers.length; place++) {
    const number = numbers[place]!;
    pairs[2 * place] = number === 0 ? 0 : source[2 * number - 2]!;
    pairs[2 * place + 1] = number === 0 ? 0 : source[2 * number - 1]!;
    if (number !== 0 && isZero(pairs, place)) zeros.push(place);
  }
  (layout as unknown as Stored).forget(numbers);
  return { layout, key, pairs, zeros: Uint32Array.from(zeros) };
}

function isZero(pairs: FloatArray, place: number): boolean {
  return pairs[2 * place] === 0 && pairs[2 * place + 1] === 0;
}

interface Description {
  readonly dtype: Dtype;
  readonly symmetry: ComplexMatrix['symmetry'];
  /** Whether every entry stands for its conjugate. */
  readonly isConjugate: boolean;
  /** Whether the arrays belong to another matrix. */
  readonly isView: boolean;
}

export class StoredComplex implements StoredMatrix {
  readonly spec: string;
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly storedEntries: number;
  readonly symmetry: Symmetry;
  readonly bitsDependOn: SummationOrder = 'nothing';
  readonly multipliesPadding: boolean;
  readonly warnings: readonly string[];
  readonly stages: Stages;
  readonly #scope: HeapScope;
  readonly #layout: StoredMatrix;
  readonly #pieces: readonly Piece[];
  readonly #description: Description;

  /** Takes ownership of the scope, and of the layout unless this is a view. */
  constructor(scope: HeapScope, layout: StoredMatrix, pieces: readonly Piece[], description: Description) {
    const { dtype, symmetry } = description;
    this.#scope = scope;
    this.#layout = layout;
    this.#pieces = pieces;
    this.#description = description;
    this.spec = layout.spec;
    this.dtype = dtype;
    this.rows = 2 * layout.rows;
    this.cols = 2 * layout.cols;
    this.nnz = 4 * layout.nnz;
    this.storedEntries = 4 * layout.storedEntries;
    this.symmetry = symmetry === 'hermitian' ? 'symmetric' : 'general';
    this.multipliesPadding = layout.multipliesPadding ?? false;
    this.warnings = layout.warnings ?? [];
    const verbs = (['spmv', 'spmv_t', 'spmm'] as const).filter((verb) =>
      pieces.every(({ layout }) => hasVerb(layout, verb)),
    );
    const stagesOf = (verb: Verb) => pieces.flatMap((piece) => this.#stagesOf(piece, verb));
    this.stages = { spmv: stagesOf('spmv'), ...Object.fromEntries(verbs.map((verb) => [verb, stagesOf(verb)])) };
  }

  #stagesOf({ layout, pairs }: Piece, verb: Verb): Stage[] {
    const conjugate = Number(this.#description.isConjugate);
    return layout.stages[verb]!.map((stage, k): Stage => {
      const { kernel, header: matrix, units } = stage;
      const header = placeHeader(this.#scope, COMPLEX_HEADER, { matrix, values: pairs, conjugate });
      const complex = { ...kernel, base: complexBase(layout.stages, verb, k) };
      const workBefore = (unit: number) => 2 * stage.workBefore(unit);
      const { adds = false, oversubscription = 1, scatters = false } = stage;
      return { kernel: complex, header, units, workBefore, adds, oversubscription, scatters };
    });
  }

  /** Returns the conjugate, over the same arrays, which must outlive it. Disposing it frees its headers. */
  conjugated(): StoredComplex {
    const description = this.#description;
    const isConjugate = !description.isConjugate;
    return this.#scope.heap.build(
      (scope) => new StoredComplex(scope, this.#layout, this.#pieces, { ...description, isConjugate, isView: true }),
    );
  }

  /** Stores another real matrix, as a complex one, in the same way. */
  like(heap: Heap, matrix: CsrMatrix): StoredMatrix {
    return storeComplex(heap, complexFrom(matrix), this.spec, this.dtype);
  }

  get bytes(): number {
    return this.#layout.bytes + this.#scope.bytes;
  }

  cost(): Cost {
    const arrays = this.#pieces.flatMap(({ layout, key, pairs }) => {
      const numbers = (layout as unknown as Numbered)[key as 'values'];
      return [pairs, ...(layout as Stored).arrays.filter((array) => array !== numbers)];
    });
    return costOf(this, arrays);
  }

  /** Visits every entry except padding, with its value as stored. */
  forEachPair(visit: (row: number, col: number, re: number, im: number) => void): void {
    const sign = this.#description.isConjugate ? -1 : 1;
    for (const { layout, key, pairs, zeros } of this.#pieces) {
      const numbered = layout as unknown as { [name in Piece['key']]: FloatArray };
      const empty = numbered[key];
      // The layout finds its entries by their values: for a moment, these are the numbers of their places.
      const places = new Float64Array(pairs.length / 2);
      for (let at = 0; at < places.length; at++) places[at] = isZero(pairs, at) ? 0 : at + 1;
      for (const place of zeros) places[place] = place + 1;
      numbered[key] = places;
      try {
        layout.forEachEntry((row, col, place) => visit(row, col, pairs[2 * place - 2]!, sign * pairs[2 * place - 1]!));
      } finally {
        numbered[key] = empty;
      }
    }
  }

  /** Visits the entries of the real equivalent. */
  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    this.forEachPair((i, j, re, im) => {
      visit(2 * i, 2 * j, re);
      visit(2 * i, 2 * j + 1, -im);
      visit(2 * i + 1, 2 * j, im);
      visit(2 * i + 1, 2 * j + 1, re);
    });
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
    if (!this.#description.isView) this.#layout[Symbol.dispose]();
  }
}
