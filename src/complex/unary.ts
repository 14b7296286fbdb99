/**
 * Maps of single complex numbers: multiplication by i, and conjugation. They are all that complex methods need besides what real methods have: (i x) · y is the
 * imaginary part of xᴴ y, and y + b (i x) adds i b x.
 */

import type { Backend } from '../backends/backend.js';
import type { TeamContext } from '../backends/team/backend.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Dtype } from '../core/types.js';
import { type Cost, costOf, type Stages, type StoredMatrix } from '../formats/format.js';
import { placeHeader } from '../memory/header.js';
import type { Heap, HeapScope } from '../memory/heap.js';
import type { Space } from '../memory/space.js';
import { StoredOperator } from '../operators/matrix-operator.js';
import { UNARY_HEADER } from './kernels.js';

/** `timesI` maps (re, im) to (−im, re), and `conjugate` to (re, −im). */
export type UnaryMap = 'timesI' | 'conjugate';

const WORDS = {
  timesI: { exchanges: 1, negatesReal: 1, negatesImaginary: 0 },
  conjugate: { exchanges: 0, negatesReal: 0, negatesImaginary: 1 },
} as const;

/** The pairs of a unit, as in `assembly/complex/unary.ts`. */
const LINE = 8;

/** A map as a stored matrix, of no entries in memory. */
class StoredUnary implements StoredMatrix {
  readonly spec: string;
  readonly warnings: readonly string[] = [];
  readonly stages: Stages;
  readonly rows: number;
  readonly map: UnaryMap;
  readonly dtype: Dtype;
  readonly #scope: HeapScope;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, map: UnaryMap, pairs: number, dtype: Dtype) {
    this.map = map;
    this.dtype = dtype;
    this.spec = map;
    this.rows = 2 * pairs;
    this.#scope = scope;
    const header = placeHeader(scope, UNARY_HEADER, { rows: pairs, ...WORDS[map] });
    const units = Math.ceil(pairs / LINE);
    const kernel = { base: 'complex', verb: 'unary' } as const;
    this.stages = { spmv: [{ kernel, header, units, workBefore: (unit) => 2 * LINE * unit }] };
  }

  get cols(): number {
    return this.rows;
  }

  get nnz(): number {
    return this.rows;
  }

  get storedEntries(): number {
    return this.rows;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  like(heap: Heap, { rows }: CsrMatrix): StoredMatrix {
    return storeUnary(heap, this.map, rows, this.dtype);
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { exchanges, negatesReal, negatesImaginary } = WORDS[this.map];
    for (let row = 0; row < this.rows; row++) {
      const isNegated = row % 2 === 0 ? negatesReal : negatesImaginary;
      visit(row, row ^ exchanges, isNegated ? -1 : 1);
    }
  }

  cost(): Cost {
    return costOf(this, []);
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }
}

function storeUnary(heap: Heap, map: UnaryMap, pairs: number, dtype: Dtype): StoredUnary {
  return heap.build((scope) => new StoredUnary(scope, map, pairs, dtype));
}

/** The operator of a map of `pairs` complex numbers. @throws SparlaneError `heap` */
export function unaryOperator(
  { heap }: TeamContext,
  { plan, space }: Pick<Backend, 'plan'> & { readonly space: Space },
  map: UnaryMap,
  pairs: number,
  dtype: 'f64' | 'f32',
): StoredOperator {
  const stored = storeUnary(heap, map, pairs, dtype);
  return new StoredOperator(space, stored, plan(stored, 'spmv'), {}, 0, () => {});
}
