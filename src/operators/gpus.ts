/**
 * The GPUs of an engine, and all operations with them. The engine imports only the type of this class. The object comes
 * with the platform (`create-engine.node.ts`), so a page, which has no CUDA, does not load this code.
 */
import { type CudaDevice, type CudaPlanOptions, planCuda } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import type { WasmContext } from '../backends/wasm.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type Dtype, type FloatArray, type FloatArrayConstructor, vectorArray } from '../core/types.js';
import type { StoredMatrix } from '../formats/format.js';
import type { Heap } from '../memory/heap.js';
import { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import { type Halves, type HybridOptions, storeHybrid } from './hybrid.js';
import type { Lanes } from './measure.js';
import { type Distribution, partitionRows, planSplit, SplitMatrix } from './split.js';

export class Gpus implements Disposable {
  readonly devices: readonly CudaDevice[];

  /** Takes ownership of the devices. */
  constructor(devices: readonly CudaDevice[]) {
    this.devices = devices;
  }

  /** The device that holds vectors. */
  get #first(): CudaDevice {
    return this.devices[0]!;
  }

  /** A copy of numbers. @throws SparlaneError `heap` if it does not fit */
  vector<A extends FloatArray>(type: FloatArrayConstructor, source: ArrayLike<number>): Vector<A> {
    return new Vector<A>(this.#first, type, source.length).set(source);
  }

  scalar(value: number): Scalar {
    return new Scalar(this.#first, value);
  }

  /** Partitions the rows of a matrix over the devices. @param store stores the rows of a part */
  split(matrix: CsrMatrix, distribution: Distribution, store: (rows: CsrMatrix) => StoredMatrix): StoredMatrix {
    return new SplitMatrix(matrix, partitionRows(matrix, this.devices.length, distribution), store);
  }

  /** The plan of a stored matrix, split or not. @throws SparlaneError as `planCuda` */
  plan(heap: Heap, stored: StoredMatrix, options: CudaPlanOptions): Plan {
    if (stored instanceof SplitMatrix) return planSplit(this.devices, heap, stored, options);
    return planCuda(this.#first, heap, stored, options);
  }

  /** Divides a matrix between GPU and CPU; see `storeHybrid`. */
  shareWithCpu(
    context: WasmContext,
    matrix: CsrMatrix,
    store: (rows: CsrMatrix, part: number) => StoredMatrix,
    options: HybridOptions,
  ): Halves {
    return storeHybrid(context, this.#first, matrix, store, options);
  }

  /** For measurements of formats on the first device. @throws SparlaneError `heap` if x and y do not fit there */
  lanes(heap: Heap, { rows, cols }: CsrMatrix, dtype: Dtype): Lanes {
    const device = this.#first;
    return assemble((owned) => {
      const x = owned.own(new Vector(device, vectorArray(dtype), cols)).fill(1);
      const y = owned.own(new Vector(device, vectorArray(dtype), rows));
      return {
        product(stored) {
          const plan = owned.own(planCuda(device, heap, stored));
          return () => {
            plan.queue(x, y, 1, 0);
            device.synchronize();
          };
        },
        [Symbol.dispose]: () => owned[Symbol.dispose](),
      };
    });
  }

  dispose(): void {
    for (const device of this.devices) device.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
