/** Times an operator's products in the worker, without the messages. */
import { integer } from '../core/checks.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { ProductTimes } from './protocol.js';

/** Length of a sample. The clock of a page has a resolution of 5 µs, without isolation 100 µs. */
const SAMPLE_MS = 5;

/** Times `repeat` samples of y ← A x, with x of ones. A sample is a step. */
export function* timingSteps(engine: Engine, operator: MatrixOperator, repeat: number): Generator<void, ProductTimes> {
  integer('repeat', repeat, 1, 10_000);
  using scope = engine.heap.scope();
  const x = scope.array<FloatArray>(operator.vectorType, operator.cols).fill(1);
  const y = scope.array<FloatArray>(operator.vectorType, operator.rows);
  const ranks = new Set<number>();
  const batch = (products: number): number => {
    const begin = performance.now();
    for (let product = 0; product < products; product++) operator.apply(x, y);
    const elapsed = performance.now() - begin;
    collectRanks(engine, operator, ranks);
    return elapsed;
  };
  const products = productsPerSample(batch);
  const times: number[] = [];
  for (let sample = 0; sample < repeat; sample++) {
    times.push(batch(products) / products);
    yield;
  }
  times.sort((a, b) => a - b);
  return { ...summary(times, operator), ranks: [...ranks].sort((a, b) => a - b) };
}

/** Doubles the batch until it is long enough. These runs are also the warm-up. */
function productsPerSample(batch: (products: number) => number): number {
  let products = 1;
  while (batch(products) < SAMPLE_MS) products *= 2;
  return products;
}

function summary(sorted: readonly number[], operator: MatrixOperator): Omit<ProductTimes, 'ranks'> {
  const middle = sorted.length >> 1;
  const medianMs = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const { bytes, flops } = operator.matrix.cost();
  const perSecond = 1e-6 / medianMs; // in units of 1e9
  return { medianMs, minMs: sorted[0]!, maxMs: sorted.at(-1)!, gflops: flops * perSecond, gbps: bytes * perSecond };
}

/** A product of one part is computed by rank 0 alone. */
function collectRanks({ team }: Engine, { plan }: MatrixOperator, ranks: Set<number>): void {
  if (plan.parts === 1 || team.size === 1) ranks.add(0);
  else for (let part = 0; part < plan.parts; part++) ranks.add(team.rankOf(part));
}
