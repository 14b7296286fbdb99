/**
 * The gallery: matrices by name, the same ones in tests, benchmarks, on the command line and in the documentation.
 *
 *     gallery('laplace2d5', { nx: 300, ny: 300, block: 7 })
 *     gallery:laplace2d5?nx=300&ny=300&block=7
 */
import { integer } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type ParameterValues, parseSpec, resolveParameters } from '../core/parameters.js';
import { trust } from '../core/trusted.js';
import { DELAUNAY } from './delaunay.js';
import { randomStream } from './draw.js';
import { ELASTICITY_3D } from './elasticity.js';
import { checkSize, type GalleryFamily } from './family.js';
import { CONVECTION_2D, DIFFUSION_2D } from './flow.js';
import { RGG } from './geometric.js';
import { DE_BRUIJN, RMAT, ROAD } from './graphs.js';
import { QCD } from './lattice.js';
import { BANDED, CIRCUIT, ROW_LENGTHS } from './random.js';
import { DENSE, LAPLACE_1D_3, LAPLACE_2D_5, LAPLACE_2D_9, LAPLACE_3D_7, LAPLACE_3D_27 } from './stencils.js';
import { STOKES_2D } from './stokes.js';
import { type GalleryValues, withValues } from './values.js';

export type { GalleryFamily, GallerySize } from './family.js';
export { promoteBlocks } from './promote.js';

/** All families of matrices that `gallery` generates. */
export const GALLERY: readonly GalleryFamily[] = [
  LAPLACE_1D_3,
  LAPLACE_2D_5,
  LAPLACE_2D_9,
  LAPLACE_3D_7,
  LAPLACE_3D_27,
  DENSE,
  DE_BRUIJN,
  RMAT,
  RGG,
  ROAD,
  BANDED,
  ROW_LENGTHS,
  CIRCUIT,
  QCD,
  DIFFUSION_2D,
  CONVECTION_2D,
  STOKES_2D,
  ELASTICITY_3D,
  DELAUNAY,
];

/**
 * The matrix with this name, canonical; the same bits for the same parameters.
 *
 * @param given those parameters that differ from the family's defaults
 * @throws SparlaneError `argument` for a name, a parameter or a value that does not exist, and for a size beyond the limits
 */
export function gallery(name: string, given: ParameterValues = {}): CsrMatrix {
  const family = familyByName(name);
  const what = `gallery:${name}`;
  const values: ParameterValues = resolveParameters(what, family.parameters, given);
  const block = values.block as number;
  const seed = values.seed as number;
  const { rows, cols, entries } = family.size(values);
  checkSize(what, { rows: rows * block, cols: cols * block, entries: entries * block * block });
  const structure = family.structure(values, randomStream(seed, 'structure'));
  return trust(withValues(structure, values.values as GalleryValues, seed, block));
}

/**
 * A right-hand side for `gallery(name, given)`: that of the system which the matrix belongs to, where the family has one and its own
 * values; else ones. In blocks, every number is repeated.
 *
 * @param range the first element that is wanted and the one after the last; default: all
 * @throws as `gallery`
 */
export function galleryRightHandSide(
  name: string,
  given: ParameterValues = {},
  range?: readonly [begin: number, end: number],
): Float64Array {
  const { parameters, size, rightHandSide } = familyByName(name);
  const what = `gallery:${name}`;
  const values: ParameterValues = resolveParameters(what, parameters, given);
  const block = values.block as number;
  const { rows, cols, entries } = size(values);
  // With a range, nobody holds all entries.
  const counted = range === undefined ? entries * block * block : 0;
  checkSize(what, { rows: rows * block, cols: cols * block, entries: counted });
  const [begin, end] = checkRange(range, rows * block);
  if (rightHandSide === undefined || values.values !== 'stencil') return new Float64Array(end - begin).fill(1);
  const first = Math.floor(begin / block);
  const b = rightHandSide(values, first, Math.ceil(end / block));
  return Float64Array.from({ length: end - begin }, (_, i) => b[Math.floor((begin + i) / block) - first]!);
}

function checkRange(range: readonly [number, number] | undefined, rows: number): readonly [begin: number, end: number] {
  if (range === undefined) return [0, rows];
  if (!Array.isArray(range)) throw mismatch('argument', 'range', '[begin, end]', range);
  const end = integer('range end', range[1], 0, rows);
  return [integer('range begin', range[0], 0, end), end];
}

/** The arguments of `gallery`. */
export interface GalleryRequest {
  readonly name: string;
  /** The parameters in the URL; numbers as numbers. */
  readonly given: ParameterValues;
}

const SCHEME = 'gallery:';

/**
 * Reads `gallery:name?parameter=value&…`.
 *
 * @throws SparlaneError `argument` if the name, a parameter or a value does not exist
 */
export function parseGalleryUrl(url: string): GalleryRequest {
  if (typeof url !== 'string' || !url.startsWith(SCHEME))
    throw mismatch('argument', 'gallery URL', `${SCHEME}name?parameter=value&…`, url);
  const { name, given } = parseSpec('gallery', url.slice(SCHEME.length));
  const values: ParameterValues = resolveParameters(`gallery:${name}`, familyByName(name).parameters, given);
  return { name, given: Object.fromEntries(Object.keys(given).map((key) => [key, values[key]!])) };
}

/** @throws SparlaneError `argument` for a name that does not exist */
export function familyByName(name: string): GalleryFamily {
  const family = GALLERY.find((candidate) => candidate.name === name);
  if (family !== undefined) return family;
  throw mismatch('argument', 'gallery matrix', GALLERY.map((known) => known.name).join(' | '), name);
}
