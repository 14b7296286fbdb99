/**
 * Decides whether another order of rows and columns would pay. Reverse Cuthill-McKee brings scattered entries together,
 * to the degree that neighbours of neighbours are neighbours (`Features.clustering`).
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Examined, Features } from '../features/features.js';
import { type Ordering, permuteMatrix } from '../reorder/permutation.js';
import { rcm } from '../reorder/rcm.js';
import { type Circumstances, expectedMs, type RankedFormat, rank } from './choose.js';

/**
 * Nanoseconds per entry for the order and for the permuted matrix. The order took 88 on a random geometric graph of
 * 262 144 rows and 3.4 M entries (AMD EPYC Zen 4, Node 20, November 2026); the permutation and the examination of its
 * result are estimated.
 */
const ORDERING_NS = 150;

export interface Reordered {
  readonly matrix: CsrMatrix;
  readonly ordering: Ordering;
}

/** The matrix in a better order; undefined if none is expected to pay. */
export function reorder(examined: Examined, circumstances: Circumstances): Reordered | undefined {
  const { matrix, features } = examined;
  if (features.clustering === 0) return undefined;
  const [best] = rank(examined, circumstances);
  const [bestAfter] = rank({ ...examined, features: whenOrdered(features) }, circumstances);
  const orderingMs = (ORDERING_NS * features.nnz) / 1e6;
  const after: RankedFormat = { ...bestAfter!, conversionMs: bestAfter!.conversionMs + orderingMs };
  const { products } = circumstances;
  if (expectedMs(after, products) >= expectedMs(best!, products)) return undefined;
  const ordering = rcm(matrix);
  return { matrix: permuteMatrix(matrix, ordering), ordering };
}

/** The expected features after ordering: entries that leave a grown set of rows remain scattered. */
function whenOrdered(features: Features): Features {
  return { ...features, scattered: features.scattered * (1 - features.clustering) };
}
