/** The benchmark's use of the library on a device; only this file depends on it. */
import { parseSpec } from '../../dist/core/parameters.js';
import { createEngine } from '../../dist/index.node.js';

/** With one thread: many of these processes share the cores, and products run on the device. */
export function openEngine() {
  return createEngine({ device: 'cuda', threads: 1 });
}

/** x and y on the device. */
export function vectorsOf(engine, { rows }, x, dtype) {
  return { x: engine.vector(x, { dtype }), y: engine.vector(rows, { dtype }) };
}

/**
 * Like the `open` of a peer in `peers/index.mjs`, except for `product`, which returns y. An empty `method` is the
 * default one; `others` are the other methods of its kernels.
 */
export function openProduct(engine, matrix, { format, method, dtype }, { x, y }) {
  // What is chosen in constant time: trials here would be disturbed by other processes.
  const auto = format === 'auto' ? { products: 'many', tune: false } : {};
  const asked = { ...(method === '' ? {} : { method }), ...auto };
  const operator = engine.operator(matrix, { format, dtype, patient: true, ...asked });
  const { plan, matrix: stored } = operator;
  const chosen = plan.methods.map((one) => parseSpec('method', one).name);
  const known = engine.gpus[0].methodsOf(stored).map(({ name }) => name);
  return {
    ...{ format: stored.spec, method: plan.methods.join(' + '), bytes: stored.cost().bytes },
    ...{ setupMs: operator.setupMs, planMs: plan.setupMs, planBytes: plan.setupBytes, estimates: plan.estimates },
    others: [...new Set(known)].filter((name) => !chosen.includes(name)),
    async product() {
      y.fill(Number.NaN);
      operator.apply(x, y);
      return y.toArray();
    },
    async time(repetitions, { cold = false } = {}) {
      return engine.gpus[0].space.time(() => operator.apply(x, y), repetitions, cold);
    },
    async close() {
      operator.dispose();
    },
  };
}

/**
 * A matrix stored once, to be multiplied by several methods of its kernel: `open(method)` returns the same as `openProduct`. `more`: other
 * options of an operator, such as the groups of CSR-k.
 */
export function openLayout(engine, matrix, { format, dtype, ...more }, { x, y }) {
  const operator = engine.operator(matrix, { format, dtype, ...more });
  return {
    format: operator.matrix.spec,
    bytes: operator.matrix.cost().bytes,
    setupMs: operator.setupMs,
    open(method) {
      const [gpu] = engine.gpus;
      const plan = gpu.plan(operator.matrix, 'spmv', { patient: true, ...(method !== '' && { method }) });
      return {
        method: plan.methods.join(' + '),
        estimates: plan.estimates,
        async product() {
          plan.run(x, y.fill(Number.NaN), 1, 0);
          return y.toArray();
        },
        async time(repetitions, { cold = false } = {}) {
          return gpu.space.time(() => plan.run(x, y, 1, 0), repetitions, cold);
        },
        close: () => plan[Symbol.dispose](),
      };
    },
    close: () => operator.dispose(),
  };
}
