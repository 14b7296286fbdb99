/** From what a caller gives to a checked problem with at least as many rows as columns: operators, entries, limits. */
import { transposeMatrix } from '../../algebra/transpose.js';
import { callback, integer, knownKeys, oneOf, within } from '../../core/checks.js';
import { type CsrMatrix, csrMatrix } from '../../core/csr.js';
import { checkSignal } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import { Owned } from '../../core/owned.js';
import type { Engine } from '../../engine/engine.js';
import { totalOf } from '../../memory/space.js';
import { MatrixOperator } from '../../operators/matrix-operator.js';
import { LinearOperator } from '../../operators/operator.js';
import { usualLimit } from '../../solvers/arguments.js';
import { type Transposable, transposeOf } from '../../solvers/bidiagonalize.js';
import { DEFAULT_TOLERANCE, usualBasisSize } from '../limits.js';
import { checkEngine } from '../operand.js';
import { usualCrossBasis } from './cross.js';
import type { SingularMatrix, SingularMethod, SingularProblem, SvdsOptions, SvdsStep } from './singular.js';

/** A search may take so many steps, however small the matrix is. Chosen. */
const LEAST_ITERATIONS = 1000;
const OVERSAMPLING = 10;
const POWER_ITERATIONS = 2;
/** Products of documents × terms with blocks of 4 columns take the same time with compressed rows as with the formats that `auto` chooses, which take longer to make. */
const BLOCKS = { format: 'csr' };
/** A matrix with so many times the columns of the basis of `cross` is large enough for it. Chosen: smaller ones take milliseconds by any method. */
const LARGE = 2;

const METHODS: readonly (SingularMethod | 'auto')[] = ['auto', 'lanczos', 'cross', 'inverse', 'randomized'];

const OPTIONS: Record<keyof SvdsOptions, true> = {
  which: true,
  method: true,
  tolerance: true,
  maxIterations: true,
  basisSize: true,
  oversampling: true,
  powerIterations: true,
  seed: true,
  signal: true,
  onProgress: true,
};

export class SingularSetup implements Disposable {
  readonly problem: SingularProblem;
  /** Whether the problem is that of Aᵀ, so that U and V change places. */
  readonly isWide: boolean;
  /** The entries of the problem's A, if they are known. */
  readonly matrix: CsrMatrix | undefined;
  readonly method: SingularMethod | 'auto';
  /** The vectors of the basis of `cross`, if that is to be tried. */
  readonly crossBasis: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly oversampling: number;
  readonly powerIterations: number;
  /** A sentence for each choice and refusal. */
  readonly reasons: string[] = [];
  readonly #owned = new Owned();

  /** @throws SparlaneError `argument` or `shape` */
  constructor(engine: Engine, input: SingularMatrix, k: number, options: SvdsOptions) {
    checkEngine(engine);
    knownKeys<SvdsOptions>('options', options, OPTIONS);
    const signal = checkSignal(options.signal);
    this.signal = signal;
    const { onProgress } = options;
    if (onProgress !== undefined) callback('onProgress', onProgress);
    this.method = oneOf('method', options.method ?? 'auto', METHODS);
    this.oversampling = integer('oversampling', options.oversampling ?? OVERSAMPLING);
    this.powerIterations = integer('powerIterations', options.powerIterations ?? POWER_ITERATIONS, 0, 1000);
    const which = oneOf('which', options.which ?? 'largest', ['largest', 'smallest']);
    if (which === 'smallest' && (this.method === 'randomized' || this.method === 'cross'))
      throw mismatch('argument', 'method', "lanczos | inverse, with which 'smallest'", this.method);
    if (which === 'largest' && this.method === 'inverse')
      throw mismatch('argument', 'method', "lanczos | cross | randomized, with which 'largest'", this.method);
    const tolerance = within('tolerance', options.tolerance ?? DEFAULT_TOLERANCE, 0, 1);
    const seed = integer('seed', options.seed ?? 1);
    integer('k', k, 1);
    if (options.basisSize !== undefined) integer('basisSize', options.basisSize, 1);
    try {
      const mayBeCross = this.method === 'auto' && which === 'largest' && engine.space.heap !== undefined;
      const crossBasisOf: CrossBasisOf = (short, nnz) => {
        const basis = options.basisSize ?? usualCrossBasis(k, (nnz ?? 0) / short);
        const isCross = this.method === 'cross' || (mayBeCross && nnz !== undefined && short >= LARGE * basis);
        // A named method has room for restarts in a small matrix, too.
        return isCross ? Math.min(basis, options.basisSize === undefined ? short >> 1 : short) : undefined;
      };
      const { A, At, matrix, isWide, crossBasis } = this.#operators(engine, input, crossBasisOf);
      const short = totalOf(A.space, A.cols);
      integer('k', k, 1, short);
      const asked = options.basisSize;
      const basisSize = asked === undefined ? undefined : integer('basisSize', asked, Math.min(k + 2, short));
      const limit = integer('maxIterations', options.maxIterations ?? usualLimit(short, LEAST_ITERATIONS), 1);
      const { method, oversampling, powerIterations } = this;
      const facts = { k, which, method, tolerance, seed, limit, basisSize: basisSize ?? 'default' };
      A.space.ranks?.compare('the singular values', { ...facts, oversampling, powerIterations });
      let isStopped = false;
      this.isWide = isWide;
      this.matrix = matrix;
      this.crossBasis = crossBasis;
      this.problem = {
        ...{ A, At, size: short, k, which, tolerance, seed, limit, isInverse: false },
        basisSize: Math.min(short, basisSize ?? usualBasisSize(k)),
        isStopped: () => isStopped || signal?.aborted === true,
        report: (step: SvdsStep) => {
          if (onProgress?.(step) === false) isStopped = true;
        },
      };
    } catch (error) {
      this.#owned[Symbol.dispose]();
      throw error;
    }
  }

  #operators(engine: Engine, input: SingularMatrix, crossBasisOf: CrossBasisOf) {
    if (input instanceof LinearOperator) return givenOperators(input, crossBasisOf);
    const given = csrMatrix(input);
    const isWide = given.rows < given.cols;
    const crossBasis = crossBasisOf(Math.min(given.rows, given.cols), given.nnz);
    if (crossBasis !== undefined) {
      const operator = this.#owned.own(engine.operator(given, BLOCKS));
      const other = operator.transposed(BLOCKS);
      const [A, At] = isWide ? [other, operator] : [operator, other];
      return { A, At, matrix: undefined, isWide, crossBasis };
    }
    const matrix = isWide ? transposeMatrix(given) : given;
    const A = this.#owned.own(engine.operator(matrix, { products: 'many', tune: false }));
    return { A, At: A.transposed(), matrix, isWide, crossBasis };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** The vectors of the basis of `cross`, if that is to be tried, for so many rows or columns, whichever are fewer, and so many entries, if they are known. */
type CrossBasisOf = (short: number, nnz: number | undefined) => number | undefined;

/** An operator of the caller, and its transpose, which has kernels for blocks where they are multiplied. */
function givenOperators(input: Transposable, crossBasisOf: CrossBasisOf) {
  const [rows, cols] = [input.rows, input.cols].map((count) => totalOf(input.space, count)) as [number, number];
  const isWide = rows < cols;
  const stored = input instanceof MatrixOperator ? input : undefined;
  const crossBasis = crossBasisOf(Math.min(rows, cols), stored?.matrix.nnz);
  const isCross = crossBasis !== undefined;
  const other = isCross && stored !== undefined ? stored.transposed(BLOCKS) : transposeOf(input);
  const known = isCross ? undefined : stored?.toCsr();
  const matrix = isWide && known !== undefined ? transposeMatrix(known) : known;
  const [A, At] = isWide ? [other, input] : [input, other];
  return { A, At, matrix, isWide, crossBasis };
}
