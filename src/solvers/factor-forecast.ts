/** What factors of A are expected to take: as an estimate of their operations says, or as their analysis has counted. */
import type { CsrMatrix } from '../core/csr.js';
import { AugmentedSystem } from '../direct/augmented.js';
import { estimateFactors, type FactorEstimate, MOST_DIMENSIONS } from '../direct/estimate.js';
import type { Prediction } from '../direct/method.js';
import type { SystemFacts } from './decide.js';
import type { Times } from './times.js';

/**
 * Factors are hoped to take at most this many times the predicted time of their analysis where the estimate of their operations is too high: for circuits,
 * and where A falls into blocks. LU of bayer10, memplus and add32 takes 0.8 to 2.7 times that time, of convection in two dimensions 3.8 times. The estimate of
 * a symmetric mesh is believed.
 */
const ANALYSES = { symmetricMesh: Number.POSITIVE_INFINITY, mesh: 5, other: 3 } as const;

/**
 * Estimates of symmetric meshes are 0.45 to 7 times what an analysis counts (7 for elasticity, 27 points and bcsstk13). Where an analysis takes at most this
 * share of the time of interest, it is made in the hope that the estimate is so many times too high.
 */
const TRIAL_ANALYSIS = 0.25;
const HOPE = 4;

export class FactorForecast {
  /** Of A as it is stored at first: what they say of factors does not depend on it. */
  readonly #times: Times;
  /** Undefined until it is needed: an estimate is a search in the graph of A. */
  #estimate: FactorEstimate | undefined;
  #predictedMs: number | undefined;
  readonly #matrix: CsrMatrix;
  readonly #isLeastSquares: boolean;
  readonly #isSymmetric: boolean;
  readonly #hasSymmetricPattern: boolean;

  constructor(times: Times, matrix: CsrMatrix, facts: SystemFacts) {
    const { rows, cols, symmetric, roundedSymmetry, signedSymmetry = false } = facts;
    this.#times = times;
    this.#matrix = matrix;
    this.#isLeastSquares = rows !== cols;
    this.#isSymmetric = symmetric || signedSymmetry || this.#isLeastSquares;
    this.#hasSymmetricPattern = this.#isSymmetric && !roundedSymmetry;
  }

  /** Other values: a new analysis may count otherwise. */
  reset(): void {
    this.#predictedMs = undefined;
  }

  /** Takes what an analysis has counted. @returns the time of factors and a solve, without that of the analysis, which is spent */
  take({ flops, method }: Prediction): { readonly ms: number; readonly restMs: number } {
    const ms = this.#times.directMs(flops, method === 'lu');
    this.#predictedMs = ms;
    return { ms, restMs: ms - this.#times.analysisMs };
  }

  #factored(): CsrMatrix {
    return this.#isLeastSquares ? new AugmentedSystem(this.#matrix).matrix() : this.#matrix;
  }

  #estimated(): FactorEstimate {
    this.#estimate ??= estimateFactors(this.#factored(), this.#hasSymmetricPattern);
    return this.#estimate;
  }

  /** Whether the graph of A is like a mesh in at most three dimensions. */
  get isOfMesh(): boolean {
    const { isMesh, dimension } = this.#estimated();
    return isMesh && dimension <= MOST_DIMENSIONS;
  }

  /** The least that factors take: their analysis. */
  get leastMs(): number {
    return this.#predictedMs ?? this.#times.analysisMs;
  }

  /** The time of factors and a solve. @param withinMs what they compete with: where an analysis takes little of it, their operations may be hoped to be fewer */
  ms(withinMs = 0): number {
    if (this.#predictedMs !== undefined) return this.#predictedMs;
    const { flops, isMesh } = this.#estimated();
    const { analysisMs } = this.#times;
    const kind = isMesh ? (this.#isSymmetric ? 'symmetricMesh' : 'mesh') : 'other';
    const mayHope = this.#isSymmetric && analysisMs <= TRIAL_ANALYSIS * withinMs;
    const hopedMs = ANALYSES[kind] * analysisMs + (isMesh ? this.#times.dissectionMs(flops, !this.#isSymmetric) : 0);
    return Math.min(this.#times.directMs(mayHope ? flops / HOPE : flops, !this.#isSymmetric), hopedMs);
  }

  /** Whether factors take at most `ms`, as it may be hoped. */
  isWithin(ms: number): boolean {
    return this.leastMs <= ms && this.ms(ms) <= ms;
  }

  /** Whether factors surely take at most `ms`. */
  isSurelyWithin(ms: number): boolean {
    return this.leastMs <= ms && this.ms() <= ms;
  }

  /** Whether factors are known to take more than `ms`: nothing is estimated for it. */
  isKnownAbove(ms: number): boolean {
    return (this.#predictedMs !== undefined || this.#estimate !== undefined) && this.ms() > ms;
  }
}
