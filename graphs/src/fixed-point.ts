/** The loop of all centralities: x ← f(x), where f has a product with the matrix of the graph, until x changes little. */
import { type CsrMatrix, csrMatrix, type Engine, type MatrixOperator, SparlaneError, type Vector } from 'sparlane';
import type { Arcs } from './arcs.js';

/** A vector in the heap of the engine. */
export type HeapVector = Vector<Float64Array>;

/** When a loop ends. */
export interface Goal {
  /** The change of x that is small enough, exclusive. */
  readonly change: number;
  readonly maxIterations: number;
}

/**
 * @param step computes y ← f(x), and returns its change against x
 * @returns the last y
 * @throws SparlaneError `argument` if the change is not small enough after `maxIterations` steps
 */
export function fixedPoint(
  engine: Engine,
  start: Float64Array,
  { change, maxIterations }: Goal,
  step: (x: HeapVector, y: HeapVector) => number,
): Float64Array {
  using first = engine.vector(start, { device: 'cpu' });
  using second = first.like();
  let [x, y] = [first, second];
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    if (step(x, y) < change) return y.toArray();
    [x, y] = [y, x];
  }
  const text = `maxIterations: expected enough of them for the tolerance, got ${maxIterations}`;
  throw new SparlaneError('argument', text, { maxIterations });
}

/** ‖y − x‖₁ */
export function sumOfChanges({ data: x }: HeapVector, { data: y }: HeapVector): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += Math.abs(y[i]! - x[i]!);
  return sum;
}

/** Aᵀ: row i has the arcs to node i. Parallel arcs are added. */
export function incoming({ nodes, sources, targets, weights }: Arcs): CsrMatrix {
  const n = nodes.length;
  return csrMatrix({ rows: n, cols: n, rowIdx: targets, colIdx: sources, values: weights });
}

/**
 * The operator of Aᵀ. As compressed rows: another format, or the choice of one, would not pay for the 5 to 50 products that the tolerances of these
 * libraries take.
 */
export function incomingOperator(engine: Engine, arcs: Arcs): MatrixOperator {
  return engine.operator(incoming(arcs), { format: 'csr', device: 'cpu' });
}
