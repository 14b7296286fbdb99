/**
 * The worker's half of the façade: owns the engine and all objects that the page created, and answers requests in turn.
 */
import type { MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { holdLifeline } from '../execution/lifeline.browser.js';
import { Vector } from '../memory/vector.js';
import { createEngine } from '../operators/create-engine.browser.js';
import type { Engine } from '../operators/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { solveAsync } from '../solvers/solve.js';
import {
  type Answer,
  type Calls,
  type Kind,
  type Request,
  type SentSolution,
  type SentSystem,
  type SentVector,
  sendError,
} from './protocol.js';
import { readSource } from './read-source.js';
import { timeProducts } from './timing.js';

type Send = (answer: Answer, transfer?: Transferable[]) => void;

/** The data of a request in addition to its arguments. */
interface Context {
  readonly id: number;
  readonly signal: AbortSignal;
}

type Handlers = {
  [K in Kind]: (args: Calls[K]['args'], context: Context) => Calls[K]['result'] | Promise<Calls[K]['result']>;
};

export class Host {
  readonly #send: Send;
  /** Objects by the number of the request that created them. */
  readonly #made = new Map<number, Vector | MatrixOperator>();
  /** Requests without an answer yet. */
  readonly #running = new Map<number, AbortController>();
  /** Solves that have not ended, by the number of their request. */
  readonly #solves = new Map<number, AbortController>();
  #engine: Engine | undefined;
  /** Whether the page can access this worker's memory. */
  readonly #shared: boolean = crossOriginIsolated;

  constructor(send: Send) {
    this.#send = send;
  }

  async hear(request: Request): Promise<void> {
    const { id } = request;
    if (request.kind === 'cancel') {
      this.#running.get(id)?.abort();
      this.#release(id);
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const handle = this.#handlers[request.kind] as (args: unknown, context: Context) => Calls[Kind]['result'];
      const result = await handle(request.args, { id, signal: controller.signal });
      if (controller.signal.aborted) this.#release(id);
      else this.#send({ id, result }, transferable(result));
    } catch (error) {
      this.#send({ id, error: sendError(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  readonly #handlers: Handlers = {
    create: async (options) => {
      this.#send({ started: true });
      const engine = await createEngine({
        ...options,
        onHint: (hint) => {
          // Without shared memory, vectors are always copied.
          if (this.#shared || hint.name !== 'copying-vectors') this.#send({ hint });
        },
      });
      this.#engine = engine;
      return {
        threads: engine.threads,
        binary: engine.binary,
        shared: this.#shared,
        lifeline: await holdLifeline(),
      };
    },

    vector: ({ source, dtype }, { id }) => {
      const vector = this.engine.vector(source, { dtype });
      this.#made.set(id, vector);
      return this.#shared ? vector.data : vector.data.slice();
    },

    operator: async ({ matrix, options }, { id, signal }) => {
      const begin = performance.now();
      const input = await readSource(matrix, signal);
      const sourceMs = performance.now() - begin;
      signal.throwIfAborted();
      const operator = this.engine.operator(input, options);
      this.#made.set(id, operator);
      return { ...describe(operator), ...claims(input), sourceMs };
    },

    apply: ({ operator, x, y, alpha, beta }) => {
      const map = this.#operator(operator);
      const from = this.#vector('x', x) ?? new map.vectorType(map.cols);
      const to = this.#vector('y', y) ?? new map.vectorType(map.rows);
      map.apply(from, to, alpha, beta);
      if (!(to instanceof Vector)) return to;
      return this.#shared ? undefined : to.data.slice();
    },

    solve: async (system, { id }) => {
      const controller = new AbortController();
      this.#solves.set(id, controller);
      try {
        return await this.#solve(system, id, controller);
      } finally {
        this.#solves.delete(id);
      }
    },

    stop: ({ solve }) => {
      this.#solves.get(solve)?.abort();
      return undefined;
    },

    time: ({ operator, repeat }) => timeProducts(this.engine, this.#operator(operator), repeat),

    status: () => {
      const { team, heap } = this.engine;
      return { standing: team.standing, bytesInUse: heap.bytesInUse, byteLength: heap.byteLength };
    },

    release: ({ handle }) => this.#release(handle),

    dispose: async () => {
      for (const handle of [...this.#made.keys()]) this.#release(handle);
      await this.#engine?.dispose();
      return undefined;
    },
  };

  /** In slices: other requests are answered between two of them. */
  async #solve(system: SentSystem, id: number, controller: AbortController): Promise<SentSolution> {
    const { matrix, b, x0, isAborted, options } = system;
    const { signal } = controller;
    const begin = performance.now();
    const input = 'operator' in matrix ? this.#operator(matrix.operator) : await readSource(matrix, signal);
    const sourceMs = performance.now() - begin;
    if (isAborted) controller.abort();
    const first = x0 && { x0: this.#vector('x0', x0)! };
    const solution = await solveAsync(this.engine, input, this.#vector('b', b)!, {
      ...options,
      ...first,
      signal,
      onProgress: (progress) => this.#send({ id, progress }),
    });
    using x = solution.x;
    return { ...solution, x: x.toArray() as Float64Array, sourceMs };
  }

  /** @throws SparlaneError `argument` before the engine was created */
  get engine(): Engine {
    if (this.#engine === undefined) throw mismatch('argument', 'engine', 'one that was created', undefined);
    return this.#engine;
  }

  #release(handle: number): undefined {
    this.#made.get(handle)?.dispose();
    this.#made.delete(handle);
  }

  #operator(handle: number): MatrixOperator {
    const operator = this.#made.get(handle);
    if (operator instanceof MatrixOperator) return operator;
    throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
  }

  /** Undefined for a y that only the worker creates. */
  #vector(name: string, { handle, numbers }: SentVector): Vector | FloatArray | undefined {
    if (handle === undefined) return numbers;
    const vector = this.#made.get(handle);
    if (!(vector instanceof Vector)) throw mismatch('argument', name, 'a vector in use', 'a disposed vector');
    return numbers === undefined ? vector : vector.set(numbers);
  }
}

function describe({ matrix, plan, setupMs, decision, ordering }: MatrixOperator) {
  const { rows, cols, nnz, spec, dtype, bytes } = matrix;
  const { backend, threads, parts } = plan;
  return { rows, cols, nnz, format: spec, dtype, decision, ordering, backend, threads, parts, bytes, setupMs };
}

/** The field and the symmetry that the source declares, as input of `csrMatrix`. */
function claims({ field, values, symmetry }: MatrixInput) {
  return { field: field ?? (values ? 'real' : 'pattern'), symmetry: symmetry ?? 'general' } as const;
}

/** Copies of numbers are transferred to the page without another copy. Shared memory is not transferred. */
function transferable(result: Calls[Kind]['result']): Transferable[] {
  const numbers = typeof result === 'object' && 'x' in result ? result.x : result;
  return ArrayBuffer.isView(numbers) && numbers.buffer instanceof ArrayBuffer ? [numbers.buffer] : [];
}
