/**
 * All formats, in the order of the printed tables. The choice of a format, the command line, the benchmarks, the conformance suite and the README read
 * this list; a format is added to the library by its line here.
 */
import { mismatch } from '../core/errors.js';
import type { Dtype } from '../core/types.js';
import type { Examined } from '../features/features.js';
import { bsr } from './bsr/bsr.js';
import { components } from './components/components.js';
import { coo } from './coo/coo.js';
import { csr } from './csr/csr.js';
import { csr5 } from './csr5/csr5.js';
import { csrk } from './csrk/csrk.js';
import { dia } from './dia/dia.js';
import type { Format, Prospect } from './format.js';
import { inode } from './inode/inode.js';
import { panels } from './panels/panels.js';
import { pkt } from './pkt/pkt.js';
import { ell } from './sell/ell.js';
import { hyb } from './sell/hyb.js';
import { sell } from './sell/sell.js';
import { sss } from './sss/sss.js';

/** All formats, in the order of the printed tables. */
export const FORMATS: readonly Format[] = [
  csr,
  csrk,
  coo,
  components,
  csr5,
  ell,
  sell,
  hyb,
  dia,
  sss,
  bsr,
  inode,
  pkt,
  panels,
];

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

/** The layouts that all formats, or only those that never pad, offer for a matrix; always includes `csr`. */
export function prospectsOf(
  examined: Examined,
  dtype: Dtype,
  { padding = true, onDevice = false }: { readonly padding?: boolean; readonly onDevice?: boolean } = {},
): readonly Prospect[] {
  const formats = padding ? FORMATS : FORMATS.filter(({ mayPad = false }) => !mayPad);
  return formats.flatMap((format) => format.prospects?.(examined, dtype, onDevice) ?? []);
}

/** @throws SparlaneError `argument` for a name without a format */
export function formatByName(name: string): Format {
  const format = FORMATS.find((candidate) => candidate.name === name);
  if (format === undefined) throw mismatch('argument', 'format', FORMATS.map((known) => known.name).join(' | '), name);
  return format;
}
