/** What `sparlane solve` is given, on one machine's threads or on ranks. */
import type { DeviceChoice } from '../engine/start-engine.js';
import { galleryRightHandSide, parseGalleryUrl } from '../gallery/registry.js';
import { loadVector, ones, partsOf } from './load.js';

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
 * b of a file; without one that of the gallery, or ones. Of a complex matrix it is pairs (re, im), also from a file with real numbers.
 *
 * @param rows of the matrix @param range the first element that is wanted and the one after the last
 */
export async function loadRightHandSide(
  source: string,
  path: string | undefined,
  { rows, isComplex }: { readonly rows: number; readonly isComplex: boolean },
  range: readonly [begin: number, end: number] = [0, rows],
): Promise<Float64Array> {
  const [begin, end] = range;
  const parts = partsOf(isComplex);
  if (path !== undefined)
    return Float64Array.from((await loadVector(path, 'rows', rows, isComplex)).slice(parts * begin, parts * end));
  if (!source.startsWith('gallery:')) return ones(end - begin, isComplex);
  const { name, given } = parseGalleryUrl(source);
  return galleryRightHandSide(name, given, range);
}
