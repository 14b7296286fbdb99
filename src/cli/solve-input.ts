/** What `sparlane solve` is given, on one machine's threads or on ranks. */
import { mismatch } from '../core/errors.js';
import type { DeviceChoice } from '../engine/start-engine.js';
import { galleryRightHandSide, parseGalleryUrl } from '../gallery/registry.js';
import { loadVector } from './load.js';

export interface SolveInput {
  readonly rhs?: string;
  readonly output?: string;
  readonly plot?: string;
  readonly method: string;
  readonly preconditioner: string;
  readonly rtol: number;
  readonly maxIterations?: number;
  readonly format: string;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly json?: boolean;
}

/** The exit code of a solve that did not converge. */
export const NOT_CONVERGED = 3;

/**
 * b of a file; without one that of the gallery, or ones.
 *
 * @param rows of the matrix @param range the first element that is wanted and the one after the last
 */
export async function loadRightHandSide(
  source: string,
  path: string | undefined,
  rows: number,
  range: readonly [begin: number, end: number] = [0, rows],
): Promise<Float64Array> {
  const [begin, end] = range;
  if (path !== undefined) {
    const b = await loadVector(path);
    if (b.length === rows) return Float64Array.from(b.slice(begin, end));
    throw mismatch('shape', path, `a vector of length rows = ${rows}`, b, { rows, length: b.length });
  }
  if (!source.startsWith('gallery:')) return new Float64Array(end - begin).fill(1);
  const { name, given } = parseGalleryUrl(source);
  return galleryRightHandSide(name, given, range);
}
