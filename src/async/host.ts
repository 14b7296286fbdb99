/**
 * The worker's half of the façade: owns the engine and all objects that the caller created. Requests are answered in their order, except that long
 * ones share the worker with those that come later (`fair-queue.ts`). The gallery, the readers and the solvers are loaded when first
 * asked for; in a page also the formats.
 */
import { mismatch } from '../core/errors.js';
import { loading } from '../core/not-loaded.js';
import type { FloatArray } from '../core/types.js';
import { Vector } from '../memory/vector.js';
import type { Engine } from '../operators/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import type { EngineOptions } from '../operators/start-engine.js';
import type { Solver } from '../solvers/solver.js';
import { claims, describe } from './describe.js';
import { FairQueue } from './fair-queue.js';
import {
  type Answer,
  type Calls,
  type Kind,
  type Movable,
  type Request,
  type SentCall,
  type SentHandle,
  type SentSystem,
  type SentVector,
  sendError,
} from './protocol.js';
import { type ReadFile, readSource } from './read-source.js';

type Send = (answer: Answer, transfer: Movable[]) => void;

/** The differences between Node and a page, in the worker. */
export interface HostPlatform {
  readonly createEngine: (options: EngineOptions) => Promise<Engine>;
  /** Loads the code that the engine does not have yet. */
  readonly loadAll?: (engine: Engine) => Promise<void>;
  /** Whether the caller can access this worker's memory. */
  readonly shared: boolean;
  /** Takes a lock that shows that the worker runs, and returns its name. */
  readonly holdLifeline: () => Promise<string | undefined>;
  readonly read: ReadFile;
}

/** The data of a request in addition to its arguments. */
interface Context {
  readonly id: number;
  readonly signal: AbortSignal;
}

type Handlers = {
  [K in Kind]: (args: Calls[K]['args'], context: Context) => Promise<Calls[K]['result']>;
};

export class Host {
  readonly #send: Send;
  readonly #platform: HostPlatform;
  readonly #queue: FairQueue = new FairQueue();
  /** Objects by the number of the request that created them. */
  readonly #made = new Map<number, Vector | MatrixOperator | Solver>();
  /** Requests without an answer yet. */
  readonly #running = new Map<number, AbortController>();
  /** Requests that run in slices and have not ended. */
  readonly #underWay = new Set<Promise<unknown>>();
  #engine: Engine | undefined;

  constructor(send: Send, platform: HostPlatform) {
    this.#send = send;
    this.#platform = platform;
  }

  async hear(request: Request): Promise<void> {
    const { id, kind } = request;
    if (kind === 'cancel' || kind === 'stop') {
      this.#running.get(id)?.abort();
      if (kind === 'cancel') this.#release(id);
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const handle = this.#handlers[kind] as (args: unknown, context: Context) => Promise<Calls[Kind]['result']>;
      const result = await handle(request.args, { id, signal: controller.signal });
      this.#send({ id, result }, movable(kind, result));
    } catch (error) {
      this.#send({ id, error: sendError(error) }, []);
    } finally {
      this.#running.delete(id);
    }
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

    vector: async ({ source, options }, { id, signal }) => {
      // A format without block products copies columns, which is an operation on vectors.
      if ((options?.columns ?? 1) > 1) await this.#loadAll();
      return this.#queue.call(() => {
        const vector = this.engine.vector(source, { ...options, device: 'cpu' });
        this.#made.set(id, vector);
        return this.#platform.shared ? vector.data : vector.data.slice();
      }, signal);
    },

    operator: async ({ matrix, options }, { id, signal }) => {
      const begin = performance.now();
      const input = await readSource(matrix, signal, this.#platform.read);
      const sourceMs = performance.now() - begin;
      // Otherwise trials would begin again after each format that is loaded.
      if (options?.tune ?? options?.products === 'many') await this.#loadAll();
      const create = () => {
        const operator = this.engine.operator(input, options);
        this.#made.set(id, operator);
        return { ...describe(operator), ...claims(input), sourceMs };
      };
      return loading(() => this.#queue.call(create, signal));
    },

    apply: ({ operator, x, y, alpha, beta }, { signal }) =>
      this.#queue.call(() => {
        const map = this.#operator(operator);
        const from = this.#vector('x', x) ?? new map.vectorType(map.cols);
        const given = this.#vector('y', y);
        if (given === undefined && from instanceof Vector && from.columns > 1) return this.#newBlock(map, from, alpha);
        const to = given ?? new map.vectorType(map.rows);
        map.apply(from, to, alpha, beta);
        if (!(to instanceof Vector)) return to;
        return this.#platform.shared ? undefined : to.data.slice();
      }, signal),

    solve: async ({ matrix, b, x0, options }, { id, signal }) => {
      const begin = performance.now();
      const [{ solutionSteps }, source] = await this.#forSolver(matrix, signal);
      const sourceMs = performance.now() - begin;
      const given = () => {
        const system =
          'solver' in matrix ? this.#solver(matrix.solver) : (source ?? this.#operator((matrix as SentHandle).handle));
        const first = x0 && { x0: this.#vector('x0', x0)! };
        return [this.engine, system, this.#vector('b', b)!, { ...options, ...first, signal }, sourceMs] as const;
      };
      const steps = solutionSteps(given);
      return this.#long(this.#queue.run({ steps, signal, onProgress: this.#reporter(id) }));
    },

    solver: async ({ matrix, options }, { id, signal }) => {
      const begin = performance.now();
      const [{ createSolver, infoOf }, source] = await this.#forSolver(matrix, signal);
      const sourceMs = performance.now() - begin;
      return this.#queue.call(() => {
        const solver = createSolver(this.engine, source ?? this.#operator((matrix as SentHandle).handle), options);
        this.#made.set(id, solver);
        return { ...infoOf(solver), sourceMs };
      }, signal);
    },

    update: ({ solver, values }) => this.#queue.call(() => void this.#solver(solver).update(values)),

    run: async ({ code, args }, { id, signal }) => {
      const [{ callSteps, loadTask }] = await Promise.all([import('./load-task.js'), this.#loadAll()]);
      const task = await loadTask(code);
      const given = args.map((arg) => this.#argument(arg));
      const steps = callSteps(task, () => [this.engine, ...given], signal);
      return this.#long(this.#queue.run({ steps, signal, onProgress: this.#reporter(id) }));
    },

    time: async ({ operator, repeat }) => {
      const { timingSteps } = await import('./timing.js');
      return this.#long(this.#queue.run({ steps: timingSteps(this.engine, this.#operator(operator), repeat) }));
    },

    status: () =>
      this.#queue.call(() => {
        const { team, heap } = this.engine;
        return { standing: team.standing, bytesInUse: heap.bytesInUse, byteLength: heap.byteLength };
      }),

    release: async ({ handle }) => {
      const object = await this.#queue.call(() => this.#made.get(handle));
      this.#made.delete(handle);
      // A request that has begun may use it.
      await Promise.allSettled(this.#underWay);
      object?.dispose();
      return undefined;
    },

    dispose: async () => {
      await this.#queue.call(() => this.#queue.close());
      for (const handle of [...this.#made.keys()]) this.#release(handle);
      await this.#engine?.dispose();
      return undefined;
    },
  };

  /** @throws SparlaneError `argument` before the engine was created */
  get engine(): Engine {
    if (this.#engine === undefined) throw mismatch('argument', 'engine', 'one that was created', undefined);
    return this.#engine;
  }

  /** The code of solvers, and the matrix, unless it is here already. */
  #forSolver(matrix: SentSystem['matrix'], signal: AbortSignal) {
    const isHere = 'handle' in matrix || 'solver' in matrix;
    return Promise.all([
      import('./host-solve.js'),
      isHere ? undefined : readSource(matrix, signal, this.#platform.read),
      this.#loadAll(),
    ]);
  }

  /** What solvers and functions of the caller may need of the engine. */
  async #loadAll(): Promise<void> {
    await this.#platform.loadAll?.(this.engine);
  }

  /** A request of several slices. */
  #long<T>(result: Promise<T>): Promise<T> {
    this.#underWay.add(result);
    const end = () => this.#underWay.delete(result);
    result.then(end, end);
    return result;
  }

  /** Sends what a request reports. */
  #reporter(id: number): (progress: unknown) => void {
    return (progress) => this.#send({ id, progress }, []);
  }

  #release(handle: number): void {
    this.#made.get(handle)?.dispose();
    this.#made.delete(handle);
  }

  #operator(handle: number): MatrixOperator {
    const operator = this.#made.get(handle);
    if (operator instanceof MatrixOperator) return operator;
    throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
  }

  #solver(handle: number): Solver {
    const solver = this.#made.get(handle);
    if (solver !== undefined && 'steps' in solver) return solver;
    throw mismatch('argument', 'solver', 'one that is in use', 'a disposed solver');
  }

  /** The numbers of α A X, row by row. */
  #newBlock(map: MatrixOperator, x: Vector, alpha: number): FloatArray {
    using y = new Vector(map.space, map.vectorType, map.rows, undefined, x.columns);
    map.apply(x, y, alpha, 0);
    return y.toArray();
  }

  /** Undefined for a y that only the worker creates. */
  #vector(name: string, { handle, numbers }: SentVector): Vector | FloatArray | undefined {
    if (handle === undefined) return numbers;
    const vector = this.#made.get(handle);
    if (!(vector instanceof Vector)) throw mismatch('argument', name, 'a vector in use', 'a disposed vector');
    if (numbers !== undefined) vector.data.set(numbers);
    return vector;
  }

  /** Of a call: a value, an operator or a vector. */
  #argument(arg: SentCall['args'][number]): unknown {
    if ('value' in arg) return arg.value;
    const isOperator = this.#made.get(arg.handle!) instanceof MatrixOperator;
    return isOperator ? this.#operator(arg.handle!) : this.#vector('args', arg);
  }
}

/** Copies of numbers are moved to the caller without another copy. What a function returns may still be in use. */
function movable(kind: Kind, result: Calls[Kind]['result']): Movable[] {
  if (kind === 'run') return [];
  const numbers = kind === 'solve' ? (result as Calls['solve']['result']).x : result;
  return ArrayBuffer.isView(numbers) && numbers.buffer instanceof ArrayBuffer ? [numbers.buffer] : [];
}
