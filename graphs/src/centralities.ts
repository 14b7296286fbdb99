/**
 * PageRank, eigenvector centrality, HITS and Katz centrality of arcs, by the iterations that graphology, ngraph, cytoscape and NetworkX have in common,
 * so that they stop after the same number of steps.
 *
 * Source: Page, Brin, Motwani & Winograd 1999; Bonacich 1986; Kleinberg 1999; Katz 1953.
 * Differs: PageRank takes a node whose weights have the sum 0 for one without edges; graphology does not converge then.
 */
import type { Engine } from 'sparlane';
import type { Arcs } from './arcs.js';
import { fixedPoint, type Goal, type HeapVector, incomingOperator, sumOfChanges } from './fixed-point.js';

/**
 * @param arcs whose weights become shares of the sum of their source: another array would make V8 collect its garbage sooner, among all objects of a graph
 * @param change of x and y, by which the loop ends
 */
export function pageRanks(
  engine: Engine,
  arcs: Arcs,
  alpha: number,
  goal: Goal,
  change: (x: HeapVector, y: HeapVector) => number = sumOfChanges,
): Float64Array {
  const { sources, weights } = arcs;
  const n = arcs.nodes.length;
  if (n === 0) return new Float64Array();
  const sums = new Float64Array(n);
  for (let k = 0; k < weights.length; k++) sums[sources[k]!]! += weights[k]!;
  for (let k = 0; k < weights.length; k++) {
    const sum = sums[sources[k]!]!;
    weights[k] = sum === 0 ? 0 : weights[k]! / sum;
  }
  using A = incomingOperator(engine, arcs);
  return fixedPoint(engine, new Float64Array(n).fill(1 / n), goal, (x, y) => {
    A.apply(x, y, alpha);
    const [from, to] = [x.data, y.data];
    let kept = 0;
    for (let i = 0; i < n; i++) if (sums[i] === 0) kept += from[i]!;
    const added = (alpha * kept + 1 - alpha) / n;
    for (let i = 0; i < n; i++) to[i]! += added;
    return change(x, y);
  });
}

/** The greatest eigenvector of Aᵀ + I, with the 2-norm 1. */
export function eigenvectorCentralities(engine: Engine, arcs: Arcs, goal: Goal): Float64Array {
  const n = arcs.nodes.length;
  if (n === 0) return new Float64Array();
  using A = incomingOperator(engine, arcs);
  return fixedPoint(engine, new Float64Array(n).fill(1 / n), goal, (x, y) => {
    y.copyFrom(x);
    A.apply(x, y, 1, 1);
    scale(y.data, 1 / norm(y.data));
    return sumOfChanges(x, y);
  });
}

export interface HubsAndAuthorities {
  readonly hubs: Float64Array;
  readonly authorities: Float64Array;
}

/**
 * Hubs and authorities, whose greatest ones are 1.
 *
 * @param first the hubs at first, all alike
 * @param both whether the change of the authorities counts, too
 */
export function hubsAndAuthorities(
  engine: Engine,
  arcs: Arcs,
  goal: Goal,
  { first, both }: { readonly first: number; readonly both: boolean },
): HubsAndAuthorities {
  const n = arcs.nodes.length;
  if (n === 0) return { hubs: new Float64Array(), authorities: new Float64Array() };
  using A = incomingOperator(engine, arcs);
  using out = A.transposed();
  using authorities = engine.vector(new Float64Array(n).fill(first), { device: 'cpu' });
  using before = authorities.like();
  const hubs = fixedPoint(engine, new Float64Array(n).fill(first), goal, (x, y) => {
    before.copyFrom(authorities);
    A.apply(x, authorities);
    scale(authorities.data, 1 / greatest(authorities.data));
    out.apply(authorities, y);
    scale(y.data, 1 / greatest(y.data));
    const change = sumOfChanges(x, y);
    return both ? Math.max(change, sumOfChanges(before, authorities)) : change;
  });
  return { hubs, authorities: authorities.toArray() };
}

/** x = α Aᵀ x + β */
export function katzCentralities(
  engine: Engine,
  arcs: Arcs,
  { alpha, beta }: { readonly alpha: number; readonly beta: number },
  goal: Goal,
): Float64Array {
  const n = arcs.nodes.length;
  if (n === 0) return new Float64Array();
  using A = incomingOperator(engine, arcs);
  return fixedPoint(engine, new Float64Array(n), goal, (x, y) => {
    y.fill(beta);
    A.apply(x, y, alpha, 1);
    return sumOfChanges(x, y);
  });
}

/** ‖x‖₂ */
export function norm(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * x[i]!;
  return Math.sqrt(sum);
}

/** x ← factor · x, returned. */
export function scale(x: Float64Array, factor: number): Float64Array {
  for (let i = 0; i < x.length; i++) x[i]! *= factor;
  return x;
}

function greatest(x: Float64Array): number {
  let most = 0;
  for (let i = 0; i < x.length; i++) most = Math.max(most, x[i]!);
  return most;
}
