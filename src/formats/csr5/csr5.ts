/**
 * CSR5: the entries cut into tiles of ω × σ, regardless of rows; each of ω lanes has σ consecutive entries.
 *
 * Source: Liu & Vinter 2015, §3 and §4. Conversion: `tiles.ts`; kernels: `assembly/csr5/csr5.ts`.
 * Differs: ω = 4, two f64x2 or one f32x4, on every CPU; `omega=32` is for the warps of a device, and no CPU kernel reads it.
 *   Bit flags mark the ends of rows, not their starts: a row is written in the tile of its last entry, and the next tile is
 *   not read. The open sum of a part goes to its carry slot (the paper's calibrator). y is written once, not cleared and
 *   added to. No rowPtr is kept: the tail has flags too.
 * For: short rows of uneven length: neither the work nor its partition depends on the ends of rows.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with σ = 1: one tile of four entries, and a tail of two
 *
 *     tilePtr      0*       3       u32, tiles + 1: row of the first entry; * (bit 31): empty rows between those that end
 *     tileDesc                      u32 for each lane of a tile; the tail has its flags in order, 16 in a word
 *       bitFlag    0 1 1 0  0 1       rows end here; bit r is step r
 *       yOffset    0 0 1 2            rows that end in the tile before the lane
 *       segOffset  0 0 1 0            lanes directly after this one in which no row ends
 *     emptyOffset  0 2              u32: of marked tiles only, the rows that end, counted from tilePtr's
 *     colIdx       0 2 2 0  1 2     u32, nnz: entry 4 step + lane is entry σ lane + step of the tile
 *     values      10 20 30 40 50 60   nnz
 *
 * Cost: nnz (4 + V) + 4 (1 + ω) (tiles + 1) + X (rows + cols) bytes with tiles = ⌊nnz / ωσ⌋; with empty rows, also
 *   4 (tiles + 1) + 4 for each row of emptyOffset.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { CPU_LANES, type Format, type Lanes, type Layout, type Stages, stageOver, vectorBytes } from '../format.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { Stored } from '../stored.js';
import {
  bitFlag,
  describeTiles,
  endsOf,
  firstRow,
  hasEmptyRows,
  MAX_SIGMA,
  type Tiles,
  transpose,
  yOffset,
} from './tiles.js';

/**
 * A unit is a tile, or a run of tiles if there are more tiles than this. Each unit has its own memory for the running sums
 * of a tile (512 bytes of f64): no two parts share it.
 */
const MAX_UNITS = 256;

/** Cost of a row in addition to its entries, in entries: as in `csr/csr.ts`. */
const ROW_WORK = 1;

export interface Csr5Options {
  readonly spec: string;
  readonly omega: number;
  readonly sigma: number;
  readonly runLoop: RunLoop;
}

export const CSR5_HEADER = {
  rows: 'u32',
  /** The number of full tiles, without the tail. */
  tiles: 'u32',
  /** Steps of a tile; at most 16. */
  sigma: 'u32',
  tilesPerUnit: 'u32',
  /** Entries of the tail. */
  tail: 'u32',
  /** Bytes of a unit's sums. */
  sumsBytes: 'u32',
  tilePtr: 'usize',
  tileDesc: 'usize',
  /** Read only for marked tiles, as is emptyOffset. */
  emptyOffsetPtr: 'usize',
  emptyOffset: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** Memory for the running sums of a tile, for each unit; a part uses that of its first unit. */
  sums: 'usize',
  /** Lanes of a tile: 4, for these kernels. */
  omega: 'u32',
} as const;

export class StoredCsr5 extends Stored implements Layout, Tiles {
  readonly bitsDependOn = 'parts';
  readonly header: number;
  readonly omega: number;
  readonly lanes: Lanes;
  readonly sigma: number;
  /** The number of full tiles, without the tail. */
  readonly tiles: number;
  readonly tilesPerUnit: number;
  readonly tilePtr: Uint32Array;
  readonly tileDesc: Uint32Array;
  readonly emptyOffsetPtr: Uint32Array;
  readonly emptyOffset: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, { spec, omega, sigma, runLoop }: Csr5Options) {
    const { rows, cols, nnz } = csr;
    super(scope, { spec, dtype, rows, cols, nnz });
    const { tilePtr, tileDesc, emptyOffsetPtr, emptyOffset } = describeTiles(scope, csr, omega, sigma, runLoop);
    this.omega = omega;
    this.lanes = { parameter: 'csr5 omega', count: omega };
    this.sigma = sigma;
    this.tiles = tilePtr.length - 1;
    this.tilesPerUnit = Math.ceil((this.tiles + 1) / MAX_UNITS);
    this.tilePtr = tilePtr;
    this.tileDesc = tileDesc;
    this.emptyOffsetPtr = emptyOffsetPtr;
    this.emptyOffset = emptyOffset;
    this.colIdx = scope.array(Uint32Array, nnz);
    this.values = scope.array<FloatArray>(valueArray(dtype), nnz);
    transpose(csr, this, this.colIdx, this.values, runLoop);
    const sums = omega === CPU_LANES ? omega * sigma : 0;
    const sumsBytes = 64 * Math.ceil((sums * vectorArray(dtype).BYTES_PER_ELEMENT) / 64);
    const scratch = scope.alloc(sumsBytes * this.units);
    const { tiles, tilesPerUnit, colIdx, values } = this;
    const sizes = { rows, tiles, sigma, tilesPerUnit, tail: nnz - this.entriesBefore(tiles), sumsBytes };
    const arrays = { tilePtr, tileDesc, emptyOffsetPtr, emptyOffset, colIdx, values };
    this.header = placeHeader(scope, CSR5_HEADER, { ...sizes, ...arrays, sums: scratch, omega });
  }

  get arrays(): readonly (Uint32Array | FloatArray)[] {
    return [this.tilePtr, this.tileDesc, this.emptyOffsetPtr, this.emptyOffset, this.colIdx, this.values];
  }

  get stages(): Stages {
    return { spmv: [stageOver(this, { base: 'csr5', verb: 'spmv' }, { carries: true, lanes: this.lanes })] };
  }

  get units(): number {
    return Math.ceil((this.tiles + 1) / this.tilesPerUnit);
  }

  workBefore(unit: number): number {
    if (unit === 0) return 0;
    const tile = unit * this.tilesPerUnit;
    if (tile > this.tiles) return this.nnz + ROW_WORK * this.rows;
    return this.entriesBefore(tile) + ROW_WORK * firstRow(this, tile);
  }

  private entriesBefore(tile: number): number {
    return this.omega * this.sigma * tile;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { omega, sigma, tiles, nnz, colIdx, values } = this;
    for (let tile = 0; tile < tiles; tile++) {
      for (let lane = 0; lane < omega; lane++) {
        const flags = bitFlag(this, tile, lane);
        let ended = yOffset(this, tile, lane);
        for (let step = 0; step < sigma; step++) {
          const k = this.entriesBefore(tile) + omega * step + lane;
          visit(this.rowAfter(tile, ended), colIdx[k]!, values[k]!);
          ended += (flags >>> step) & 1;
        }
      }
    }
    const tail = this.entriesBefore(tiles);
    for (let k = tail, ended = 0; k < nnz; k++) {
      visit(this.rowAfter(tiles, ended), colIdx[k]!, values[k]!);
      ended += (bitFlag(this, tiles, (k - tail) >>> 4) >>> ((k - tail) & 15)) & 1;
    }
  }

  /** The row that ends in a tile after `ended` others; if no more end there, the row that continues in the next tile. */
  private rowAfter(tile: number, ended: number): number {
    const { tilePtr, emptyOffsetPtr, emptyOffset } = this;
    if (ended === endsOf(this, tile)) return firstRow(this, tile + 1);
    if (!hasEmptyRows(tilePtr, tile)) return firstRow(this, tile) + ended;
    return firstRow(this, tile) + emptyOffset[emptyOffsetPtr[tile]! + ended]!;
  }
}

/** Threads of a device that execute together. */
const WARP = 32;

const parameters = {
  omega: {
    kind: 'word',
    default: `${CPU_LANES}`,
    allowed: [`${CPU_LANES}`, `${WARP}`],
    doc: `lanes of a tile: ${CPU_LANES} for CPUs, ${WARP} for the warps of a device`,
    tuned: true,
  },
  sigma: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: MAX_SIGMA,
    doc: 'entries per lane of a tile; 0: derived from the entries per row',
  },
} as const;

export const csr5: Format = {
  name: 'csr5',
  summary: 'tiles of 4 × σ entries, segmented sums',
  source: 'Liu & Vinter 2015, §3 and §4',
  suits: 'short rows of uneven length',
  parameters,
  variants: ['csr5', 'csr5?sigma=4'],
  /** Only for a device: CPU kernels of other formats are always faster. */
  prospects({ features }, dtype, onDevice) {
    if (!onDevice) return [];
    const { nnz, lengthVariance } = features;
    const tiles = Math.floor(nnz / (WARP * MAX_SIGMA)) + 1;
    const values = nnz * valueArray(dtype).BYTES_PER_ELEMENT;
    const bytes = values + 4 * nnz + 4 * (1 + WARP) * tiles + vectorBytes(features, dtype);
    // Rows of equal length end where tiles end: no sum is carried from block to block.
    return [{ spec: 'csr5', kernel: 'csr5', bytes, entries: nnz, launches: lengthVariance === 0 ? 0 : 1 }];
  },
  onDevice: () => ({ omega: `${WARP}` }),
  fromCsr(heap, matrix, dtype, given, { runLoop = serially } = {}) {
    const resolved = resolveParameters('csr5', parameters, given);
    const sigma = resolved.sigma === 0 ? sigmaFor(matrix) : resolved.sigma;
    const spec = formatSpec('csr5', parameters, { ...resolved, sigma }, given);
    const omega = Number(resolved.omega);
    return heap.build((scope) => new StoredCsr5(scope, matrix, dtype, { spec, omega, sigma, runLoop }));
  },
};

/**
 * The paper uses 16 on CPUs, and on GPUs the mean entries per row within bounds. Here: if the mean is an integer, its
 * largest multiple up to 16: rows of equal length then fill lanes (5 entries per row: 1.35 × as fast as with 16). Otherwise
 * 16, since smaller tiles cost more per entry: σ = 8 is an eighth slower, σ = 4 a third. (AMD EPYC Zen 4, one thread, f64,
 * November 2026: `banded` with 5 entries a row, `laplace2d5`, `debruijn`.)
 */
function sigmaFor({ rows, nnz }: CsrMatrix): number {
  const mean = nnz / rows;
  return Number.isInteger(mean) && mean > 0 && mean <= MAX_SIGMA ? mean * Math.floor(MAX_SIGMA / mean) : MAX_SIGMA;
}
