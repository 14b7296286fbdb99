/** "Your matrix": a file is read, drawn, laid out in the format that is chosen, multiplied, checked and timed. */
import type { CsrMatrix } from 'sparlane';
import type { AsyncEngine } from './engine.js';

export interface Examination {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly symmetry: string;
  readonly format: string;
  readonly reason: string;
  readonly candidates: readonly { readonly spec: string; readonly bytesPerEntry: number; readonly productMs: number }[];
  /** The greatest difference between A · 1 and the sums of the rows, relative to Σⱼ |aᵢⱼ|. */
  readonly error: number;
  readonly readMs: number;
  readonly productMs: number;
  readonly csrMs: number;
  readonly gflops: number;
}

/** @param source a file, or `gallery:name?parameters` @throws SparlaneError for a file that cannot be read */
export async function load(source: File | string): Promise<CsrMatrix> {
  const { gallery, parseGalleryUrl, read } = await import('sparlane');
  if (typeof source !== 'string') return read(source);
  const { name, given } = parseGalleryUrl(source);
  return gallery(name, given);
}

export async function examine(engine: AsyncEngine, matrix: CsrMatrix, readMs: number): Promise<Examination> {
  using A = await engine.operator(matrix);
  using csr = await engine.operator(matrix, { format: 'csr' });
  const error = await errorOf(await A.apply(new Float64Array(A.cols).fill(1)), matrix);
  const { medianMs, gflops } = await A.time();
  const { medianMs: csrMs } = await csr.time();
  const { decision } = A.info;
  const { rows, cols, nnz, symmetry } = matrix;
  return {
    ...{ rows, cols, nnz, symmetry, error, readMs, csrMs, gflops },
    format: A.format,
    reason: decision?.reason ?? '',
    candidates: (decision?.ranking ?? []).slice(0, 5).map(({ spec, bytes, productMs }) => {
      return { spec, bytesPerEntry: bytes / Math.max(1, nnz), productMs };
    }),
    productMs: medianMs,
  };
}

async function errorOf(y: ArrayLike<number>, matrix: CsrMatrix): Promise<number> {
  const { normsOf, sumsOf } = await import('sparlane');
  const sums = sumsOf(matrix, 'rows');
  const sizes = normsOf(matrix, 'rows', 'one');
  return sums.reduce((most, sum, i) => Math.max(most, Math.abs(sum - y[i]!) / (sizes[i]! || 1)), 0);
}

/** Cells of the longer side of a spy picture. */
const CELLS = 240;

/** Draws where the entries are: a cell is the darker the more entries it has, on a logarithmic scale. */
export function drawSpy(canvas: HTMLCanvasElement, { rows, cols, rowPtr, colIdx }: CsrMatrix): void {
  const side = Math.max(1, Math.ceil(Math.max(rows, cols) / CELLS));
  const width = Math.max(1, Math.ceil(cols / side));
  const height = Math.max(1, Math.ceil(rows / side));
  const counts = new Uint32Array(width * height);
  for (let i = 0; i < rows; i++) {
    const line = Math.floor(i / side) * width;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) counts[line + Math.floor(colIdx[k]! / side)]!++;
  }
  const most = counts.reduce((max, count) => Math.max(max, count), 1);
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d')!;
  context.fillStyle = getComputedStyle(canvas).color;
  for (const [cell, count] of counts.entries()) {
    if (count === 0) continue;
    context.globalAlpha = most === 1 ? 1 : 0.3 + (0.7 * Math.log(count)) / Math.log(most);
    context.fillRect(cell % width, Math.floor(cell / width), 1, 1);
  }
}
