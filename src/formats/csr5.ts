/**
 * CSR5: the entries cut into tiles of ω × σ, whatever the rows are like; ω lanes take σ consecutive entries each.
 *
 * Source: Liu & Vinter 2015, §3 and §4. Kernels: `assembly/csr5.ts`.
 * Differs: ω = 4, two f64x2 or one f32x4, on every machine. Bit flags mark where rows end, not where they begin: a row is
 *   written in the tile of its last entry, without a look at the next one. What a part leaves open goes to its carry slot
 *   (the paper's calibrator), and y is written once, not cleared and added to. No rowPtr is kept: the tail has flags too.
 * For: short rows of uneven length: neither the work nor its division depends on where rows end.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with σ = 1, so one tile of four entries and a tail of two:
 *
 *     tilePtr     0|empty   3       u32, tiles + 1: row of the first entry; top bit: rows without entries lie within
 *     tileDesc    ×         ×       four u32 for each tile, and for the tail:
 *       bitFlag   0 1 1 0   0 1       does a row end here: bit 16 lane + step; in the tail, bit k is entry k
 *       yOffset   0 0 1 2             rows that end in the tile before each lane; a byte, with
 *       segOffset 1 0 1 0             lanes right behind in which none ends
 *                 0         -         where its emptyOffset begins
 *     emptyOffset 0 2               u32: only where the top bit is set: ended rows, counted from tilePtr's
 *     colIdx      0 2 2 0   1 2     u32, nnz: steps side by side (entry 4 step + lane is lane σ + step of the tile)
 *     values     10 20 30 40 50 60  nnz
 *
 * Units: a tile, and the tail; runs of tiles where there are more than some hundred, so that each has sums of its own.
 * Cost: nnz (4 + V) + 20 (tiles + 1) + 4 per entry of emptyOffset + X (rows + cols) bytes; tiles = nnz / 4σ.
 */
import type { CsrMatrix } from '../core/csr.js';
import { formatSpec, resolveParameters } from '../core/parameters.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import type { Cost, Format, Stage, StoredMatrix } from './format.js';

/** Lanes. */
export const OMEGA = 4;

/** The flags of four lanes fill 64 bits. */
export const MAX_SIGMA = 16;

/** Bit of tilePtr: rows without entries lie between those that end in the tile. */
const EMPTY_ROWS = 0x8000_0000;

/** Words of a tile's description; the flags are the first two, `Offsets` and the begin of its emptyOffset the others. */
const DESC_WORDS = 4;
const OFFSETS = 2;
const EMPTY_FROM = 3;

/** Most units: each has room for a tile's sums, 512 bytes of f64, so that parts need not share them. */
const MAX_UNITS = 256;

/** What a row costs beside its entries, in entries; as in `csr.ts`. */
const ROW_WORK = 1;

interface Tiles {
  readonly tilePtr: Uint32Array;
  readonly tileDesc: Uint32Array;
}

export class StoredCsr5 implements StoredMatrix, Stage, Tiles {
  readonly kernel = 'csr5';
  readonly carries = true;
  readonly bitsDependOn = 'parts';
  readonly spec: string;
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly header: number;
  readonly omega: number = OMEGA;
  readonly sigma: number;
  /** Full tiles. */
  readonly tiles: number;
  readonly tilesPerUnit: number;
  readonly tilePtr: Uint32Array;
  readonly tileDesc: Uint32Array;
  readonly emptyOffset: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
  readonly #scope: HeapScope;

  /** The scope is the matrix's from here on. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, sigma: number, spec: string) {
    const { rows, cols, nnz } = csr;
    this.#scope = scope;
    this.spec = spec;
    this.dtype = dtype;
    this.rows = rows;
    this.cols = cols;
    this.nnz = nnz;
    this.sigma = sigma;
    this.tiles = Math.floor(nnz / (OMEGA * sigma));
    this.tilesPerUnit = Math.ceil((this.tiles + 1) / MAX_UNITS);
    this.tilePtr = scope.array(Uint32Array, this.tiles + 1);
    this.tileDesc = scope.array(Uint32Array, DESC_WORDS * (this.tiles + 1)).fill(0);
    markEnds(csr, sigma, this.tilePtr, this.tileDesc);
    this.emptyOffset = placeEmptyOffset(scope, csr, countEnds(this.tilePtr, this.tileDesc), this);
    this.colIdx = scope.array(Uint32Array, nnz);
    this.values = scope.array<FloatArray>(valueArray(dtype), nnz);
    transpose(csr, sigma, this.colIdx, this.values);
    const sumsBytes = 64 * Math.ceil((OMEGA * sigma * vectorArray(dtype).BYTES_PER_ELEMENT) / 64);
    const sums = scope.alloc(sumsBytes * this.units);
    const arrays = [this.tilePtr, this.tileDesc, this.emptyOffset, this.colIdx, this.values];
    const sizes = [rows, this.tiles, sigma, this.tilesPerUnit, nnz - this.entriesBefore(this.tiles), sumsBytes];
    this.header = scope.header([...sizes, ...arrays.map((array) => array.byteOffset), sums]); // Csr5Header in assembly/
  }

  get stages(): readonly Stage[] {
    return [this];
  }

  get storedEntries(): number {
    return this.nnz;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  get units(): number {
    return Math.ceil((this.tiles + 1) / this.tilesPerUnit);
  }

  workBefore(unit: number): number {
    if (unit === 0) return 0;
    const tile = unit * this.tilesPerUnit;
    return tile > this.tiles ? this.nnz + ROW_WORK * this.rows : this.entriesBefore(tile) + ROW_WORK * this.rowOf(tile);
  }

  /** The row of a tile's first entry; `rows` behind the last. */
  rowOf(tile: number): number {
    return (this.tilePtr[tile]! & ~EMPTY_ROWS) >>> 0;
  }

  /** Whether rows without entries lie between those that end in a tile. */
  hasEmptyRows(tile: number): boolean {
    return this.tilePtr[tile]! >= EMPTY_ROWS;
  }

  /** Where rows end in a lane: bit r for its step r. */
  bitFlag(tile: number, lane: number): number {
    return laneEnds(this.tileDesc, tile, lane);
  }

  /** Rows that end in a tile before a lane. */
  yOffset(tile: number, lane: number): number {
    return (this.tileDesc[DESC_WORDS * tile + OFFSETS]! >>> (8 * lane)) & 63;
  }

  /** Lanes right behind a lane in which no row ends. */
  segOffset(tile: number, lane: number): number {
    return (this.tileDesc[DESC_WORDS * tile + OFFSETS]! >>> (8 * lane + 6)) & 3;
  }

  private entriesBefore(tile: number): number {
    return OMEGA * this.sigma * tile;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { sigma, tiles, colIdx, values } = this;
    for (let tile = 0; tile < tiles; tile++) {
      for (let lane = 0; lane < OMEGA; lane++) {
        const ends = this.bitFlag(tile, lane);
        let ended = this.yOffset(tile, lane);
        for (let step = 0; step < sigma; step++) {
          const k = this.entriesBefore(tile) + OMEGA * step + lane;
          visit(this.endedRow(tile, ended), colIdx[k]!, values[k]!);
          ended += (ends >>> step) & 1;
        }
      }
    }
    let ended = 0;
    for (let k = this.entriesBefore(tiles), bit = 0; k < this.nnz; k++, bit++) {
      visit(this.endedRow(tiles, ended), colIdx[k]!, values[k]!);
      ended += (this.tileDesc[DESC_WORDS * tiles + (bit >>> 5)]! >>> (bit & 31)) & 1;
    }
  }

  /** The row that ends in a tile after `ended` others; where no more end, the one that goes on in the next tile. */
  private endedRow(tile: number, ended: number): number {
    if (ended === endsOf(this.tileDesc, tile)) return this.rowOf(tile + 1);
    const from = this.tileDesc[DESC_WORDS * tile + EMPTY_FROM]!;
    return this.rowOf(tile) + (this.hasEmptyRows(tile) ? this.emptyOffset[from + ended]! : ended);
  }

  cost(): Cost {
    const { tilePtr, tileDesc, emptyOffset, colIdx, values } = this;
    const matrix = [tilePtr, tileDesc, emptyOffset, colIdx, values].reduce((sum, array) => sum + array.byteLength, 0);
    const vectors = vectorArray(this.dtype).BYTES_PER_ELEMENT * (this.rows + this.cols);
    return { bytes: matrix + vectors, flops: 2 * this.nnz };
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }
}

/** Where rows end in a lane of a tile, as 16 bits. */
function laneEnds(tileDesc: Uint32Array, tile: number, lane: number): number {
  return (tileDesc[DESC_WORDS * tile + (lane >> 1)]! >>> (16 * (lane & 1))) & 0xffff;
}

/** Rows that end in a tile. */
function endsOf(tileDesc: Uint32Array, tile: number): number {
  return bitCount(tileDesc[DESC_WORDS * tile]!) + bitCount(tileDesc[DESC_WORDS * tile + 1]!);
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Fills tilePtr and the flags: one step per row. */
function markEnds({ rows, nnz, rowPtr }: CsrMatrix, sigma: number, tilePtr: Uint32Array, tileDesc: Uint32Array): void {
  const size = OMEGA * sigma;
  const tail = tilePtr.length - 1;
  const bits = Uint8Array.from({ length: size }, (_, k) => 16 * Math.floor(k / sigma) + (k % sigma));
  let tile = -1;
  let tileEnd = 0;
  let expected = 0; // the row that comes next where none is empty
  for (let i = 0; i < rows; i++) {
    const end = rowPtr[i + 1]!;
    if (end === rowPtr[i]) continue;
    for (; tileEnd < end; tileEnd += size) {
      tilePtr[++tile] = i;
      expected = i;
    }
    if (i !== expected) tilePtr[tile]! |= EMPTY_ROWS;
    expected = i + 1;
    const place = end - 1 - (tileEnd - size);
    const bit = tile === tail ? place : bits[place]!;
    tileDesc[DESC_WORDS * tile + (bit >>> 5)]! |= 1 << (bit & 31);
  }
  if (tail * size === nnz) tilePtr[tail] = rows;
}

/** Fills the other two words of each description, from its flags; returns the length of emptyOffset. */
function countEnds(tilePtr: Uint32Array, tileDesc: Uint32Array): number {
  let offsets = 0;
  for (let tile = 0; tile < tilePtr.length; tile++) {
    let packed = 0;
    let ended = 0;
    for (let lane = 0; lane < OMEGA; lane++) {
      let behind = lane + 1;
      while (behind < OMEGA && laneEnds(tileDesc, tile, behind) === 0) behind++;
      packed |= (ended | ((behind - lane - 1) << 6)) << (8 * lane);
      ended += bitCount(laneEnds(tileDesc, tile, lane));
    }
    tileDesc[DESC_WORDS * tile + OFFSETS] = packed;
    if (tilePtr[tile]! < EMPTY_ROWS) continue;
    tileDesc[DESC_WORDS * tile + EMPTY_FROM] = offsets;
    offsets += ended;
  }
  return offsets;
}

/** The rows that end in tiles with empty rows between them, counted from the tile's first row. */
function placeEmptyOffset(
  scope: HeapScope,
  { rowPtr }: CsrMatrix,
  length: number,
  { tilePtr, tileDesc }: Tiles,
): Uint32Array {
  const emptyOffset = scope.array(Uint32Array, length);
  let at = 0;
  for (let tile = 0; tile < tilePtr.length; tile++) {
    if (tilePtr[tile]! < EMPTY_ROWS) continue;
    const first = tilePtr[tile]! - EMPTY_ROWS;
    for (let row = first, left = endsOf(tileDesc, tile); left > 0; row++) {
      if (rowPtr[row] === rowPtr[row + 1]) continue;
      emptyOffset[at++] = row - first;
      left--;
    }
  }
  return emptyOffset;
}

/** The entries of each tile with the steps of its lanes side by side; those of the tail as they are. */
function transpose(csr: CsrMatrix, sigma: number, colIdx: Uint32Array, values: FloatArray): void {
  const size = OMEGA * sigma;
  const { colIdx: cols, values: reals, nnz } = csr;
  let tile = 0;
  for (; tile + size <= nnz; tile += size) {
    for (let step = 0; step < sigma; step++) {
      const to = tile + OMEGA * step;
      for (let lane = 0, from = tile + step; lane < OMEGA; lane++, from += sigma) {
        colIdx[to + lane] = cols[from]!;
        values[to + lane] = reals[from]!;
      }
    }
  }
  colIdx.set(cols.subarray(tile), tile);
  values.set(reals.subarray(tile), tile);
}

const parameters = {
  sigma: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: MAX_SIGMA,
    doc: 'entries per lane and tile; 0: by entries per row',
  },
} as const;

export const csr5: Format = {
  name: 'csr5',
  summary: 'tiles of 4 × σ entries with segmented sums',
  source: 'Liu & Vinter 2015',
  suits: 'short rows of uneven length',
  parameters,
  variants: ['csr5', 'csr5?sigma=4'],
  fromCsr(heap, matrix, dtype, given) {
    const resolved = resolveParameters('csr5', parameters, given);
    const sigma = resolved.sigma === 0 ? sigmaFor(matrix) : resolved.sigma;
    const spec = formatSpec('csr5', parameters, { sigma });
    return heap.build((scope) => new StoredCsr5(scope, matrix, dtype, sigma, spec));
  },
};

function sigmaFor(_matrix: CsrMatrix): number {
  return MAX_SIGMA;
}
