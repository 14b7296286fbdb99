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

/** Pixels of the sides of a spy picture. */
const SPY_PIXELS = 480;

/** Draws where the entries are, in the colours of the page. */
export async function drawSpy(canvas: HTMLCanvasElement, matrix: CsrMatrix): Promise<void> {
  const { spy } = await import('sparlane/pictures');
  canvas.width = SPY_PIXELS;
  canvas.height = SPY_PIXELS;
  const isDark = document.documentElement.classList.contains('dark');
  spy(matrix, { as: 'canvas', canvas, scheme: isDark ? 'dark' : 'light' });
}
