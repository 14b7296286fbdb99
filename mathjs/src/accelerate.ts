/**
 * Functions of an instance of mathjs, computed by an engine where it can; chains and expressions use them too. Everything else, and every error, is
 * left to mathjs.
 */
import type { MathJsInstance, Matrix } from 'mathjs';
import type { Engine, Vector } from 'sparlane';
import { eigenpairs } from './eigenpairs.js';
import { KeptMatrices } from './kept-matrices.js';
import type { Link } from './link.js';
import { wrong } from './matrices.js';
import { product } from './products.js';
import { inverse, solution } from './solutions.js';

declare module 'mathjs' {
  interface MathJsInstance {
    /** Of an accelerated instance: a new vector of the engine, which the caller disposes. */
    multiply(S: Matrix, x: Vector<Float64Array>): Vector<Float64Array>;
  }
}

/** `accelerate` takes these options. */
export interface AccelerateOptions {
  /** Sparse matrices of fewer entries are left to mathjs. Default 1000. */
  readonly minEntries?: number;
  /**
   * From 0 to 1. Of `lusolve` and of the columns of `inv`: ‖b − A x‖ ≤ rtol · ‖b‖, or a residual of rounding errors alone. Of `eigs`: the `tolerance` of
   * `eigs` of sparlane. Default 1e-12. If it is not reached, mathjs computes the result.
   */
  readonly rtol?: number;
}

const MIN_ENTRIES = 1000;
/** Near the residual of a direct solver. */
const RTOL = 1e-12;

/** A function of mathjs, for the types that its signature names. */
type Implementation = (a: Matrix, ...others: never[]) => unknown;
type Signatures = Readonly<Record<string, Implementation>>;
interface TypedFunction {
  readonly signatures: Signatures;
}
/** What the types of mathjs do not declare. */
type Internals = Readonly<Record<string, TypedFunction>> & {
  readonly typed: (name: string, signatures: Signatures) => TypedFunction;
};

/** What replaces a function of mathjs: for these types of arguments, unless it returns undefined. */
interface Replacement {
  readonly compute: (link: Link, a: Matrix, ...others: never[]) => unknown;
  readonly types: readonly string[];
}

const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  // A vector of the engine is no type of mathjs. `SparseMatrix,DenseMatrix` would never be reached behind `Matrix,Matrix`.
  multiply: { compute: product, types: ['Matrix,Matrix', 'SparseMatrix,any'] },
  lusolve: {
    compute: solution,
    types: ['Array', 'Matrix'].flatMap((b) => [`SparseMatrix,${b}`, `SparseMatrix,${b},number,number`]),
  },
  inv: { compute: inverse, types: ['Matrix'] },
  eigs: { compute: eigenpairs, types: ['Matrix', 'Matrix,number', 'Matrix,Object'] },
};

/** The instances whose functions are replaced. */
const accelerated = new WeakSet<MathJsInstance>();

/**
 * Imports `multiply`, `lusolve`, `inv` and `eigs` into an instance of mathjs. They compute if the matrix is a SparseMatrix of finite numbers with at
 * least `minEntries` entries, and return what those of mathjs return; sums may be rounded in another order. Everything else is left to mathjs.
 *
 * `multiply(S, D)` and `multiply(S, T)`, for sparse S and T and dense D of numbers, return a SparseMatrix, as in mathjs; elements of D below 1e-15 are
 * not taken for 0. `multiply(S, x)` with a vector or a block of vectors of the engine returns a new one, which the caller disposes. One column is
 * multiplied by the arrays of S as they are, on the caller's thread. For several columns, for a vector on a GPU, and for a matrix whose arrays are frozen
 * (`freeze`), S is an operator of the engine, which is kept until S changes or is collected; changes are noticed by comparing all entries,
 * which a frozen matrix does not need.
 *
 * `lusolve(S, b)` solves by the factors of S, which are kept as the operator is; above 32,768 rows, or on a GPU, the library chooses between factors and
 * iterations. It returns a DenseMatrix of one column. `inv(S)` solves with the same factors, up to 32,768 rows. `eigs(S)` finds the eigenpairs of
 * a symmetric S.
 *
 * @returns `dispose` restores the functions and frees operators and factors. To be disposed before the engine
 * @throws SparlaneError `argument` for a wrong option, or for an instance that is accelerated already
 */
export function accelerate(math: MathJsInstance, engine: Engine, options: AccelerateOptions = {}): Disposable {
  const { minEntries = MIN_ENTRIES, rtol = RTOL } = options;
  if (!(minEntries >= 0)) throw wrong('minEntries', 'a number from 0 on', minEntries);
  if (!(rtol >= 0 && rtol <= 1)) throw wrong('rtol', 'a number from 0 to 1', rtol);
  if (accelerated.has(math)) throw wrong('math', 'an instance that is not accelerated', 'one that is');
  const link: Link = { math, engine, kept: new KeptMatrices(engine), minEntries, rtol };
  const internals = math as unknown as Internals;
  const originals: Record<string, TypedFunction> = {};
  const replaced: Record<string, TypedFunction> = {};
  // mathjs creates functions at their first use (`expm`), and they keep those that they call.
  let isActive = true;
  for (const [name, { compute, types }] of Object.entries(REPLACEMENTS)) {
    // An instance may be created of some functions only.
    const original = internals[name];
    if (original === undefined) continue;
    const { signatures } = original;
    const hooked = types.map((type): [string, Implementation] => [
      type,
      (a, ...others) => (isActive ? compute(link, a, ...others) : undefined) ?? signatures[type]!(a, ...others),
    ]);
    originals[name] = original;
    replaced[name] = internals.typed(name, { ...signatures, ...Object.fromEntries(hooked) });
  }
  math.import(replaced, { override: true });
  accelerated.add(math);
  return {
    [Symbol.dispose]: () => {
      if (!isActive) return;
      isActive = false;
      accelerated.delete(math);
      math.import(originals, { override: true });
      link.kept[Symbol.dispose]();
    },
  };
}
