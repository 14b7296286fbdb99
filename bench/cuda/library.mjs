/** The benchmark's use of the library on a device; only this file depends on it. */
import { planCuda } from '#dist/backends/cuda.js';
import { createEngine } from '#dist/index.node.js';

/** With one thread: many of these processes share the cores, and products run on the device. */
export function openEngine() {
  return createEngine({ device: 'cuda', threads: 1 });
}

/** x and y on the device. */
export function vectorsOf(engine, { rows }, x, dtype) {
  const type = dtype === 'f32' ? 'f32' : 'f64';
  return { x: engine.deviceVector(x, type), y: engine.deviceVector(rows, type) };
}

/**
 * Like the `open` of a peer in `peers/index.mjs`, except for `product`, which returns y. An empty `method` is the
 * default one; `others` are the other methods of its kernels.
 */
export function openProduct(engine, matrix, { format, method, dtype }, { x, y }) {
  const asked = { ...(method === '' ? {} : { method }), ...(format === 'auto' ? { products: 'many' } : {}) };
  const operator = engine.operator(matrix, { format, dtype, ...asked });
  const { plan, matrix: stored } = operator;
  const chosen = plan.methods.map((one) => one.split('?')[0]);
  const known = stored.stages.flatMap(({ kernel }) => engine.device.methodsOf(kernel).map(({ name }) => name));
  return {
    ...{ format: stored.spec, method: plan.methods.join(' + '), bytes: stored.cost().bytes },
    ...{ setupMs: operator.setupMs, planMs: plan.setupMs, planBytes: plan.setupBytes },
    others: [...new Set(known)].filter((name) => !chosen.includes(name)),
    async product() {
      y.fill(Number.NaN);
      operator.apply(x, y);
      return y.toArray();
    },
    async time(repetitions, { cold = false } = {}) {
      return plan.time(x, y, repetitions, cold);
    },
    async close() {
      operator.dispose();
    },
  };
}

/** A matrix stored once, to be multiplied by several methods of its kernel: `open(method)` returns the same as `openProduct`. */
export function openLayout(engine, matrix, { format, dtype }, { x, y }) {
  const operator = engine.operator(matrix, { format, dtype });
  return {
    open(method) {
      const plan = planCuda(engine.device, engine.heap, operator.matrix, method === '' ? {} : { method });
      return {
        method: plan.methods.join(' + '),
        async product() {
          plan.queue(x, y.fill(Number.NaN), 1, 0);
          return y.toArray();
        },
        async time(repetitions, { cold = false } = {}) {
          return plan.time(x, y, repetitions, cold);
        },
        close: () => plan[Symbol.dispose](),
      };
    },
    close: () => operator.dispose(),
  };
}
