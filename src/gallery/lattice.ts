/**
 * Quarks on a four-dimensional lattice: the pattern of the Wilson hopping matrix D of quantum chromodynamics, as in the
 * matrices conf5.* of Matrix Market (B. Medeke) and SuiteSparse QCD: 39 entries in every row, in groups of three
 * consecutive columns.
 *
 * Rule: D couples site x to x ± μ̂, periodically, through the product of a 4 × 4 matrix of spins, 1 ∓ γ_μ, and a 3 × 3
 * matrix of colours. In Dirac's basis, where γ₄ is diagonal, a row of spin s has two nonzeros of 1 ∓ γ_μ in the three
 * directions of space: s itself and its partner. In the direction of time the row of one of 1 ∓ γ₄ is zero, and that of
 * the other has only s. This makes 3 · 2 · 2 + 1 = 13 blocks of 3 × 3 in a row, none on the diagonal. In time the pattern
 * has one direction only: it is symmetric except for 3 entries in 39.
 *
 * Differs: sites are numbered x fastest, not red–black; unknowns within a site: spin, then colour. Values are seeded
 * reals; in QCD they are complex rotations.
 */
import { family, type GalleryFamily, integer, type Structure } from './family.js';

const SPINS = 4;
const COLOURS = 3;
const BLOCKS_PER_ROW = 13;

/** γ₁ and γ₂ swap spins 0 ↔ 3 and 1 ↔ 2; γ₃ swaps 0 ↔ 2 and 1 ↔ 3. */
const PARTNERS = [
  [3, 2, 1, 0],
  [3, 2, 1, 0],
  [2, 3, 0, 1],
] as const;

/** At least 3: both neighbours along an axis are then different sites. */
const extent = (axis: string) => integer(8, 3, 1024, `sites along ${axis}`);

export const QCD: GalleryFamily = family({
  name: 'qcd',
  summary: '4-D lattice with 3 × 3 blocks, exactly 39 entries a row',
  source: 'Wilson fermions; sizes as conf5_4-8x8-05 (8⁴ sites: 49,152 rows, 1,916,928 entries)',
  parameters: { nx: extent('x'), ny: extent('y'), nz: extent('z'), nt: extent('time') },
  size: (extents) => {
    const rows = sites(extents) * SPINS * COLOURS;
    return { rows, cols: rows, entries: rows * BLOCKS_PER_ROW * COLOURS };
  },
  structure: (extents) => hoppingMatrix(extents),
});

type Extents = Readonly<Record<'nx' | 'ny' | 'nz' | 'nt', number>>;

function sites({ nx, ny, nz, nt }: Extents): number {
  return nx * ny * nz * nt;
}

function hoppingMatrix(extents: Extents): Structure {
  const siteCount = sites(extents);
  const rows = siteCount * SPINS * COLOURS;
  const perRow = BLOCKS_PER_ROW * COLOURS;
  const rowPtr = Uint32Array.from({ length: rows + 1 }, (_, i) => i * perRow);
  const colIdx = new Uint32Array(rows * perRow);
  const blocks = new Uint32Array(BLOCKS_PER_ROW);
  let write = 0;
  for (let site = 0; site < siteCount; site++) {
    const neighbours = siteNeighbours(extents, site);
    for (let spin = 0; spin < SPINS; spin++) {
      coupledBlocks(neighbours, spin, blocks);
      for (let row = 0; row < COLOURS; row++) {
        for (let k = 0; k < BLOCKS_PER_ROW; k++) {
          for (let colour = 0; colour < COLOURS; colour++) colIdx[write++] = blocks[k]! * COLOURS + colour;
        }
      }
    }
  }
  return { rows, cols: rows, rowPtr, colIdx, symmetric: false };
}

/** Backward and forward along x, y, z, time. */
function siteNeighbours({ nx, ny, nz, nt }: Extents, site: number): number[] {
  const neighbours: number[] = [];
  let stride = 1;
  for (const extent of [nx, ny, nz, nt]) {
    const at = Math.floor(site / stride) % extent;
    neighbours.push(site + stride * (at > 0 ? -1 : extent - 1), site + stride * (at + 1 < extent ? 1 : 1 - extent));
    stride *= extent;
  }
  return neighbours;
}

/** The block columns of one spin of a site, ascending. */
function coupledBlocks(neighbours: readonly number[], spin: number, blocks: Uint32Array): void {
  for (let direction = 0; direction < 6; direction++) {
    const base = neighbours[direction]! * SPINS;
    blocks[2 * direction] = base + spin;
    blocks[2 * direction + 1] = base + PARTNERS[direction >> 1]![spin]!;
  }
  blocks[12] = neighbours[spin < 2 ? 6 : 7]! * SPINS + spin;
  blocks.sort();
}
