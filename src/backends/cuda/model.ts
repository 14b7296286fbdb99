/**
 * The time of a product on a GPU: a sum over what the kernel does, each with its cost in nanoseconds on this device, times a factor of the kernel. The backend of the
 * device has both, fitted to measured times (`bench/fit-device.mjs`).
 *
 * Bytes and gathers are bound by the memory of the device, and what remains by latency: most matrices are small for a GPU.
 * A kernel takes 6 µs with cold caches for a single chain of row, column, x and y. A thread that reads its row in several
 * batches, one after the other, waits as often for two more reads. A further kernel costs another start.
 */

import { type Dtype, vectorArray } from '../../core/types.js';
import type { Features } from '../../features/features.js';
import { PANEL_ROWS } from '../../formats/bsr/panels.js';
import type { Prospect } from '../../formats/format.js';
import { prospectsOf } from '../../formats/registry.js';
import type { DeviceCosts, DeviceModel, DeviceWork } from '../backend.js';

/** The kernel at the begin of the name of a layout. */
const BASE = /^(csr5|csr_merge|[a-z]+)/;

/** @param has whether a device has a kernel, by its name. Default: it has all */
export function modelOf(costs: DeviceCosts, has: (base: string) => boolean = () => true): DeviceModel {
  return {
    costs,
    prospectsOf: (examined, dtype, options) =>
      prospectsOf(examined, dtype, { ...options, onDevice: true }).filter(({ kernel }) => has(BASE.exec(kernel)![0])),
    predictNs: (features, prospect, dtype, patient) => predictOnDeviceNs(costs, features, prospect, dtype, patient),
  };
}

/** Undefined for a kernel that was never measured. */
function predictOnDeviceNs(
  costs: DeviceCosts,
  features: Features,
  prospect: Prospect,
  dtype: Dtype,
  patient?: boolean,
): number | undefined {
  const factor = costs.kernels[kernelOnDevice(costs, features, prospect)];
  if (factor === undefined) return undefined;
  const work = workOnDevice(costs, features, prospect, dtype, patient);
  let ns = 0;
  for (const key of Object.keys(work) as (keyof DeviceWork)[]) ns += costs.work[key] * work[key];
  return factor * ns * (hasHubs(features) && !/^csr(k|_|$)/.test(prospect.kernel) ? WITHOUT_HUBS : 1);
}

/** In CSR only, columns with many of the entries may be in shared memory (`cuda/csr/hubs.cu`). From these numbers on it is expected to pay. Chosen. */
const HUB_ENTRIES = 3e6;
const HUB_SCATTERED = 0.05;

/**
 * R-MAT of 39 million entries takes 205 µs in CSR, f64, 262 to 285 in COO, CSR5 and SELL, and 167, 233 to 252 in f32 (H200, November 2026,
 * `bench/cuda/run.mjs`), where the sums of costs are 0.6 of that.
 */
const WITHOUT_HUBS = 1.65;

/** Whether there seem to be such columns: long rows are a sign of them in a graph. */
function hasHubs({ rows, nnz, scattered, lengthVariance }: Features): boolean {
  return nnz >= HUB_ENTRIES && scattered > HUB_SCATTERED && lengthVariance > (nnz / rows) ** 2;
}

/** Names the layout of the kernel, and whether several threads share a row: the key of its factor. */
export function kernelOnDevice({ threads }: DeviceCosts, features: Features, { kernel, entries }: Prospect): string {
  return kernel.startsWith('sell') && splitWidth(threads, features.rows, entries) > 1 ? `${kernel} split` : kernel;
}

/** How often a kernel does what has a cost. `patient`: as in `PlanOptions`. */
export function workOnDevice(
  { threads }: DeviceCosts,
  features: Features,
  prospect: Prospect,
  dtype: Dtype,
  patient = true,
): DeviceWork {
  const { rows, nnz, adjacent, reach, empty } = features;
  const { bytes, entries, launches = 0, permuted = false } = prospect;
  const isClustered = patient && hasClusters(features, prospect);
  const apart = isClustered ? 1 - features.clustering : 1;
  const scattered = features.scattered * (isClustered ? apart : (prospect.scattered ?? 1)) * nnz;
  const outside = beyond(reach * vectorArray(dtype).BYTES_PER_ELEMENT, L1_BYTES);
  const { batches, pieces } = chainOf(threads, features, prospect);
  return {
    ...{ start: 1, byte: bytes + extraBytes(features, prospect, dtype), entry: entries, batch: batches },
    permutedRow: permuted || isClustered ? rows : 0,
    scattered,
    far: apart * (1 - adjacent) * nnz * outside,
    launch: launches + pieces,
    empty: empty > 0 ? 1 : 0,
    fill: Math.min(1, bytes / FILLING_BYTES),
    gathers: Math.min(1, (apart * features.scattered * nnz) / FILLING_GATHERS),
  };
}

/** As in `cuda/csr/packing.cuh`: columns of the windows of a tile, and entries from which columns of a tile get 16 bits if they are in these. */
const WINDOWS_COLUMNS = 65536;
const NARROW_ENTRIES = 1e5;
/** Tiles of matrices with fewer scattered gathers are in few windows, if far from each other (60 of 65 matrices, H200, 23 November 2026). */
const NARROW_SCATTERED = 0.055;

/** Bytes that kernels read in addition to those of the layout. */
function extraBytes(features: Features, { kernel }: Prospect, dtype: Dtype): number {
  return columnBytes(features, kernel) + lostBytes(features, kernel, dtype);
}

/** The kernels of CSR choose the width of columns themselves. */
function columnBytes({ nnz, reach, scattered }: Features, kernel: string): number {
  if (!/^csr(k16)?(_table|_pattern)?$/.test(kernel)) return 0;
  const isNarrow = nnz >= NARROW_ENTRIES && (reach <= WINDOWS_COLUMNS || scattered < NARROW_SCATTERED);
  return 2 * nnz * ((isNarrow ? 0 : 1) - (kernel.startsWith('csrk16') ? 0 : 1));
}

/**
 * Where a row fills a tile, lines of x that it shares with other rows alone are read again from L2, or from memory if L2 is smaller than x. SELL computes
 * neighbouring rows side by side. The 6,000 rows of a transport problem, of 3,000 entries each, half of them 3,000 columns apart, take 155 µs in CSR and
 * 84 in SELL (H200, f64, November 2026).
 */
function lostBytes({ rows, cols, nnz, apart, scattered }: Features, kernel: string, dtype: Dtype): number {
  if (nnz < TILE_ENTRIES * rows || kernel.startsWith('sell')) return 0;
  const lost = beyond(cols * vectorArray(dtype).BYTES_PER_ELEMENT, L2_BYTES);
  return SECTOR_BYTES * lost * Math.max(0, apart - scattered) * nnz;
}

/**
 * So many bytes or scattered gathers fill a GPU with some waves of blocks: 3 or 30 MB, 300 thousand or 3 million gathers are no better. (H200, 22 November
 * 2026, `bench/judge.mjs`.)
 */
const FILLING_BYTES = 1e7;
const FILLING_GATHERS = 1e6;

/**
 * As in `cuda/csr/costs.cuh`, where sectors are counted: gathers that each row must save, since it costs as much in another order. On even seeds that were not
 * fitted to, it lowers the worst regrets of large matrices, 95 % from 26 to 23 % (H200, 23 November 2026, 758 matrices, four folds).
 */
const CLUSTERED_ENTRIES = { least: 1e5, most: 2 ** 25 };
const MOVED_ROW = 2.2;

/** Whether a patient plan seems to grow the tiles along the graph. */
function hasClusters({ rows, nnz, scattered, clustering }: Features, { kernel }: Prospect): boolean {
  if (!OF_TILES.test(kernel) || kernel.startsWith('csrk16')) return false;
  return (
    nnz >= CLUSTERED_ENTRIES.least && nnz <= CLUSTERED_ENTRIES.most && scattered * clustering * nnz >= MOVED_ROW * rows
  );
}

/** Kernels of CSR by tiles. */
const OF_TILES = /^csr(k|_(table|pattern)|$)/;

/** Of a multiprocessor, with half of it for the stream of entries. */
const L1_BYTES = 128 * 1024;

/** L2 of an H100 and of an H200 has so many bytes, says NVIDIA. */
const L2_BYTES = 50 * 2 ** 20;
/** L2 is read by sectors of so many bytes, as `cuda/sectors.cuh` counts them. */
const SECTOR_BYTES = 32;

/** The share of gathers that miss a cache of the given size, from 0 to 1: one half if both have the same size. */
function beyond(size: number, cacheSize: number): number {
  const ratio = (size / cacheSize) ** 2;
  return ratio / (1 + ratio);
}

/**
 * The kernel of SELL takes as many threads for a row as it expects to be fastest (`cuda/sell/costs.cuh`). This is about where: columns of a thread of a row that
 * is split; columns of a row that is split only if rows are few; threads that may be used for each one that is resident; columns of a batch of an unsplit row.
 */
const THREAD_COLUMNS = 8;
const BATCH_COLUMNS = 14;
const FEW_ROWS_SHARE = 1 / 16;
const THREADS_ROOM = 1.1;
const ROW_BATCH = 7;

/** As in `cuda/sell`: columns of a batch of a row that is split; the most threads of a row; columns of a thread above which a row is cut. */
const SPLIT_BATCH = 8;
const MOST_SPLIT = 32;
const LONG_COLUMNS = 64;
const LONG_SHARE = 1.25;

/** As in `cuda/inode/inode.cu`: lanes of a group of rows, columns of a batch, and values of a group that is cut. */
const GROUP_LANES = 8;
const GROUP_BATCH = 9;
const LONG_VALUES = 1024;

/** As in `cuda/dia/dia.cu`. */
const DIAGONAL_BATCH = 9;

/**
 * As in `cuda/bsr/k1.cuh` and `cuda/bsr/bsr.cu`: blocks of a batch, of the large sizes the fewest, and batches of a block row that is cut, if it has twice as
 * many. Predicted sizes are not whole.
 */
const SMALL_BLOCK = 4.5;
const BATCH_OF_SMALL = 6;
const BATCH_OF_LARGE = 3;
const BATCHES_KEPT = 8;

/** Batches of the busiest thread, and kernels for rows that are cut. */
function chainOf(threads: number, { rows, nnz, longestRow }: Features, prospect: Prospect) {
  const { kernel, entries, steps = 0 } = prospect;
  const rest = steps > 0 ? 1 : 0;
  if (kernel.startsWith('sell')) {
    const width = splitWidth(threads, rows, entries);
    const long = Math.max(LONG_COLUMNS * width, (LONG_SHARE * entries) / Math.max(rows, 1));
    const batch = width > 1 ? SPLIT_BATCH : ROW_BATCH;
    return {
      batches: Math.ceil(Math.min(longestRow, long) / width / batch),
      pieces: rest + (longestRow > long ? 1 : 0),
    };
  }
  if (kernel === 'inode') {
    const height = Math.min(PANEL_ROWS, nnz / Math.max(steps, 1));
    const parts = Math.max(1, Math.floor(GROUP_LANES / height));
    const columns = Math.min(longestRow, LONG_VALUES / height);
    return { batches: Math.ceil(columns / parts / GROUP_BATCH), pieces: longestRow * height > LONG_VALUES ? 1 : 0 };
  }
  if (kernel === 'dia') return { batches: Math.ceil(entries / Math.max(rows, 1) / DIAGONAL_BATCH), pieces: 0 };
  if (kernel === 'bsr_unrolled') {
    const blockSize = Math.sqrt(entries / Math.max(steps, 1));
    const blocks = (longestRow * entries) / Math.max(nnz, 1) / blockSize;
    const batches = Math.ceil(blocks / (blockSize < SMALL_BLOCK ? BATCH_OF_SMALL : BATCH_OF_LARGE));
    if (batches <= 2 * BATCHES_KEPT) return { batches: Math.min(batches, BATCHES_KEPT), pieces: 0 };
    return { batches: BATCHES_KEPT + batches / BATCHES_KEPT / FOLDED, pieces: 1 };
  }
  const tile = Math.min(TILE_ENTRIES, Math.max(SMALLEST_TILE, nnz / (threads / TILE_THREADS)));
  const isCut = kernel.startsWith('csr') && longestRow > tile;
  return { batches: Math.log2(1 + longestRow / WARP_ENTRIES), pieces: isCut ? 1 : 0 };
}

/** Entries of a tile in `cuda/csr/tiles.cuh`, of which a small matrix has two for each multiprocessor: longer rows are cut. */
const TILE_ENTRIES = 2048;
const SMALLEST_TILE = 512;
const TILE_THREADS = 1024;

/** Sums of pieces that are added in the time of a batch. */
const FOLDED = 64;

/** Entries that a warp reads at once. */
const WARP_ENTRIES = 128;

/** Threads per row of SELL. */
function splitWidth(threads: number, rows: number, entries: number): number {
  const columns = entries / Math.max(rows, 1);
  if (columns <= THREAD_COLUMNS || (columns <= BATCH_COLUMNS && rows > FEW_ROWS_SHARE * threads)) return 1;
  const wanted = Math.log2(Math.ceil(columns / THREAD_COLUMNS));
  const isSmall = 2 * rows * 2 ** Math.ceil(wanted) <= THREADS_ROOM * threads;
  const most = Math.min(Math.max((THREADS_ROOM * threads) / rows, 1), MOST_SPLIT);
  return 2 ** Math.min(isSmall ? Math.ceil(wanted) : Math.floor(wanted), Math.floor(Math.log2(most)));
}
