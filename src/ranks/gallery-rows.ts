/** A gallery matrix on ranks: each of them makes its rows. */
import type { ParameterValues } from '../core/parameters.js';
import { gallery } from '../gallery/registry.js';
import { rowsOfGallery } from '../gallery/rows.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { evenRange, rankRows, rowsInRange } from './row-range.js';

/**
 * This rank's rows of `gallery(name, given)`, as many on every rank, for `comm.operator`. `galleryRightHandSide` takes their range.
 *
 * Stencils (`laplace…`), `diffusion2d`, `convection2d`, `elasticity3d` and `dense`, with their own values or ones, are made row by row, so that
 * the matrix may be larger than one memory. Of other families, every rank makes the whole matrix and keeps its rows.
 *
 * @throws as `gallery`, on this rank
 *
 * @example
 * const rows = galleryRows(comm, 'laplace3d27', { nx: 400, ny: 400, nz: 400 }); // 1.7 billion entries on all ranks
 */
export function galleryRows(comm: Communicator, name: string, given: ParameterValues = {}): RankRows {
  const mine = rowsOfGallery(name, given, (rows) => evenRange(comm, rows));
  if (mine !== undefined) return rankRows(mine.part, mine.firstRow, mine.symmetry);
  const whole = gallery(name, given);
  return rowsInRange(whole, evenRange(comm, whole.rows));
}
