/** The suite of `sparlane tune --device cuda`: matrices of row densities from 2 to 128 in the heap, multiplied by the paper's kernels. */
import type { DeviceBackend } from '../backends/backend.js';
import { compareProduct, expectedProduct } from '../conformance/expected.js';
import { sampleVector } from '../conformance/matrices.js';
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { assemble } from '../core/owned.js';
import { type Dtype, vectorArray } from '../core/types.js';
import type { StoredCsrk } from '../formats/csrk/csrk.js';
import { GPU_GROUP_SIZES, type GroupSizes } from '../formats/csrk/sizes.js';
import { runs } from '../formats/layout/column-bases.js';
import { storeMatrix } from '../formats/store.js';
import type { Heap } from '../memory/heap.js';
import { Vector } from '../memory/vector.js';
import { faultAt } from './product.js';
import type { SizableMatrix, SizedProduct } from './tune-sizes.js';

/**
 * By row density, several in each of the paper's cases. Some 8 million entries each, fewer if rows are short: 100 MB in
 * f64, beyond the L2 of an H200 (60 MB). Up to 27 entries per row, there are enough rows for a block on each
 * multiprocessor at all sizes.
 */
export const DEVICE_SUITE: readonly string[] = [
  'gallery:road?nx=1500&ny=1500',
  'gallery:laplace1d3?nx=2000000',
  'gallery:debruijn?order=21',
  'gallery:laplace2d5?nx=1200&ny=1200',
  'gallery:laplace3d7?nx=110&ny=110&nz=110',
  'gallery:laplace2d9?nx=950&ny=950',
  'gallery:banded?rows=650000&perRow=12',
  'gallery:rgg?n=600000&order=grid',
  'gallery:banded?rows=500000&perRow=16',
  'gallery:banded?rows=400000&perRow=20',
  'gallery:laplace2d5?nx=250&ny=250&block=5',
  'gallery:laplace3d27?nx=68&ny=68&nz=68',
  'gallery:qcd?nx=12&ny=12&nz=12&nt=12',
  'gallery:laplace2d5?nx=130&ny=130&block=10',
  'gallery:laplace3d27?nx=32&ny=32&nz=32&block=3',
  'gallery:banded?rows=62500&perRow=128',
];

/** Uncounted products before the timing: the device's clock frequency rises under load. */
const WARM_UP = 20;

/** The paper's choice of GPUSpMV-3 or GPUSpMV-3.5, with the block dimensions of the density's case. */
const METHOD = 'gpuspmv';

/** Converts a matrix once, for all sizes, and verifies a product. @throws SparlaneError `kernel` if it is wrong */
export function openMatrix(
  heap: Heap,
  gpu: DeviceBackend,
  source: string,
  matrix: CsrMatrix,
  dtype: Dtype,
): SizableMatrix {
  return assemble((owned) => {
    const stored = owned.own(storeMatrix(heap, matrix, 'csrk?k=3&values=full', dtype)) as StoredCsrk;
    const numbers = vectorArray(dtype).from(sampleVector(matrix.cols, 'real', 1));
    const x = owned.own(new Vector(gpu.space, vectorArray(dtype), matrix.cols)).set(numbers);
    const y = owned.own(new Vector(gpu.space, vectorArray(dtype), matrix.rows));
    const withSizes = (sizes: GroupSizes): SizedProduct => {
      const plan = planWithSizes(heap, gpu, stored, sizes);
      return {
        time: (repetitions) => gpu.space.time(() => plan.run(x, y, 1, 0), repetitions, true),
        [Symbol.dispose]: () => plan[Symbol.dispose](),
      };
    };
    using plan = planWithSizes(heap, gpu, stored, FIRST);
    plan.run(x, y.fill(Number.NaN), 1, 0);
    const product = y.toArray();
    const expected = expectedProduct(matrix, dtype, numbers, numbers, 1, 0);
    const fault = faultAt(compareProduct(expected, product).firstWrong, product, expected);
    if (fault !== undefined) throw new SparlaneError('kernel', `${source} by ${plan.methods} in ${dtype}: ${fault}`);
    gpu.space.time(() => plan.run(x, y, 1, 0), WARM_UP, false);
    const { rows, nnz } = matrix;
    return { source, dtype, rows, nnz, withSizes, [Symbol.dispose]: () => owned[Symbol.dispose]() };
  });
}

/** The sizes that are verified. */
const FIRST: GroupSizes = { superRowSize: GPU_GROUP_SIZES[0]!, superSuperRowSize: GPU_GROUP_SIZES[0]! };

function planWithSizes(
  heap: Heap,
  gpu: DeviceBackend,
  stored: StoredCsrk,
  sizes: GroupSizes,
): ReturnType<DeviceBackend['plan']> {
  const superRowPtr = runs(stored.rows, sizes.superRowSize);
  const superSuperRowPtr = runs(superRowPtr.length - 1, sizes.superSuperRowSize);
  // After the plan is made, everything is on the device.
  using scope = heap.scope();
  const header = stored.regrouped(scope, { superRowPtr, superSuperRowPtr });
  const { rows, cols, dtype } = stored;
  const spmv = stored.stages.spmv.map((stage) => ({ ...stage, header }));
  return gpu.plan({ rows, cols, dtype, stages: { spmv } }, 'spmv', { method: METHOD });
}
