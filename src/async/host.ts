/**
 * The worker's half of the façade: owns the engine and all objects that the caller created. Requests are answered in their order, except that long
 * ones share the worker with those that come later (`fair-queue.ts`). The objects of a request are looked up when it arrives, and freed after all requests
 * that arrived before their release. The gallery, the readers and the solvers are loaded when first asked for.
 */
import type { MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { EngineOptions } from '../engine/start-engine.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { VectorLike } from '../operators/operator.js';
import type { Solver } from '../solvers/solver.js';
import { claims, describe } from './describe.js';
import { FairQueue } from './fair-queue.js';
import { HostObjects } from './host-objects.js';
import {
  type Answer,
  type Kind,
  type Movable,
  movable,
  type Request,
  type RequestTypes,
  type SentHandle,
  type SentMatrix,
  sendError,
} from './protocol.js';
import { type ReadFile, readSource } from './read-source.js';

type Send = (answer: Answer, transfer: Movable[]) => void;

/** The differences between Node and a page, in the worker. */
export interface HostPlatform {
  readonly createEngine: (options: EngineOptions) => Promise<Engine>;
  /** Whether the caller can access this worker's memory. */
  readonly shared: boolean;
  /** Takes a lock that shows that the worker runs, and returns its name. */
  readonly holdLifeline: () => Promise<string | undefined>;
  readonly read: ReadFile;
  /** Calls code of the caller, so that what it throws where nobody catches it is known as that of the request with this number. */
  readonly within?: <T>(id: number, call: () => T) => T;
}

/** A request without an answer. */
interface Running {
  readonly kind: Kind;
  readonly controller: AbortController;
  readonly result: Promise<unknown>;
  /** Ends it with an error. */
  readonly fail: (error: unknown) => void;
}

/** The data of a request in addition to its arguments. */
interface Context {
  readonly id: number;
  readonly signal: AbortSignal;
}

type Matrix = MatrixOperator | MatrixInput;

type Handlers = {
  [K in Kind]: (args: RequestTypes[K]['args'], context: Context) => Promise<RequestTypes[K]['result']>;
};

export class Host {
  readonly #send: Send;
  readonly #platform: HostPlatform;
  readonly #queue: FairQueue = new FairQueue();
  readonly #objects = new HostObjects();
  /** Requests without an answer yet. */
  readonly #running = new Map<number, Running>();
  /** Whether code of the caller has run here. */
  #hasRun = false;
  #engine: Engine | undefined;

  constructor(send: Send, platform: HostPlatform) {
    this.#send = send;
    this.#platform = platform;
  }

  async hear(request: Request): Promise<void> {
    const { id, kind } = request;
    if (kind === 'cancel' || kind === 'stop') {
      this.#running.get(id)?.controller.abort();
      if (kind === 'cancel') this.#objects.release(id);
      return;
    }
    const controller = new AbortController();
    const handle = this.#handlers[kind] as (args: unknown, context: Context) => Promise<RequestTypes[Kind]['result']>;
    let fail!: Running['fail'];
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const running = Promise.race([handle(request.args, { id, signal: controller.signal }), failure]);
    this.#running.set(id, { kind, controller, result: running, fail });
    try {
      const result = await running;
      this.#send({ id, result }, movable(kind, result));
    } catch (error) {
      this.#send({ id, error: sendError(error) }, []);
    } finally {
      this.#running.delete(id);
    }
  }

  /**
   * An error that nobody has caught: of a function of the caller that threw in a timer, or left a rejected promise behind. It ends the call of
   * that function; where the call has ended, it is told as a hint.
   *
   * @param id the request of the function; undefined if it is not known, and then that of the only call there is
   * @returns whether it is an error of the caller's code, and not of the library
   */
  stray(error: unknown, id: number | undefined): boolean {
    const calls = [...this.#running].filter(([, { kind }]) => kind === 'run');
    const [, call] = calls.find(([of]) => of === id) ?? (id === undefined && calls.length === 1 ? calls[0]! : []);
    if (call !== undefined) {
      call.fail(error);
      call.controller.abort();
    } else if (this.#hasRun) {
      const { name, message } = sendError(error);
      const text = `run: expected functions that catch their errors, got ${name}: ${message}`;
      this.#send({ hint: { name: 'stray-error', message: text } }, []);
    }
    return this.#hasRun;
  }

  readonly #handlers: Handlers = {
    create: async (options) => {
      const { createEngine, shared, holdLifeline } = this.#platform;
      this.#send({ started: true, lifeline: await holdLifeline() }, []);
      const engine = await createEngine({
        ...options,
        onHint: (hint) => {
          // Without shared memory, vectors are always copied.
          if (shared || hint.name !== 'copying-vectors') this.#send({ hint }, []);
        },
      });
      this.#engine = engine;
      return { threads: engine.threads, binary: engine.binary, shared };
    },

    vector: ({ source, options }, { id, signal }) => {
      return this.#queue.call(() => {
        const vector = this.engine.vector(source, { ...options, device: 'cpu' });
        this.#objects.keep(id, vector);
        return this.#platform.shared ? vector.data : vector.data.slice();
      }, signal);
    },

    operator: async ({ matrix, options }, { id, signal }) => {
      const begin = performance.now();
      const input = await readSource(matrix, signal, this.#platform.read);
      const sourceMs = performance.now() - begin;
      const create = () => {
        const operator = this.engine.operator(input, options);
        this.#objects.keep(id, operator);
        return { ...describe(operator), ...claims(input), sourceMs };
      };
      return this.#queue.call(create, signal);
    },

    apply: async ({ operator, x, y, alpha, beta }, { signal }) => {
      const map = this.#objects.operator(operator);
      const [xOf, yOf] = [this.#objects.vector('x', x), this.#objects.vector('y', y)];
      return this.#queue.call(() => {
        const from = xOf() ?? new map.vectorType(map.cols);
        // The caller sends no array of numbers as y.
        const given = yOf() as VectorLike | undefined;
        if (given === undefined && from instanceof Vector && from.columns > 1) return this.#newBlock(map, from, alpha);
        const to = given ?? new map.vectorType(map.rows);
        map.apply(from, to, alpha, beta);
        if (!(to instanceof Vector)) return to;
        return this.#platform.shared ? undefined : to.data.slice();
      }, signal);
    },

    solve: async ({ matrix, b, x0, options }, { id, signal }) => {
      const [bOf, x0Of] = [this.#objects.vector('b', b), x0 && this.#objects.vector('x0', x0)];
      const run = async (systemOf: () => Solver | Matrix | Promise<Matrix>) => {
        const [{ solutionSteps }, system, sourceMs] = await this.#forSolver(systemOf);
        const given = () => {
          const first = x0Of && { x0: x0Of()! };
          return [this.engine, system, bOf()!, { ...options, ...first, signal }, sourceMs] as const;
        };
        return this.#queue.run({ steps: solutionSteps(given), signal, onProgress: this.#reporter(id) });
      };
      if (!('solver' in matrix)) return run(this.#matrix(matrix, signal));
      const solver = this.#objects.solver(matrix.solver);
      return this.#objects.lockOf(solver).solve(() => run(() => solver), signal);
    },

    solver: async ({ matrix, options }, { id, signal }) => {
      const [{ preparingSteps }, given, sourceMs] = await this.#forSolver(this.#matrix(matrix, signal));
      const steps = preparingSteps(this.engine, given, options, { signal, sourceMs, made: this.#objects.keeper(id) });
      return this.#queue.run({ steps, signal, onProgress: this.#reporter(id) });
    },

    factor: async ({ matrix, options }, { id, signal }) => {
      const [{ factoringSteps }, given, sourceMs] = await this.#forSolver(this.#matrix(matrix, signal));
      const steps = factoringSteps(this.engine, given, options, { signal, sourceMs, made: this.#objects.keeper(id) });
      return this.#queue.run({ steps, signal, onProgress: this.#reporter(id) });
    },

    refactor: async ({ factors, values }, { id, signal }) => {
      const made = this.#objects.factors(factors);
      return this.#objects.lockOf(made).update(async () => {
        const { refactoringSteps } = await import('./host-solve.js');
        return this.#queue.run({
          steps: refactoringSteps(made, values, signal),
          signal,
          onProgress: this.#reporter(id),
        });
      });
    },

    factorSolve: async ({ factors, b }, { signal }) => {
      const made = this.#objects.factors(factors);
      const bOf = this.#objects.vector('b', b);
      return this.#objects.lockOf(made).solve(async () => {
        const { factorSolutionSteps } = await import('./host-solve.js');
        return this.#queue.run({ steps: factorSolutionSteps(made, bOf()!, signal), signal });
      }, signal);
    },

    update: async ({ solver, values }) => {
      const made = this.#objects.solver(solver);
      return this.#objects.lockOf(made).update(async () => {
        await this.#queue.run({ steps: made.updateSteps(values) });
        return undefined;
      });
    },

    search: async ({ name, matrix, mass, start, k, options }, { id, signal }) => {
      const startOf = start && this.#objects.vector('start', start);
      const sources = [matrix, ...(mass === undefined ? [] : [mass])].map((one) => this.#matrix(one, signal));
      const begin = performance.now();
      const [{ searchSteps }, A, B] = await Promise.all([import('./host-search.js'), ...sources.map((read) => read())]);
      const sourceMs = performance.now() - begin;
      const given = () => {
        const others = { ...(B && { B }), ...(startOf && { start: startOf()! }), signal };
        return [this.engine, A!, k, { ...options, ...others }] as const;
      };
      const steps = searchSteps(name, given, sourceMs);
      return this.#queue.run({ steps, signal, onProgress: this.#reporter(id) });
    },

    run: async ({ code, args }, { id, signal }) => {
      const given = args.map((arg) => this.#objects.argument(arg));
      const { callSteps, loadTask } = await import('./load-task.js');
      this.#hasRun = true;
      const { within: inPlatform = (_id, call) => call() } = this.#platform;
      const within = <T>(call: () => T) => inPlatform(id, call);
      const task = await within(() => loadTask(code));
      const steps = callSteps(task, () => [this.engine, ...given.map((argument) => argument())], signal, within);
      return this.#queue.run({ steps, signal, onProgress: this.#reporter(id) });
    },

    time: async ({ operator, repeat }) => {
      const map = this.#objects.operator(operator);
      const { timingSteps } = await import('./timing.js');
      return this.#queue.run({ steps: timingSteps(this.engine, map, repeat) });
    },

    status: () =>
      this.#queue.call(() => {
        const { team, heap } = this.engine;
        return { standing: team.standing, bytesInUse: heap.bytesInUse, byteLength: heap.byteLength };
      }),

    release: async ({ handle }) => {
      const object = this.#objects.take(handle);
      await Promise.allSettled([...this.#running.values()].map(({ result }) => result));
      object?.dispose();
      return undefined;
    },

    dispose: async () => {
      await this.#queue.call(() => this.#queue.close());
      this.#objects.releaseAll();
      await this.#engine?.dispose();
      return undefined;
    },
  };

  /** @throws SparlaneError `argument` before the engine was created */
  get engine(): Engine {
    if (this.#engine === undefined) throw mismatch('argument', 'engine', 'one that was created', undefined);
    return this.#engine;
  }

  /** The code of solvers, what is to be solved, and the time that reading it took. */
  async #forSolver<T>(systemOf: () => T | Promise<T>) {
    const begin = performance.now();
    const [code, system] = await Promise.all([import('./host-solve.js'), systemOf()]);
    return [code, system, performance.now() - begin] as const;
  }

  /** Sends what a request reports. */
  #reporter(id: number): (progress: unknown) => void {
    return (progress) => this.#send({ id, progress }, []);
  }

  /** An operator of the engine; any other matrix is read when it is called. */
  #matrix(matrix: SentMatrix | SentHandle, signal: AbortSignal): () => Matrix | Promise<Matrix> {
    if (!('handle' in matrix)) return () => readSource(matrix, signal, this.#platform.read);
    const operator = this.#objects.operator(matrix.handle);
    return () => operator;
  }

  /** The numbers of α A X, row by row. */
  #newBlock(map: MatrixOperator, x: Vector, alpha: number): FloatArray {
    using y = new Vector(map.space, map.vectorType, map.rows, undefined, x.columns);
    map.apply(x, y, alpha, 0);
    return y.toArray();
  }
}
