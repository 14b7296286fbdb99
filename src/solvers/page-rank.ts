/**
 * PageRank: the share of time that a random walk spends in each vertex, if it starts anew with probability 1 − d in each step.
 *
 * Source: Page, Brin, Motwani & Winograd 1999; Langville & Meyer, Google's PageRank and Beyond, 2006, section 4.5.
 * Differs: x ← d Aᵀ D⁻¹ x + (1 − Σ) v, where Σ is the sum of the first term: whatever is missing to 1 starts anew, from vertices
 *   without links, too. So neither those vertices nor a matrix of links to all vertices are needed.
 * Cost: a step is one block product for all personalizations, and three dot products, three updates and two copies for each.
 */
import { scaleMatrix, sumsOf } from '../algebra/rows.js';
import { transposeMatrix } from '../algebra/transpose.js';
import { asFloats, type NumberArray } from '../core/arrays.js';
import { knownKeys, within } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { drain } from '../core/drain.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import { checkRepeat, type Repeated, type RepeatOptions, repeat } from './repeat.js';
import type { Step } from './solution.js';
import { Workspace } from './workspace.js';

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
  const walk = transposeMatrix(scaleMatrix(matrix, { rows: inverseSums(matrix) }));
  using P = engine.operator(walk, { products: 'many', tune: false, columns: starts.length });
  // A device does not record the copies of columns.
  using work = new Workspace(P, engine.space.heap !== undefined);
  const setupMs = performance.now() - begin;
  const ranks = engine.vector(interleaved(starts), { columns: starts.length });
  let finished = false;
  try {
    const moved = work.vector('x', starts.length);
    const ones = work.vector().fill(1);
    const next = work.vector();
    const sum = work.scalar();
    const columns = starts.map((start) => {
      const [changed, square] = [work.scalar(), work.scalar()];
      return { start: work.vector().set(start), x: work.vector().set(start), changed, square };
    });
    const step = work.record(() => {
      P.apply(ranks, moved, damping);
      columns.forEach(({ start, x, changed, square }, j) => {
        moved.copyColumnTo(j, next);
        next.dot(ones, sum);
        sum.setDifference(1, sum);
        next.axpy(sum, start); // what is missing to 1 starts anew
        x.axpby(1, next, -1);
        x.dot(x, changed);
        x.copyFrom(next).dot(x, square);
        ranks.setColumn(j, x);
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
  const wrong = values.findIndex((weight) => !(weight >= 0 && weight < Number.POSITIVE_INFINITY));
  if (wrong < 0) return matrix;
  const text = `links: expected finite weights of at least 0, got ${values[wrong]} as entry ${wrong}`;
  throw new SparlaneError('structure', text, { entry: wrong });
}

/** Of the rows; 0 for a vertex without links. */
function inverseSums(matrix: CsrMatrix): Float64Array {
  return sumsOf(matrix, 'rows').map((sum, row) => {
    if (sum === 0) return 0;
    const inverse = 1 / sum;
    if (inverse > 0 && inverse < Number.POSITIVE_INFINITY) return inverse;
    const text = `links: expected weights whose sum has an inverse, got a sum of ${sum} in row ${row}`;
    throw new SparlaneError('structure', text, { row });
  });
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
