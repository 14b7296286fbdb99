/** The values of a gallery matrix: its own, or seeded ones that depend only on the seed and the place of the entry. */
import type { CsrMatrix } from '../core/csr.js';
import { type RandomStream, randomStream } from './draw.js';
import type { Structure } from './family.js';
import { blockValues, promoteIndices } from './promote.js';

/** The kinds of values of a family without its own; the first is the default. */
export const SEEDED_VALUES = ['real', 'integer', 'ones'] as const;

export type GalleryValues = (typeof SEEDED_VALUES)[number] | 'stencil';

/** Adds values to a structure; every entry becomes a block of `block` rows and columns. */
export function withValues(structure: Structure, kind: GalleryValues, seed: number, block: number): CsrMatrix {
  const rows = structure.rows * block;
  const cols = structure.cols * block;
  const { rowPtr, colIdx } = block === 1 ? structure : promoteIndices(structure, block);
  const nnz = colIdx.length;
  const arrays = { rows, cols, nnz, rowPtr, colIdx };
  const symmetry = structure.symmetric ? 'symmetric' : 'general';
  switch (kind) {
    case 'stencil': {
      const values = block === 1 ? structure.values! : blockValues({ ...structure, values: structure.values! }, block);
      const { field = 'integer', symmetric, symmetricValues = symmetric } = structure;
      return { ...arrays, values, field, symmetry: symmetricValues ? 'symmetric' : 'general' };
    }
    case 'ones':
      return { ...arrays, values: new Float64Array(nnz).fill(1), field: 'pattern', symmetry };
    case 'integer':
      return { ...arrays, values: integers(nnz, randomStream(seed, 'values')), field: 'integer', symmetry: 'general' };
    case 'real':
      return { ...arrays, values: reals(nnz, randomStream(seed, 'values')), field: 'real', symmetry: 'general' };
  }
}

/** Uniform in (−1, 1), never 0; with 33 significant bits, which f32 must round. */
function reals(count: number, random: RandomStream): Float64Array {
  const values = new Float64Array(count);
  for (let k = 0; k < count; k++) values[k] = (random.next() + 0.5) / 2 ** 31;
  return values;
}

/** −4 … 4 without 0: small enough that sums of products with a small integer vector are exact in f32 too. */
function integers(count: number, random: RandomStream): Float64Array {
  const values = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    const draw = random.next() >>> 29;
    values[k] = draw < 4 ? draw - 4 : draw - 3;
  }
  return values;
}
