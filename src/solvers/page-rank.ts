/**
 * PageRank: the share of time that a random walk spends in each vertex, if it starts anew with probability 1 − d in each step.
 *
 * Source: Page, Brin, Motwani & Winograd 1999; Langville & Meyer, Google's PageRank and Beyond, 2006, section 4.5.
 * Differs: x ← d Aᵀ D⁻¹ x + (1 − Σ) v, where Σ is the sum of the first term: whatever is missing to 1 starts anew, from vertices
 *   without links, too. So neither those vertices nor a matrix of links to all vertices are needed.
 * Cost: a step is one block product for all personalizations, and three dot products, two updates and a copy for each; of several, two
 *   more copies. In front of them, the matrix is scaled, and transposed by all threads, which takes as long as some 40 steps (6 million links of a
 *   million vertices, 2-core AMD EPYC, 26 November 2026).
 */
import { scaleMatrix, sumsOf } from '../algebra/rows.js';
import { transposeMatrix } from '../algebra/transpose.js';
import { asFloats, type NumberArray } from '../core/arrays.js';
import { knownKeys, within } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { drain } from '../core/drain.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { trust } from '../core/trusted.js';
import { Engine } from '../engine/engine.js';
import type { HeapMatrix } from '../matrices/heap-matrix.js';
import type { Vector } from '../memory/vector.js';
import type { OperatorOptions } from '../operators/operator-options.js';
import { checkRepeat, type Repeated, type RepeatOptions, repeat } from './repeat.js';
import type { Step } from './solution.js';
import { Workspace } from './workspace.js';

/** `pageRank` takes these options. */
export interface PageRankOptions extends RepeatOptions {
  /** The probability d of following a link: 0 to 1. Default 0.85. */
  readonly damping?: number;
  /**
   * Where walks start: a weight for each vertex, at least 0 and not all 0; or several such arrays, which are computed at once. Default:
   * everywhere alike.
   */
  readonly personalization?: NumberArray | readonly NumberArray[];
  /** The walk is at rest when ‖x₊ − x‖₂ ≤ rtol ‖x‖₂: 0 to 1. Default 1e-8. */
  readonly rtol?: number;
}

export interface PageRank extends Repeated {
  /** One column for each personalization, each with the sum 1; the caller disposes it. */
  readonly ranks: Vector;
  /** The greatest ‖x₊ − x‖₂ / ‖x‖₂ of all columns. */
  readonly relativeChange: number;
  /** Time of the operator. */
  readonly setupMs: number;
  readonly solveMs: number;
}

/**
 * Ranks the vertices of a graph.
 *
 * @param links square; entry (i, j) is the weight of the link from i to j, at least 0
 * @throws SparlaneError `argument`, `shape` or `structure` for a wrong argument; `heap`; errors of products
 *
 * @example
 * const { ranks } = pageRank(engine, links, { personalization: [fromHome, fromNews] });
 * ranks.toArray({ order: 'column' });
 */
export function pageRank(engine: Engine, links: MatrixInput, options: PageRankOptions = {}): PageRank {
  return drain(pageRankSteps(engine, links, options));
}

const OPTIONS: Record<keyof PageRankOptions, true> = {
  damping: true,
  personalization: true,
  rtol: true,
  maxIterations: true,
  onStep: true,
  signal: true,
};

/** The same step by step. `residualNorm` of a step: the greatest ‖x₊ − x‖₂ / ‖x‖₂. */
export function* pageRankSteps(
  engine: Engine,
  links: MatrixInput,
  options: PageRankOptions,
): Generator<Step, PageRank> {
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'an engine', engine);
  const begin = performance.now();
  const matrix = checkLinks(links);
  knownKeys('options', options, OPTIONS);
  const damping = within('damping', options.damping ?? 0.85, 0, 1);
  const checked = checkRepeat(options);
  const starts = startsOf(options.personalization, matrix.rows);
  using P = walkOf(engine, matrix, { products: expectedSteps(damping, checked), columns: starts.length });
  // A device does not record the copies of columns.
  using work = new Workspace(P, engine.space.heap !== undefined);
  const setupMs = performance.now() - begin;
  const ranks = engine.vector(interleaved(starts), { columns: starts.length });
  let finished = false;
  try {
    const isBlock = starts.length > 1;
    const next = work.vector();
    const moved = isBlock ? work.vector('x', starts.length) : next;
    const ones = work.vector().fill(1);
    const sum = work.scalar();
    const columns = starts.map((start) => {
      const [changed, square] = [work.scalar(), work.scalar()];
      return { start: work.vector().set(start), x: isBlock ? work.vector().set(start) : ranks, changed, square };
    });
    const step = work.record(() => {
      P.apply(ranks, moved, damping);
      columns.forEach(({ start, x, changed, square }, j) => {
        if (isBlock) moved.copyColumnTo(j, next);
        next.dot(ones, sum);
        sum.setDifference(1, sum);
        next.axpy(sum, start); // what is missing to 1 starts anew
        x.axpby(1, next, -1);
        x.dot(x, changed);
        x.copyFrom(next).dot(x, square);
        if (isBlock) ranks.setColumn(j, x);
      });
    });
    let relativeChange = 0;
    const repeated = yield* repeat(checked, 1, () => {
      step.launch();
      relativeChange = Math.sqrt(Math.max(0, ...columns.map(({ changed, square }) => changed.value / square.value)));
      return { residualNorm: relativeChange, relative: relativeChange };
    });
    finished = true;
    return { ranks, ...repeated, relativeChange, setupMs, solveMs: performance.now() - begin - setupMs };
  } finally {
    if (!finished) ranks.dispose();
  }
}

function checkLinks(links: MatrixInput): CsrMatrix {
  const matrix = csrMatrix(links);
  const { rows, cols, values } = matrix;
  if (rows !== cols) throw mismatch('shape', 'links', 'as many rows as columns', `${rows} × ${cols}`);
  if (rows === 0) throw mismatch('shape', 'links', 'a vertex', '0 × 0');
  for (let k = 0; k < values.length; k++) {
    if (values[k]! >= 0 && values[k]! < Number.POSITIVE_INFINITY) continue;
    const text = `links: expected finite weights of at least 0, got ${values[k]} as entry ${k}`;
    throw new SparlaneError('structure', text, { entry: k });
  }
  return matrix;
}

/**
 * A change shrinks by d in a step, at least: to 1e-8 in 114. Chosen: a share that social graphs need (24 steps of a random one with a power
 * law). If a graph needs more, a dear conversion would have saved little.
 */
const SHARE_OF_STEPS = 0.25;

function expectedSteps(
  damping: number,
  { rtol, maxIterations }: Pick<Required<RepeatOptions>, 'rtol' | 'maxIterations'>,
) {
  const steps = Math.ceil((SHARE_OF_STEPS * Math.log(rtol)) / Math.log(damping));
  return Math.max(1, Math.min(steps, maxIterations));
}

/** The operator Aᵀ D⁻¹, made by all threads; where the heap has no room for that, its matrix is made outside, with the same bits. */
function walkOf(engine: Engine, links: CsrMatrix, expected: Pick<OperatorOptions, 'products' | 'columns'>) {
  const options = { ...expected, tune: false, blockSums: 'fast' } as const;
  try {
    using scaled = heapCopy(engine, links);
    using rows = scaled.sums('rows');
    scaleRows(scaled, invert(rows.data));
    using walk = scaled.transposed();
    return engine.operator(walk, options);
  } catch (error) {
    if (!(error instanceof SparlaneError && error.code === 'heap')) throw error;
    const rows = invert(sumsOf(links, 'rows'));
    return engine.operator(transposeMatrix(scaleMatrix(links, { rows })), options);
  }
}

/** With values of f64, of which nothing is known: they will be scaled. */
function heapCopy(engine: Engine, { rows, cols, nnz, rowPtr, colIdx, values: given }: CsrMatrix): HeapMatrix {
  const values = given instanceof Float64Array ? given : Float64Array.from(given);
  const facts = { field: 'real', symmetry: 'general' } as const;
  return engine.matrix(trust({ rows, cols, nnz, rowPtr, colIdx, values, ...facts }));
}

/** In place, which is faster on one thread than into new memory on all: the system provides that page by page. */
function scaleRows({ rows, rowPtr, values }: HeapMatrix, factors: Float64Array): void {
  for (let row = 0; row < rows; row++) {
    const factor = factors[row]!;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) values[k]! *= factor;
  }
}

/** Sums of rows → their inverses; 0 for a vertex without links. */
function invert(sums: Float64Array): Float64Array {
  for (let row = 0; row < sums.length; row++) {
    const sum = sums[row]!;
    if (sum === 0) continue;
    const inverse = 1 / sum;
    sums[row] = inverse;
    if (inverse > 0 && inverse < Number.POSITIVE_INFINITY) continue;
    const text = `links: expected weights whose sum has an inverse, got a sum of ${sum} in row ${row}`;
    throw new SparlaneError('structure', text, { row });
  }
  return sums;
}

/** The distributions of the first vertex, one or several. */
function startsOf(given: PageRankOptions['personalization'], vertices: number): Float64Array[] {
  if (given === undefined) return [new Float64Array(vertices).fill(1 / vertices)];
  const isSeveral = Array.isArray(given) && typeof given[0] === 'object';
  const all = (isSeveral ? given : [given]) as readonly NumberArray[];
  return all.map((weights, j) => {
    const name = isSeveral ? `personalization[${j}]` : 'personalization';
    const numbers = Float64Array.from(asFloats(name, weights));
    if (numbers.length !== vertices) throw mismatch('shape', name, `length ${vertices}`, numbers.length);
    const sum = numbers.reduce((total, weight) => total + weight, 0);
    if (!(sum > 0 && sum < Number.POSITIVE_INFINITY) || numbers.some((weight) => weight < 0))
      throw mismatch('argument', name, 'finite weights of at least 0, not all 0', weights);
    return numbers.map((weight) => weight / sum);
  });
}

/** Row by row. */
function interleaved(columns: readonly Float64Array[]): Float64Array {
  const k = columns.length;
  const rows = new Float64Array(k * columns[0]!.length);
  columns.forEach((column, j) => {
    for (let i = 0; i < column.length; i++) rows[i * k + j] = column[i]!;
  });
  return rows;
}
