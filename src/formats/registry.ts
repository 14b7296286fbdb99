/**
 * All formats, in the order in which tables show them. Command line, benchmarks, conformance suite and README read this
 * list; a format joins the library by its line here.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import { parseSpec } from '../core/parameters.js';
import type { Tuning } from '../core/tuning.js';
import type { Dtype } from '../core/types.js';
import type { Heap } from '../memory/heap.js';
import { bsr } from './bsr.js';
import { components } from './components.js';
import { coo } from './coo.js';
import { csr } from './csr.js';
import { csr5 } from './csr5.js';
import { csrk } from './csrk.js';
import { dia } from './dia.js';
import { ell } from './ell.js';
import type { Examined } from './features.js';
import type { Format, Prospect, StoredMatrix } from './format.js';
import { hyb } from './hyb.js';
import { inode } from './inode.js';
import { pkt } from './pkt.js';
import { sell } from './sell.js';
import { sss } from './sss.js';

export const FORMATS: readonly Format[] = [csr, csrk, coo, components, csr5, ell, sell, hyb, dia, sss, bsr, inode, pkt];

/** Every variant of every format: what `all` means on the command line, and what the conformance suite runs. */
export const FORMAT_SPECS: readonly string[] = FORMATS.flatMap((format) => format.variants);

/** The same where a device computes: also the layouts of a CPU, where a device has others of its own. */
export const DEVICE_SPECS: readonly string[] = [
  ...FORMAT_SPECS,
  'csr5?omega=4',
  'pkt?lanes=4',
  'components?sliceRows=128',
  'csrk?k=3&superRowSize=96',
];

/** What a layout depends on beside the matrix, the spec and the dtype. */
export interface StoreOptions {
  /** For formats that group rows: which, instead of what parameters say; other formats refuse them. */
  readonly groups?: Groups | undefined;
  /** For parameters that the spec leaves open. */
  readonly tuning?: Tuning | undefined;
  /** Whether a device computes: some parameters that the spec leaves open are then other ones. Default: false. */
  readonly onDevice?: boolean;
  /** Whether a layout may hold padding; one that does is otherwise refused. Default: true. */
  readonly padding?: boolean;
}

/**
 * Lays a matrix out as a spec says: `csr`, `csrk?k=3&superRowSize=64`.
 *
 * @throws as `Format.fromCsr`, and SparlaneError `fill-in` for padding where none is allowed
 */
export function storeMatrix(
  heap: Heap,
  matrix: CsrMatrix,
  spec: string,
  dtype: Dtype,
  { groups, tuning, onDevice = false, padding = true }: StoreOptions = {},
): StoredMatrix {
  const { name, given: named } = parseSpec('format', spec);
  const format = formatByName(name);
  const asked = groups === undefined ? named : { ...named, groups };
  const given = onDevice ? { ...format.onDevice?.(matrix, asked), ...asked } : asked;
  const stored = format.fromCsr(heap, matrix, dtype, given, tuning);
  if (padding || !stored.multipliesPadding) return stored;
  const { nnz, storedEntries } = stored;
  stored[Symbol.dispose]();
  const text = `format ${spec}: expected no padding, got ${storedEntries - nnz} zeros beside ${nnz} entries`;
  throw new SparlaneError('fill-in', text, { nnz, storedEntries });
}

/** What all formats offer for a matrix, or those that never pad; `csr` is always among it. */
export function prospectsOf(examined: Examined, dtype: Dtype, padding = true): readonly Prospect[] {
  const formats = padding ? FORMATS : FORMATS.filter(({ mayPad = false }) => !mayPad);
  return formats.flatMap((format) => format.prospects?.(examined, dtype) ?? []);
}

export function formatByName(name: string): Format {
  const format = FORMATS.find((candidate) => candidate.name === name);
  if (format === undefined) throw mismatch('argument', 'format', FORMATS.map((known) => known.name).join(' | '), name);
  return format;
}
