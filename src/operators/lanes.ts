/** Vectors for trials, and products with them. */
import { type Backend, blockVerb, isOnDevice } from '../backends/backend.js';
import type { Plan } from '../backends/plan.js';
import { partsOf, type RankedFormat } from '../choice/choose.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import { type Dtype, vectorArray } from '../core/types.js';
import { type BlockSums, layoutName, type StoredMatrix } from '../formats/format.js';
import { Vector } from '../memory/vector.js';
import { median, time, turn } from './turns.js';

/** On a device a turn has so many products, each with empty caches, and their median counts: what else a program computes leaves nothing of A there. */
const COLD_PRODUCTS = 5;

/** Memory for x and y, and the products with them, which are disposed with it. */
export interface TimingLanes extends Disposable {
  /** Products of a matrix on the threads of the format. */
  product(stored: StoredMatrix, format: RankedFormat): Product;
}

export interface Product extends Disposable {
  /** The names of its kernels. */
  readonly kernels: string;
  /** Computes some products, and returns the milliseconds of one. */
  time(): number;
}

export interface LaneOptions {
  /** Columns of the blocks of vectors that are multiplied. Default 1. */
  readonly columns?: number;
  /** The part of a matrix that is multiplied, from which follow the times of all of it. A slice is read from memory each time. Default 1. */
  readonly share?: number;
  /** As in `OperatorOptions`. Default `single`. */
  readonly blockSums?: BlockSums;
}

/**
 * Products of a backend.
 *
 * @param matrix whose size x and y have
 * @throws SparlaneError `heap` if x and y do not fit */
export function createLanes(
  backend: Backend,
  { rows, cols }: CsrMatrix,
  dtype: Dtype,
  { columns: wanted = 1, share = 1, blockSums = 'single' }: LaneOptions = {},
): TimingLanes {
  const { space } = backend;
  // On a device formats are compared by products of vectors.
  const columns = backend.onDevice ? 1 : wanted;
  return assemble((owned) => {
    const x = owned.own(new Vector(space, vectorArray(dtype), cols, undefined, columns)).fill(1);
    const y = owned.own(new Vector(space, vectorArray(dtype), rows, undefined, columns));
    const plans = new Set<Plan>();
    return {
      product(stored, format) {
        const verb = columns === 1 ? 'spmv' : blockVerb(backend, stored, blockSums)!;
        const plan = backend.plan(stored, verb, { ...partsOf(format), columns, patient: true });
        plans.add(plan);
        const queue = () => plan.run(x, y, 1, 0);
        return {
          kernels: stored.stages[verb]?.map(({ kernel }) => layoutName(kernel)).join() ?? stored.spec,
          time() {
            if (isOnDevice(space)) return median([...space.time(queue, COLD_PRODUCTS, true)]);
            if (share < 1) return time(queue) / share;
            return turn((count) => {
              for (let k = 0; k < count; k++) queue();
            });
          },
          [Symbol.dispose]() {
            if (plans.delete(plan)) plan[Symbol.dispose]();
          },
        };
      },
      [Symbol.dispose]() {
        for (const plan of plans) plan[Symbol.dispose]();
        owned[Symbol.dispose]();
      },
    };
  });
}
