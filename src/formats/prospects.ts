/** The formats among which `auto` chooses, without their conversions: a page loads only the conversion of the chosen one. */
import type { Dtype } from '../core/types.js';
import type { Examined } from '../features/features.js';
import { bsrDescription } from './bsr/description.js';
import { componentsDescription } from './components/description.js';
import { csr } from './csr/csr.js';
import { csrkDescription } from './csrk/description.js';
import { diaDescription } from './dia/description.js';
import type { FormatDescription, Prospect } from './format.js';
import { inodeDescription } from './inode/description.js';
import { panelsDescription } from './panels/description.js';
import { pktDescription } from './pkt/description.js';
import { sellDescription } from './sell/description.js';
import { sssDescription } from './sss/description.js';

/** In the order of `FORMATS`. */
export const ELIGIBLE: readonly FormatDescription[] = [
  csr,
  csrkDescription,
  componentsDescription,
  sellDescription,
  diaDescription,
  sssDescription,
  bsrDescription,
  inodeDescription,
  pktDescription,
  panelsDescription,
];

/** The layouts that all formats, or only those that never pad, offer for a matrix; always includes `csr`. */
export function prospectsOf(examined: Examined, dtype: Dtype, padding = true): readonly Prospect[] {
  const formats = padding ? ELIGIBLE : ELIGIBLE.filter(({ mayPad = false }) => !mayPad);
  return formats.flatMap((format) => format.prospects?.(examined, dtype, false) ?? []);
}
