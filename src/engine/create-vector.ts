/** Vectors and blocks of vectors, from lengths or numbers. */
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import { asFloats } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { DTYPES, type Dtype, type VectorOf, vectorArray } from '../core/types.js';
import { clearWith } from '../formats/layout/copy-loop.js';
import { denseRows, isDense } from '../memory/dense-rows.js';
import { COLUMN_ORDERS, type ColumnOrder, stridesOf } from '../memory/rows.js';
import type { Space } from '../memory/space.js';
import type { BlockSource } from '../memory/transfer.js';
import { Vector } from '../memory/vector.js';

/** `engine.vector` takes these options. */
export interface VectorOptions<D extends Dtype = Dtype> {
  /** Default `f64`. `mixed` operators take vectors of f64. */
  readonly dtype?: D;
  /** `cpu`: in the shared heap. `cuda`: on the engine's first GPU. Default: where the engine computes. */
  readonly device?: 'cpu' | 'cuda';
  /** A block of this many vectors, row-major. Default: those of a source with columns; else 1: a vector. */
  readonly columns?: number;
  /** The order of the numbers of a flat `source`: `row`, the default: row by row; `column`: column by column. */
  readonly order?: ColumnOrder;
}

const VECTOR_OPTIONS = { dtype: true, device: true, columns: true, order: true } satisfies Record<
  keyof VectorOptions,
  true
>;

/** @param spaceOf the space of a device, or of the engine */
export function createVector<D extends Dtype = 'f64'>(
  context: TeamContext,
  spaceOf: (device: VectorOptions['device']) => Space,
  source: number | BlockSource,
  options: VectorOptions<D>,
): Vector<VectorOf<D>> {
  knownKeys('options', options, VECTOR_OPTIONS);
  const type = vectorArray(oneOf('dtype', options.dtype ?? 'f64', DTYPES));
  const { device } = options;
  const space = spaceOf(device && oneOf<'cpu' | 'cuda'>('device', device, ['cpu', 'cuda']));
  const order = oneOf('order', options.order ?? 'row', COLUMN_ORDERS);
  const make = (rows: number, columns: number) => new Vector<VectorOf<D>>(space, type, rows, undefined, columns);
  if (isDense(source)) {
    if (options.order !== undefined) throw mismatch('argument', 'order', 'none for a source with rows', order);
    const { rows, columns } = denseRows('source', source);
    if ((options.columns ?? columns) !== columns)
      throw mismatch('shape', 'columns', `${columns}, as the source has`, options.columns, { columns });
    return filled(make(rows, columns), source);
  }
  const columns = integer('columns', options.columns ?? 1, 1);
  if (typeof source === 'number') return zeroed(context, make(source, columns));
  const values = asFloats('source', source);
  const rows = values.length / columns;
  if (!Number.isInteger(rows))
    throw mismatch('shape', 'source', `${columns} equal columns`, values.length, { columns });
  if (columns === 1 || order === 'row') return make(rows, columns).set(values);
  return make(rows, columns).set({ data: values, shape: [rows, columns], strides: stridesOf(order, rows, columns) });
}

/** Nothing stays allocated if some number is none. */
function filled<V extends Vector>(vector: V, source: BlockSource): V {
  try {
    return vector.set(source);
  } catch (error) {
    vector.dispose();
    throw error;
  }
}

/** In the heap, each page is written first by the thread that will use it. */
function zeroed<V extends Vector>(context: TeamContext, vector: V): V {
  if (vector.space.heap === undefined) return vector.fill(0);
  clearWith(runOnTeam(context), vector.data);
  return vector;
}
