/**
 * Whether blocks with a preconditioner are expected to find the smallest eigenvalues of a matrix much sooner than factors do: in three dimensions, where factors fill in.
 * All times are estimates for one thread; nothing is analysed.
 */
import { diagonalOf } from '../algebra/diagonal.js';
import { type FactorEstimate, MOST_DIMENSIONS } from '../direct/estimate.js';
import { FLOPS_PER_NS } from '../direct/method.js';
import { unknownsOfNode } from '../preconditioners/amg/nodes.js';
import { multigridFor } from '../solvers/elliptic.js';
import { discsOf, hullOf, ritzInterval } from './functions/spectrum-bounds.js';
import { blockColumns } from './lobpcg/lobpcg.js';
import { LEAST_ROWS } from './lobpcg/lobpcg-preconditioner.js';
import type { EigenProblem } from './method.js';

/** Factors prove that no eigenvalue is missing, and do not depend on how well a preconditioner suits: blocks must be expected to take less than this share of their time. Chosen. */
const CLEARLY = 1 / 2;

/** A search factors A − σ I twice: at the shift, and where it counts. */
const FACTORIZATIONS = 2;
/** For k eigenvalues. Measured: 47 solves for 3, 78 for 10, 166 for 30 of 7-point 18³. */
const solvesFor = (k: number) => 5 * k + 30;
/** In three dimensions a solve takes this time for each operation of the factorization to the power 2/3: 4.0 to 4.8 on 7-point 20³ to 40³, 1.4 on 27-point 30³, whose operations are overestimated. Machine: as below. */
const SOLVE_NS = 4.5;

/** A search with multigrid takes so many iterations to 1e-8: 28 to 34 for 3 to 80 eigenvalues of 7-point 30³ to 50³, 26 of 27-point 30³; the same with a mass matrix. */
const ITERATIONS = 30;
/**
 * An iteration takes this time for each row with a block of c columns. Measured on 7-point 30³: 1230 ns with 12 columns, 7500 with 36, 49,000 with 96; on 40³ and 50³
 * 1360 and 1500 with 12; on elasticity 18³ with ic0 600 with 5 and 1430 with 12. Rough figures: one thread, two cores of a virtual machine in use by others, 2026-11-26.
 */
const rowNsWith = (c: number) => 300 + 20 * c + 5.3 * c * c;

/**
 * The factors of a block of nodes with several unknowns take this times rows² operations, which is the power of nested dissection: 23 on elasticity 10³, 18 on 14³, 18³ and 22³, counted. The
 * estimate by the width of the graph is 0.2 to 8 times that.
 */
const FLOPS_OF_NODES = 18;
/** With ic0 iterations grow with the side of a block, in nodes: 51, 66 and 79 for 3 eigenvalues of elasticity 14³, 18³ and 22³, and 50, 66 and 86 for 10. */
const ITERATIONS_OF_SIDE = 4;
/**
 * A block is at most so many times as long as the side of a cube of as many nodes: 1 for cubes; bars of 60 × 6 × 6 (4.6) take 263 iterations for 3 eigenvalues, plates of 40 × 40 × 4 (2.1) 333,
 * and so longer than factors. Chosen between.
 */
const LONGEST = 1.5;
/** After so many times the expected iterations, factors are taken after all: the loss is at most about their time. Chosen. */
const PATIENCE = 2;

/** Where Gershgorin's circles reach below 0 by this share of their greatest number, A counts as indefinite. Chosen: rounding errors of sums. */
const ROUNDING = 1e-12;

/** The reason for blocks. */
export interface BlocksExpected {
  readonly why: string;
  /** Where iterations are not bounded by experience: after so many, blocks give up. */
  readonly patience?: number;
}

/**
 * @returns why `lobpcg` is chosen; undefined where factors are. A mass matrix with zeros on its diagonal, a shift below the spectrum, or an A that may be indefinite are
 *   for factors
 */
export function blocksFor(problem: EigenProblem, estimate: FactorEstimate): BlocksExpected | undefined {
  const { B, matrix, mass, shift } = problem;
  if (matrix === undefined || shift !== undefined) return undefined;
  if (B !== undefined && (mass === undefined || diagonalOf(mass).some((value) => !(value > 0)))) return undefined;
  return withMultigrid(problem, estimate) ?? withNodes(problem, estimate);
}

/** Scalar elliptic problems. */
function withMultigrid(problem: EigenProblem, { flops, dimension }: FactorEstimate): BlocksExpected | undefined {
  if (dimension <= 2 || dimension > MOST_DIMENSIONS) return undefined;
  const why = whySooner(problem, ITERATIONS, flops);
  if (why === undefined) return undefined;
  const multigrid = multigridFor(problem.matrix!, LEAST_ROWS);
  const [least, greatest] = hullOf(discsOf(problem.matrix!));
  if (multigrid === undefined || !(least >= -ROUNDING * greatest)) return undefined;
  return { why: `with ${multigrid} ${why}` };
}

/** Blocks of nodes with several unknowns, such as elasticity, for which there is no multigrid without the modes of a rigid body. */
function withNodes(problem: EigenProblem, { isMesh, dimension, levels }: FactorEstimate): BlocksExpected | undefined {
  const { A, size, matrix } = problem;
  if (!isMesh || dimension > MOST_DIMENSIONS) return undefined;
  const unknowns = unknownsOfNode(matrix!);
  const side = Math.cbrt(size / unknowns);
  if (unknowns === 1 || levels > LONGEST * side) return undefined;
  const iterations = Math.ceil(ITERATIONS_OF_SIDE * side);
  const why = whySooner(problem, iterations, FLOPS_OF_NODES * size * size);
  if (why === undefined) return undefined;
  const [least] = ritzInterval(A);
  return least < 0 ? undefined : { why: `with ic0 ${why}`, patience: PATIENCE * iterations };
}

/** Why so many iterations are expected to take much less time than factors of so many operations. */
function whySooner({ size, k }: EigenProblem, iterations: number, flops: number): string | undefined {
  const solves = solvesFor(k);
  const factorsMs = ((FACTORIZATIONS * flops) / FLOPS_PER_NS.symmetric + solves * SOLVE_NS * flops ** (2 / 3)) / 1e6;
  const blocksMs = (iterations * size * rowNsWith(blockColumns(k, size))) / 1e6;
  if (blocksMs > CLEARLY * factorsMs) return undefined;
  const seconds = (ms: number) => `${(ms / 1000).toPrecision(2)} s`;
  return (
    `it is expected to take ${seconds(blocksMs)}, and factors with ${solves} solves ${seconds(factorsMs)}; ` +
    'nothing counts eigenvalues, so it is not proved that none is missing (shift-invert would prove it)'
  );
}
