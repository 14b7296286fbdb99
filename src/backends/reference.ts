/**
 * The reference: plain TypeScript over the entries that a format reports, with sums in f64. It shares no code with the
 * kernels, so a kernel that agrees with it agrees with the format's description of its layout. It allocates memory and
 * is slow.
 */
import type { StoredMatrix, Verb } from '../formats/format.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { Backend } from './backend.js';
import type { Plan } from './plan.js';

/** @param space the heap */
export function createReference(space: Space): Backend {
  return { space, onDevice: false, model: undefined, plan: planReference, computes: () => true };
}

function planReference(matrix: StoredMatrix, verb: Verb): Plan {
  const isTransposed = verb === 'spmv_t';
  return {
    backend: 'reference',
    threads: 1,
    parts: 1,
    setupMs: 0,
    setupBytes: 0,
    run({ data: x, columns, stride }: Vector, { data: y }: Vector, alpha: number, beta: number): void {
      for (let j = 0; j < columns; j++) {
        const sums = new Float64Array(isTransposed ? matrix.cols : matrix.rows);
        matrix.forEachEntry((row, col, value) => {
          if (isTransposed) sums[col]! += value * x[row * stride + j]!;
          else sums[row]! += value * x[col * stride + j]!;
        });
        sums.forEach((sum, row) => {
          const i = row * stride + j;
          y[i] = beta === 0 ? alpha * sum : alpha * sum + beta * y[i]!;
        });
      }
    },
    [Symbol.dispose]() {},
  };
}
