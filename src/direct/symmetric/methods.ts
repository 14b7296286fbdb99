/**
 * The direct methods for symmetric matrices: `cholesky` and `ldlt`.
 *
 * There is no up-looking factorization for small fill: of a path of 10⁵ rows supernodes take 20 ms for the numbers, and 210 ms for order and analysis, which both need (CPU
 * time of one thread of an AMD EPYC, Node 20, November 2026).
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { equalsTranspose } from '../../core/symmetry.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import { graphOfSymmetric } from '../../reorder/graph.js';
import { joinChains } from '../../reorder/twins.js';
import {
  type Analysis,
  type DirectMethod,
  type DirectName,
  type FactorStep,
  type Factors,
  type FactorWish,
  isWorthDissecting,
  type Prediction,
} from '../method.js';
import { orderSteps } from '../order.js';
import { SymmetricFactors } from './factors.js';
import { bytesOf, checkRoom, type SymmetricAnalysis } from './layout.js';
import { pairsOf } from './pairs.js';
import { equilibrate, factorsOf, scaled } from './scale.js';
import { supernodesOf } from './supernodes.js';
import { tasksOf } from './tasks.js';
import { denseColumnsOf, placedEntries, updatesOf } from './updates.js';

export const CHOLESKY: DirectMethod = {
  name: 'cholesky',
  summary: 'supernodal Cholesky factors LLᵀ',
  source: 'Ng & Peyton 1993',
  analyse: (engine, matrix, wish) => analyse(engine, matrix, wish, 'cholesky'),
};

export const LDLT: DirectMethod = {
  name: 'ldlt',
  summary: 'supernodal factors LDLᵀ, with pivots of one and two rows',
  source: 'Ng & Peyton 1993; Bunch & Kaufman 1977',
  analyse: (engine, matrix, wish) => analyse(engine, matrix, wish, 'ldlt'),
};

function* analyse(
  engine: Engine,
  matrix: CsrMatrix,
  { order, stored }: FactorWish,
  method: DirectName,
): Generator<FactorStep, Analysis> {
  if (!equalsTranspose(matrix, 'pattern'))
    throw mismatch('structure', 'matrix', `a symmetric one for ${method}`, 'one whose pattern is not');
  const graph = graphOfSymmetric(matrix);
  const isIndefinite = method === 'ldlt';
  // Pivots are chosen in S A S.
  const scale = isIndefinite ? equilibrate(matrix, matrix.values) : undefined;
  const pairs = isIndefinite
    ? pairsOf({ ...matrix, values: scaled(matrix, matrix.values, factorsOf(scale)) })
    : undefined;
  const paired = pairs && joinChains(graph, pairs);
  const toEliminate = paired?.graph ?? graph;
  const nodesBy = (first: Uint32Array) => supernodesOf(graph, paired?.expand(first) ?? first, pairs);
  let taken: 'amd' | 'nd' = order === 'nd' ? 'nd' : 'amd';
  const first = yield* orderSteps(toEliminate, taken);
  yield { stage: 'analysis', done: 0 };
  let nodes = nodesBy(first);
  if (order === 'auto' && isWorthDissecting(nodes.flops, matrix.rows, 'symmetric')) {
    const other = nodesBy(yield* orderSteps(toEliminate, 'nd'));
    if (other.flops < nodes.flops) [nodes, taken] = [other, 'nd'];
  }
  yield { stage: 'analysis', done: 0.5 };
  const updates = updatesOf(nodes);
  const dense = denseColumnsOf(nodes);
  const entries = placedEntries(matrix, nodes, dense);
  const tasks = tasksOf(nodes, updates);
  const found = { nodes, updates, dense, entries, tasks, matrix, isIndefinite, scale };
  const fits = ({ kept, work }: ReturnType<typeof bytesOf>) => kept + work <= engine.context.heap.bytesFree;
  const fitting = () => (fits(bytesOf({ ...found, stored: 'f64' }, engine.context.team.size)) ? 'f64' : 'f32');
  const analysis = { ...found, stored: stored === 'fitting' ? fitting() : stored };
  return new AnalysedPattern(engine, analysis, { method, order: taken });
}

class AnalysedPattern implements Analysis {
  readonly prediction: Prediction;
  readonly #analysis: SymmetricAnalysis;

  constructor(engine: Engine, analysis: SymmetricAnalysis, chosen: Pick<Prediction, 'method' | 'order'>) {
    const { entries, flops } = analysis.nodes;
    const { kept, work } = bytesOf(analysis, engine.context.team.size);
    this.prediction = { ...chosen, stored: analysis.stored, entries, bytes: kept + work, flops };
    this.#analysis = analysis;
  }

  *factor(engine: Engine, values: FloatArray): Generator<FactorStep, Factors> {
    checkRoom(engine.context.heap, this.prediction.bytes);
    const factors = new SymmetricFactors(engine, this.#analysis);
    let isDone = false;
    try {
      yield* factors.refactor(values);
      isDone = true;
      return factors;
    } finally {
      if (!isDone) factors[Symbol.dispose]();
    }
  }
}
