/**
 * The reference: plain TypeScript over the entries that a format reports, with sums in f64. It shares no code with the
 * kernels, so a kernel that agrees with it agrees with the format's description of its layout. It allocates memory and
 * is slow.
 */
import type { FloatArray } from '../core/types.js';
import type { StoredMatrix } from '../formats/format.js';
import type { Plan } from './plan.js';

export function planReference(matrix: StoredMatrix): Plan {
  return {
    backend: 'reference',
    threads: 1,
    parts: 1,
    setupMs: 0,
    setupBytes: 0,
    run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void {
      const sums = new Float64Array(matrix.rows);
      matrix.forEachEntry((row, col, value) => {
        sums[row]! += value * x[col]!;
      });
      for (let i = 0; i < sums.length; i++) y[i] = beta === 0 ? alpha * sums[i]! : alpha * sums[i]! + beta * y[i]!;
    },
  };
}
