/** Stores a matrix in the format of a spec. */
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import { parseSpec } from '../core/parameters.js';
import type { Dtype } from '../core/types.js';
import type { Heap } from '../memory/heap.js';
import type { ConversionOptions, StoredMatrix } from './format.js';
import { formatByName } from './registry.js';

/** Options of a layout in addition to the matrix, the spec and the dtype. */
export interface StoreOptions extends ConversionOptions {
  /** For formats that group rows: the groups, which replace the parameters; other formats refuse them. */
  readonly groups?: Groups | undefined;
  /** Whether a device computes: some parameters then have other defaults. Default: false. */
  readonly onDevice?: boolean;
  /** Whether padding is allowed; otherwise a layout with padding is refused. Default: true. */
  readonly padding?: boolean;
}

/**
 * Stores a matrix as specified: `csr`, `csrk?k=3&superRowSize=64`.
 *
 * @throws as `Format.fromCsr`, and SparlaneError `argument` for an unknown format, `fill-in` for padding if it is not allowed
 */
export function storeMatrix(
  heap: Heap,
  matrix: CsrMatrix,
  spec: string,
  dtype: Dtype,
  { groups, onDevice = false, padding = true, ...conversion }: StoreOptions = {},
): StoredMatrix {
  const { name, given: named } = parseSpec('format', spec);
  const format = formatByName(name);
  const asked = groups === undefined ? named : { ...named, groups };
  const given = onDevice ? { ...format.onDevice?.(matrix, asked), ...asked } : asked;
  const stored = format.fromCsr(heap, matrix, dtype, given, conversion);
  if (padding || !stored.multipliesPadding) return stored;
  const { nnz, storedEntries } = stored;
  stored[Symbol.dispose]();
  const text = `format ${spec}: expected no padding, got ${storedEntries - nnz} zeros in addition to ${nnz} entries`;
  throw new SparlaneError('fill-in', text, { nnz, storedEntries });
}
