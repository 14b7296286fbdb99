/** Vectors and blocks of vectors, from lengths or numbers. */
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import { asFloats } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { DTYPES, type Dtype, type VectorOf, vectorArray } from '../core/types.js';
import { clearWith } from '../formats/layout/copy-loop.js';
import { COLUMN_ORDERS, type ColumnOrder, toRows } from '../memory/rows.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';

export interface VectorOptions<D extends Dtype = Dtype> {
  /** Default `f64`. `mixed` operators take vectors of f64. */
  readonly dtype?: D;
  /** `cpu`: in the shared heap. `cuda`: on the engine's first GPU. Default: where the engine computes. */
  readonly device?: 'cpu' | 'cuda';
  /** A block of this many vectors, row-major. Default 1: a vector. */
  readonly columns?: number;
  /** The order of the numbers of `source`: `row`, the default: row by row; `column`: column by column. */
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
  source: number | ArrayLike<number>,
  options: VectorOptions<D>,
): Vector<VectorOf<D>> {
  knownKeys('options', options, VECTOR_OPTIONS);
  const type = vectorArray(oneOf('dtype', options.dtype ?? 'f64', DTYPES));
  const { device } = options;
  const space = spaceOf(device && oneOf<'cpu' | 'cuda'>('device', device, ['cpu', 'cuda']));
  const columns = integer('columns', options.columns ?? 1, 1);
  const order = oneOf('order', options.order ?? 'row', COLUMN_ORDERS);
  if (typeof source === 'number')
    return zeroed(context, new Vector<VectorOf<D>>(space, type, source, undefined, columns));
  const values = asFloats('source', source);
  const rows = values.length / columns;
  if (!Number.isInteger(rows))
    throw mismatch('shape', 'source', `${columns} equal columns`, values.length, { columns });
  const vector = new Vector<VectorOf<D>>(space, type, rows, undefined, columns);
  if (columns === 1 || order === 'row') return vector.set(values);
  space.upload(vector.block, 0, toRows(type, values, rows, columns, order));
  return vector;
}

/** In the heap, each page is written first by the thread that will use it. */
function zeroed<V extends Vector>(context: TeamContext, vector: V): V {
  if (vector.space.heap === undefined) return vector.fill(0);
  clearWith(runOnTeam(context), vector.data);
  return vector;
}
