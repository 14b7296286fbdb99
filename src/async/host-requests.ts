/**
 * What the requests of a caller do in the worker: those that make vectors, operators, solvers and factors, and those that compute with them. The objects
 * of a request are looked up when it arrives. The gallery, the readers and the solvers are loaded when first asked for.
 */
import type { ComplexMatrix } from '../core/complex.js';
import type { MatrixInput } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { LinearOperator, VectorLike } from '../operators/operator.js';
import type { Solver } from '../solvers/solver.js';
import { claims, describe } from './describe.js';
import type { FairQueue } from './fair-queue.js';
import type { HostObjects } from './host-objects.js';
import type { Kind, OperatorInfo, RequestTypes, SentHandle, SentMatrix } from './protocol.js';
import { type LoadReaders, readAnySource, readSource } from './read-source.js';

type Matrix = MatrixOperator | MatrixInput;
/** What solvers and factors take. */
type System = Matrix | ComplexMatrix;

/** The data of a request in addition to its arguments. */
export interface RequestContext {
  readonly id: number;
  readonly signal: AbortSignal;
}

export type Handlers<K extends Kind = Kind> = {
  readonly [N in K]: (args: RequestTypes[N]['args'], context: RequestContext) => Promise<RequestTypes[N]['result']>;
};

/** What requests share. */
export interface HostState {
  /** @throws SparlaneError `argument` before the engine was created */
  readonly engine: () => Engine;
  readonly queue: FairQueue;
  readonly objects: HostObjects;
  readonly platform: {
    /** Whether the caller can access this worker's memory. */
    readonly shared: boolean;
    readonly readers: LoadReaders;
  };
  /** Sends what a request reports. */
  readonly reporter: (id: number) => (progress: unknown) => void;
}

/** The requests that are about the engine itself, or call the caller's code. */
export type EngineRequest = 'create' | 'run' | 'status' | 'release' | 'dispose';

export function requestHandlers(host: HostState): Handlers<Exclude<Kind, EngineRequest>> {
  const { engine, queue, objects, platform, reporter } = host;

  /** The code of solvers, what is to be solved, and the time that reading it took. */
  const forSolver = async <T>(systemOf: () => T | Promise<T>) => {
    const begin = performance.now();
    const [code, system] = await Promise.all([import('./host-solve.js'), systemOf()]);
    return [code, system, performance.now() - begin] as const;
  };

  /** The code of functions of matrices, the matrix, and the time that reading it took. */
  const forFunctions = async <T>(matrixOf: () => T | Promise<T>) => {
    const begin = performance.now();
    const [code, matrix] = await Promise.all([import('./host-functions.js'), matrixOf()]);
    return [code, { matrix, sourceMs: performance.now() - begin }] as const;
  };

  /** Returns a function that gives an operator of the engine at once, and reads any other matrix. */
  const matrixOf = (matrix: SentMatrix | SentHandle, signal: AbortSignal): (() => Matrix | Promise<Matrix>) => {
    if (!('handle' in matrix)) return () => readSource(matrix, signal, platform.readers);
    const operator = objects.operator(matrix.handle);
    return () => operator;
  };

  /** The same for a matrix that may be complex. */
  const systemOf = (matrix: SentMatrix | SentHandle, signal: AbortSignal): (() => System | Promise<System>) =>
    'handle' in matrix ? matrixOf(matrix, signal) : () => readAnySource(matrix, signal, platform.readers);

  /** Reads a matrix, and makes an operator of it. */
  const operate = async <M extends MatrixInput | ComplexMatrix>(
    reading: Promise<M>,
    make: (input: M) => MatrixOperator,
    { id, signal }: RequestContext,
  ): Promise<OperatorInfo> => {
    const begin = performance.now();
    const input = await reading;
    const sourceMs = performance.now() - begin;
    const create = () => {
      const operator = make(input);
      objects.keep(id, operator);
      return { ...describe(operator), ...claims(input), sourceMs };
    };
    return queue.call(create, signal);
  };

  return {
    vector: ({ source, options }, { id, signal }) => {
      return queue.call(() => {
        const vector = engine().vector(source, { ...options, device: 'cpu' });
        objects.keep(id, vector);
        return platform.shared ? vector.data : vector.data.slice();
      }, signal);
    },

    operator: ({ matrix, options }, context) => {
      const reading = readSource(matrix, context.signal, platform.readers);
      return operate(reading, (input) => engine().operator(input, options), context);
    },

    complexOperator: async ({ matrix, options }, context) => {
      const { complexOf, complexOperator } = await import('./host-complex.js');
      const reading = readAnySource(matrix, context.signal, platform.readers).then(complexOf);
      return operate(reading, (input) => complexOperator(engine(), input, options), context);
    },

    apply: async ({ operator, x, y, ...factors }, { signal }) => {
      const map = objects.operator(operator);
      // A real operator refuses complex factors.
      const { alpha, beta } = factors as Record<keyof typeof factors, number>;
      const [xOf, yOf] = [objects.vector('x', x), objects.vector('y', y)];
      return queue.call(() => {
        const from = xOf() ?? new map.vectorType(map.cols);
        // The caller sends no array of numbers as y.
        const given = yOf() as VectorLike | undefined;
        if (given === undefined && from instanceof Vector && from.columns > 1) return newBlock(map, from, alpha);
        const to = given ?? new map.vectorType(map.rows);
        map.apply(from, to, alpha, beta);
        if (!(to instanceof Vector)) return to;
        return platform.shared ? undefined : to.data.slice();
      }, signal);
    },

    solve: async ({ matrix, b, x0, options }, { id, signal }) => {
      const [bOf, x0Of] = [objects.vector('b', b), x0 && objects.vector('x0', x0)];
      const run = async (read: () => Solver | System | Promise<System>) => {
        const [{ solutionSteps }, system, sourceMs] = await forSolver(read);
        const given = () => {
          const first = x0Of && { x0: x0Of()! };
          return [engine(), system, bOf()!, { ...options, ...first, signal }, sourceMs] as const;
        };
        return queue.run({ steps: solutionSteps(given), signal, onProgress: reporter(id) });
      };
      if (!('solver' in matrix)) return run(systemOf(matrix, signal));
      const solver = objects.solver(matrix.solver);
      return objects.lockOf(solver).solve(() => run(() => solver), signal);
    },

    solver: async ({ matrix, options }, { id, signal }) => {
      const [{ preparingSteps }, given, sourceMs] = await forSolver(systemOf(matrix, signal));
      const steps = preparingSteps(engine(), given, options, { signal, sourceMs, made: objects.keeper(id) });
      return queue.run({ steps, signal, onProgress: reporter(id) });
    },

    factor: async ({ matrix, options }, { id, signal }) => {
      const [{ factoringSteps }, given, sourceMs] = await forSolver(systemOf(matrix, signal));
      const steps = factoringSteps(engine(), given, options, { signal, sourceMs, made: objects.keeper(id) });
      return queue.run({ steps, signal, onProgress: reporter(id) });
    },

    refactor: async ({ factors, values }, { id, signal }) => {
      const made = objects.factors(factors);
      return objects.lockOf(made).update(async () => {
        const { refactoringSteps } = await import('./host-solve.js');
        return queue.run({
          steps: refactoringSteps(made, values, signal),
          signal,
          onProgress: reporter(id),
        });
      });
    },

    factorSolve: async ({ factors, b }, { signal }) => {
      const made = objects.factors(factors);
      const bOf = objects.vector('b', b);
      return objects.lockOf(made).solve(async () => {
        const { factorSolutionSteps } = await import('./host-solve.js');
        return queue.run({ steps: factorSolutionSteps(made, bOf()!, signal), signal });
      }, signal);
    },

    update: async ({ solver, values }) => {
      const made = objects.solver(solver);
      return objects.lockOf(made).update(async () => {
        await queue.run({ steps: made.updateSteps(values) });
        return undefined;
      });
    },

    search: async ({ name, matrix, mass, start, k, options }, { id, signal }) => {
      const startOf = start && objects.vector('start', start);
      const sources = [matrix, ...(mass === undefined ? [] : [mass])].map((one) => matrixOf(one, signal));
      const begin = performance.now();
      const [{ searchSteps }, A, B] = await Promise.all([import('./host-search.js'), ...sources.map((read) => read())]);
      const sourceMs = performance.now() - begin;
      const given = () => {
        const others = { ...(B && { B }), ...(startOf && { start: startOf()! }), signal };
        return [engine(), A!, k, { ...options, ...others }] as const;
      };
      const steps = searchSteps(name, given, sourceMs);
      return queue.run({ steps, signal, onProgress: reporter(id) });
    },

    expMultiply: async ({ matrix, x, t, options }, { signal }) => {
      const xOf = objects.vector('x', x);
      const [{ productOf }, given] = await forFunctions(matrixOf(matrix, signal));
      return queue.run({ steps: productOf(engine(), given, () => xOf()!, t, options, signal), signal });
    },

    exponential: async ({ matrix, t, options }, { id, signal }) => {
      const [{ exponentialIn }, given] = await forFunctions(matrixOf(matrix, signal));
      return queue.call(() => exponentialIn(engine(), given, t, options, (made) => objects.keep(id, made)), signal);
    },

    matrixFunction: async ({ matrix, options }, { id, signal }) => {
      const [{ functionIn }, given] = await forFunctions(matrixOf(matrix, signal));
      return queue.call(() => functionIn(engine(), given, options, (made) => objects.keep(id, made)), signal);
    },

    series: async ({ map, series }) => {
      const made = objects.map(map);
      const { giveSeries } = await import('./host-functions.js');
      return giveSeries(made, series);
    },

    evaluate: async ({ map, x }, { signal }) => {
      const [made, xOf] = [objects.map(map), objects.vector('x', x)];
      const { evaluation } = await import('./host-functions.js');
      return queue.run({ steps: evaluation(made, () => xOf()!, signal), signal });
    },

    trace: async ({ matrix, options }, { signal }) => {
      const operator = 'handle' in matrix ? objects.anyOperator(matrix.handle) : undefined;
      const read: () => Matrix | LinearOperator | Promise<Matrix> =
        operator === undefined ? matrixOf(matrix, signal) : () => operator;
      const run = async () => {
        const [{ traceOf }, given] = await forFunctions(read);
        return queue.run({ steps: traceOf(engine(), given, options, signal), signal });
      };
      const lock = operator && objects.lockIf(operator);
      return lock === undefined ? run() : lock.solve(run, signal);
    },

    inverseDiagonal: async ({ factors, places }, { signal }) => {
      const made = objects.factors(factors);
      return objects.lockOf(made).solve(async () => {
        const { inverseDiagonalOf } = await import('./host-functions.js');
        return queue.run({ steps: inverseDiagonalOf(made, places, signal), signal });
      }, signal);
    },

    time: async ({ operator, repeat }) => {
      const map = objects.operator(operator);
      const { timingSteps } = await import('./timing.js');
      return queue.run({ steps: timingSteps(engine(), map, repeat) });
    },
  };
}

/** Computes α A X in a new block, and returns its numbers, row by row. */
function newBlock(map: MatrixOperator, x: Vector, alpha: number): FloatArray {
  using y = new Vector(map.space, map.vectorType, map.rows, undefined, x.columns);
  map.apply(x, y, alpha, 0);
  return y.toArray();
}
