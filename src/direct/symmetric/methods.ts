/** The direct methods for symmetric matrices: `cholesky` and `ldlt`. */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { equalsTranspose } from '../../core/symmetry.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../operators/engine.js';
import { amdSteps } from '../../reorder/amd.js';
import { symmetricGraph } from '../../reorder/graph.js';
import type { Analysis, DirectMethod, DirectName, FactorStep, Factors, FillOrder, Prediction } from '../method.js';
import { SymmetricFactors } from './factors.js';
import { bytesOf, checkRoom, type SymmetricAnalysis } from './layout.js';
import { joinPairs, pairsOf } from './pairs.js';
import { supernodesOf } from './supernodes.js';
import { tasksOf } from './tasks.js';
import { denseColumnsOf, placedEntries, updatesOf } from './updates.js';

export const CHOLESKY: DirectMethod = {
  name: 'cholesky',
  summary: 'supernodal Cholesky factors LLᵀ',
  source: 'Ng & Peyton 1993',
  analyse: (engine, matrix, order) => analyse(engine, matrix, order, 'cholesky'),
};

export const LDLT: DirectMethod = {
  name: 'ldlt',
  summary: 'supernodal factors LDLᵀ, with pivots of one and two rows',
  source: 'Ng & Peyton 1993; Bunch & Kaufman 1977',
  analyse: (engine, matrix, order) => analyse(engine, matrix, order, 'ldlt'),
};

function* analyse(
  engine: Engine,
  matrix: CsrMatrix,
  order: FillOrder,
  method: DirectName,
): Generator<FactorStep, Analysis> {
  if (!equalsTranspose(matrix, 'pattern'))
    throw mismatch('structure', 'matrix', `a symmetric one for ${method}`, 'one whose pattern is not');
  const graph = symmetricGraph(matrix);
  const isIndefinite = method === 'ldlt';
  const pairs = isIndefinite ? pairsOf(matrix) : undefined;
  const paired = pairs && joinPairs(graph, pairs);
  const steps = amdSteps(paired?.graph ?? graph);
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield { stage: 'order', done: step.value };
  yield { stage: 'analysis', done: 0 };
  const nodes = supernodesOf(graph, paired?.expand(step.value) ?? step.value, pairs);
  yield { stage: 'analysis', done: 0.5 };
  const updates = updatesOf(nodes);
  const dense = denseColumnsOf(nodes);
  const entries = placedEntries(matrix, nodes, dense);
  const tasks = tasksOf(nodes, updates);
  const analysis = { nodes, updates, dense, entries, tasks, matrix, isIndefinite };
  return new AnalysedPattern(engine, analysis, { method, order: order === 'auto' ? 'amd' : order });
}

class AnalysedPattern implements Analysis {
  readonly prediction: Prediction;
  readonly #analysis: SymmetricAnalysis;

  constructor(engine: Engine, analysis: SymmetricAnalysis, chosen: Pick<Prediction, 'method' | 'order'>) {
    const { entries, flops } = analysis.nodes;
    const { kept, work } = bytesOf(analysis, engine.context.team.size);
    this.prediction = { ...chosen, entries, bytes: kept + work, flops };
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
