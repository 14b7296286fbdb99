/**
 * The GPUs of an engine, and all that it does with them. The engine knows this class by its type only: it comes in with the
 * platform (`create-engine.node.ts`), so that a page, which has no GPUs of this kind, carries none of it.
 */
import { type CudaDevice, type CudaPlanOptions, planCuda } from '../backends/cuda.js';
import type { Plan } from '../backends/plan.js';
import type { WasmContext } from '../backends/wasm.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type Dtype, type FloatArray, type FloatArrayConstructor, vectorArray } from '../core/types.js';
import type { StoredMatrix } from '../formats/format.js';
import { DeviceVector } from '../memory/device.js';
import { DeviceScalar } from '../memory/device-scalar.js';
import type { Heap } from '../memory/heap.js';
import { type Halves, type HybridOptions, storeHybrid } from './hybrid.js';
import type { Lanes } from './measure.js';
import { type Distribution, partitionRows, planSplit, SplitMatrix } from './split.js';

export class Gpus implements Disposable {
  readonly devices: readonly CudaDevice[];

  /** The devices are its from here on. */
  constructor(devices: readonly CudaDevice[]) {
    this.devices = devices;
  }

  /** Where vectors live. */
  get #first(): CudaDevice {
    return this.devices[0]!;
  }

  /** A copy of numbers. @throws SparlaneError `heap` where it does not fit */
  vector<A extends FloatArray>(type: FloatArrayConstructor, source: ArrayLike<number>): DeviceVector<A> {
    return new DeviceVector<A>(this.#first, type, source.length).set(source);
  }

  scalar(value: number): DeviceScalar {
    return new DeviceScalar(this.#first, value);
  }

  /** Partitions the rows of a matrix over the devices. @param store lays out the rows of a part */
  split(matrix: CsrMatrix, distribution: Distribution, store: (rows: CsrMatrix) => StoredMatrix): StoredMatrix {
    return new SplitMatrix(matrix, partitionRows(matrix, this.devices.length, distribution), store);
  }

  /** Of a matrix as it was laid out, split or not. @throws SparlaneError as `planCuda` */
  plan(heap: Heap, stored: StoredMatrix, options: CudaPlanOptions): Plan {
    if (stored instanceof SplitMatrix) return planSplit(this.devices, heap, stored, options);
    return planCuda(this.#first, heap, stored, options);
  }

  /** Shares a matrix with the CPU; see `storeHybrid`. */
  shareWithCpu(
    context: WasmContext,
    matrix: CsrMatrix,
    store: (rows: CsrMatrix, part: number) => StoredMatrix,
    options: HybridOptions,
  ): Halves {
    return storeHybrid(context, this.#first, matrix, store, options);
  }

  /** To measure formats on the first device. @throws SparlaneError `heap` where x and y do not fit there */
  lanes(heap: Heap, { rows, cols }: CsrMatrix, dtype: Dtype): Lanes {
    const device = this.#first;
    return assemble((owned) => {
      const x = owned.own(new DeviceVector(device, vectorArray(dtype), cols)).fill(1);
      const y = owned.own(new DeviceVector(device, vectorArray(dtype), rows));
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
