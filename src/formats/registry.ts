/**
 * All formats, in the order of the printed tables. The command line, the benchmarks, the conformance suite and the README
 * read this list; a format is added to the library by its line here.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import { parseSpec } from '../core/parameters.js';
import type { Dtype } from '../core/types.js';
import type { Examined } from '../features/features.js';
import type { Heap } from '../memory/heap.js';
import { bsr } from './bsr/bsr.js';
import { components } from './components/components.js';
import { coo } from './coo.js';
import { csr } from './csr.js';
import { csr5 } from './csr5/csr5.js';
import { csrk } from './csrk/csrk.js';
import { dia } from './dia/dia.js';
import type { ConversionOptions, Format, Prospect, StoredMatrix } from './format.js';
import { inode } from './inode/inode.js';
import { pkt } from './pkt/pkt.js';
import { ell } from './sell/ell.js';
import { hyb } from './sell/hyb.js';
import { sell } from './sell/sell.js';
import { sss } from './sss/sss.js';

export const FORMATS: readonly Format[] = [csr, csrk, coo, components, csr5, ell, sell, hyb, dia, sss, bsr, inode, pkt];

/** Every variant of every format: the meaning of `all` on the command line, and the set of the conformance suite. */
export const FORMAT_SPECS: readonly string[] = FORMATS.flatMap((format) => format.variants);

/** The same for a device: in addition the CPU layouts of formats that have other layouts on a device. */
export const DEVICE_SPECS: readonly string[] = [
  ...FORMAT_SPECS,
  'csr5?omega=4',
  'pkt?lanes=4',
  'components?sliceRows=128',
  'csrk?k=3&superRowSize=96',
];

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
 * @throws as `Format.fromCsr`, and SparlaneError `fill-in` for padding if it is not allowed
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

/** The layouts that all formats, or only those that never pad, offer for a matrix; always includes `csr`. */
export function prospectsOf(examined: Examined, dtype: Dtype, padding = true, onDevice = false): readonly Prospect[] {
  const formats = padding ? FORMATS : FORMATS.filter(({ mayPad = false }) => !mayPad);
  return formats.flatMap((format) => format.prospects?.(examined, dtype, onDevice) ?? []);
}

export function formatByName(name: string): Format {
  const format = FORMATS.find((candidate) => candidate.name === name);
  if (format === undefined) throw mismatch('argument', 'format', FORMATS.map((known) => known.name).join(' | '), name);
  return format;
}
