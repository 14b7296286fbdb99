/**
 * The worker's half of the façade: owns the engine and all objects that the caller created. Requests are answered in their order, except that long
 * ones share the worker with those that come later (`fair-queue.ts`). The objects of a request are freed after all requests that arrived before their
 * release. `host-requests.ts` has what most requests do.
 */
import { mismatch } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import type { EngineOptions } from '../engine/start-engine.js';
import { FairQueue } from './fair-queue.js';
import { HostObjects } from './host-objects.js';
import { type EngineRequest, type Handlers, type RequestContext, requestHandlers } from './host-requests.js';
import {
  type Answer,
  type Kind,
  type Movable,
  movable,
  type Request,
  type RequestTypes,
  sendError,
} from './protocol.js';
import type { LoadReaders } from './read-source.js';

type Send = (answer: Answer, transfer: Movable[]) => void;

/** The differences between Node and a page, in the worker. */
export interface HostPlatform {
  readonly createEngine: (options: EngineOptions) => Promise<Engine>;
  /** Whether the caller can access this worker's memory. */
  readonly shared: boolean;
  /** Takes a lock that shows that the worker runs, and returns its name. */
  readonly holdLifeline: () => Promise<string | undefined>;
  readonly readers: LoadReaders;
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

export class Host {
  readonly #send: Send;
  readonly #platform: HostPlatform;
  readonly #queue: FairQueue = new FairQueue();
  readonly #objects = new HostObjects();
  /** Requests without an answer yet. */
  readonly #running = new Map<number, Running>();
  /** Whether code of the caller has run here. */
  #hasRun = false;
  readonly #handlers: Handlers;
  #engine: Engine | undefined;

  constructor(send: Send, platform: HostPlatform) {
    this.#send = send;
    this.#platform = platform;
    this.#handlers = { ...this.#ofEngine, ...this.#ofObjects() };
  }

  async hear(request: Request): Promise<void> {
    const { id, kind } = request;
    if (kind === 'cancel' || kind === 'stop') {
      this.#running.get(id)?.controller.abort();
      if (kind === 'cancel') this.#objects.release(id);
      return;
    }
    const controller = new AbortController();
    const handle = this.#handlers[kind] as (
      args: unknown,
      context: RequestContext,
    ) => Promise<RequestTypes[Kind]['result']>;
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

  readonly #ofEngine: Handlers<EngineRequest> = {
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

  #ofObjects(): Handlers<Exclude<Kind, EngineRequest>> {
    return requestHandlers({
      engine: () => this.engine,
      queue: this.#queue,
      objects: this.#objects,
      platform: this.#platform,
      reporter: (id) => this.#reporter(id),
    });
  }

  /** Sends what a request reports. */
  #reporter(id: number): (progress: unknown) => void {
    return (progress) => this.#send({ id, progress }, []);
  }

  /** @throws SparlaneError `argument` before the engine was created */
  get engine(): Engine {
    if (this.#engine === undefined) throw mismatch('argument', 'engine', 'one that was created', undefined);
    return this.#engine;
  }
}
