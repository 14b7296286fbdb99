/** The objects that the requests of a caller have made in the worker. */
import { mismatch } from '../core/errors.js';
import { isMoving, type MovingOperator } from '../eigen/moving.js';
import { Vector } from '../memory/vector.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator, type VectorInput } from '../operators/operator.js';
import type { Factorization } from '../preconditioners/factorization.js';
import type { Solver } from '../solvers/solver.js';
import type { SentCall, SentVector } from './protocol.js';
import { SolverLock } from './solver-lock.js';

type HostObject = Vector | MatrixOperator | Solver | Factorization | MovingOperator;

export class HostObjects {
  /** By the number of the request that made each. */
  readonly #made = new Map<number, HostObject>();
  readonly #locks = new WeakMap<HostObject, SolverLock>();

  keep(id: number, made: HostObject): void {
    this.#made.set(id, made);
  }

  /** Keeps a solver or factors, with an order of their later requests. */
  keeper(id: number): (made: Solver | Factorization) => void {
    return (made) => {
      this.keep(id, made);
      this.#locks.set(made, new SolverLock());
    };
  }

  /** The order of the requests of a solver or factors. */
  lockOf(made: Solver | Factorization): SolverLock {
    return this.#locks.get(made)!;
  }

  /** The lock of an operator. It is undefined where requests have no order. */
  lockIf(operator: LinearOperator): SolverLock | undefined {
    return this.#locks.get(operator as HostObject);
  }

  /** Removes an object, which later requests do not find. */
  take(handle: number): HostObject | undefined {
    const object = this.#made.get(handle);
    this.#made.delete(handle);
    return object;
  }

  release(handle: number): void {
    this.take(handle)?.dispose();
  }

  releaseAll(): void {
    for (const handle of [...this.#made.keys()]) this.release(handle);
  }

  operator(handle: number): MatrixOperator {
    const operator = this.#made.get(handle);
    if (operator instanceof MatrixOperator) return operator;
    throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
  }

  // The classes of solvers and factors are not loaded yet.

  solver(handle: number): Solver {
    const solver = this.#made.get(handle);
    if (solver !== undefined && 'steps' in solver) return solver;
    throw mismatch('argument', 'solver', 'one that is in use', 'a disposed solver');
  }

  factors(handle: number): Factorization {
    const factors = this.#made.get(handle);
    if (factors !== undefined && 'solveSteps' in factors) return factors;
    throw mismatch('argument', 'factorization', 'one that is in use', 'a disposed one');
  }

  /** x ↦ f(A) x */
  map(handle: number): MovingOperator {
    const map = this.#made.get(handle);
    if (map !== undefined && isMoving(map)) return map;
    throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
  }

  /** An operator of a matrix, factors, or a function. */
  anyOperator(handle: number): LinearOperator {
    const operator = this.#made.get(handle);
    if (operator instanceof LinearOperator) return operator;
    throw mismatch('argument', 'A', 'one that is in use', 'a disposed one');
  }

  /** To be called when the request runs: it writes the numbers. Undefined for a y that only the worker creates. */
  vector(name: string, { handle, numbers }: SentVector): () => VectorInput | undefined {
    if (handle === undefined) return () => numbers;
    const vector = this.#made.get(handle);
    if (!(vector instanceof Vector)) throw mismatch('argument', name, 'a vector in use', 'a disposed vector');
    return () => {
      if (numbers !== undefined) vector.data.set(numbers);
      return vector;
    };
  }

  /** Of a call: a value, an operator or a vector. */
  argument(arg: SentCall['args'][number]): () => unknown {
    if ('value' in arg) return () => arg.value;
    const object = this.#made.get(arg.handle!);
    return object instanceof MatrixOperator ? () => object : this.vector('args', arg);
  }
}
