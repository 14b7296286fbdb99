/**
 * The team: rank 0, which is the caller of `run`, and members on their own threads. They share one control block.
 *
 * A product is a fork-join that uses only shared memory (`control.ts`): no promise, no message. Each member stands by
 * inside one long task. After some time without a product, a timer of the caller's event loop stands the members down.
 * So an idle engine uses no processor time, and does not keep the process alive if it was not disposed. The next
 * product calls the members back and does not wait for them: parts are claimed, so rank 0 can finish any product alone.
 *
 * If a thread dies, its whole formation is replaced: all threads and the control block, because a thread given up as
 * dead may still be writing. The caller gets an error if a part was lost with the thread, otherwise a hint.
 */
import { SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Kernel } from '../kernels/abi.js';
import type { KernelModule } from '../kernels/module.js';
import type { Heap } from '../memory/heap.js';
import { CARRIES_BYTES, Carries } from './carries.js';
import { CONTROL_BYTES, Control, type Task } from './control.js';
import { patienceWith, silentPart } from './patience.js';
import type { CreatePool, Pool } from './pool.js';

/**
 * Number of loads of a word before a thread sleeps on it, about 100 µs (2 cores of an AMD EPYC Zen 4, Node 20): longer
 * than the gap between two products of a solver. With more threads than cores, threads never spin: there a product took
 * 186 µs with spinning, 50 µs with sleeping.
 */
const SPINS = 8_000;

/**
 * Number of consecutive products without help from members, after which the caller leaves its core for a moment. On 2
 * cores, a product of 97 k entries then took 30 µs almost from the start. Without this it took 58 µs, as on one thread,
 * for up to 90 ms.
 */
const LONELY_PRODUCTS = 8;

/** Interval of the timer. The second consecutive tick without a product in between stands the members down. */
const TICK_MS = 60;

/** Time limit for the start of the threads. Piscina's start in 30–50 ms. */
const START_MS = 10_000;

export interface TeamOptions {
  readonly threads: number;
  /** Cores that this process may use. With more threads than cores, threads never spin. */
  readonly cores: number;
  readonly createPool: CreatePool;
  readonly member?: URL | undefined;
  readonly onHint: (hint: Hint) => void;
}

/** One generation of threads, and their shared words. */
interface Formation {
  readonly pool: Pool;
  readonly control: Control;
  readonly address: number;
  /** Number of waits without progress until a part is given up. */
  readonly patience: () => number;
  /** By rank, 0 unused: members that have been called and have not reported back. */
  readonly called: boolean[];
  /** The reason for its end. */
  loss?: string;
}

export class Team {
  /** Threads, the caller's included. */
  readonly size: number;
  readonly #heap: Heap;
  readonly #kernels: KernelModule;
  readonly #own: readonly Kernel[];
  readonly #options: TeamOptions;
  readonly #spins: number;
  /** Carries of products that the caller computes alone. */
  readonly #ownCarries: Carries;
  #formation: Formation | undefined;
  #forming: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #products = 0;
  #productsAtTick = 0;
  #productsAlone = 0;
  #disposed = false;

  /** `own`: the kernels linked for the caller's thread. */
  private constructor(heap: Heap, kernels: KernelModule, own: readonly Kernel[], options: TeamOptions) {
    this.size = options.threads;
    this.#heap = heap;
    this.#kernels = kernels;
    this.#own = own;
    this.#options = options;
    this.#spins = options.threads > options.cores ? 0 : SPINS;
    this.#ownCarries = new Carries(heap.memory, heap.alloc(CARRIES_BYTES));
  }

  /** Starts the threads and waits until all stand by. @throws SparlaneError `backend` if they do not start. */
  static async create(heap: Heap, kernels: KernelModule, own: readonly Kernel[], options: TeamOptions): Promise<Team> {
    const team = new Team(heap, kernels, own, options);
    if (team.size > 1) await team.#startForming();
    return team;
  }

  /** The rank that computed a part of the last product with several parts. */
  rankOf(part: number): number {
    return this.#formation?.control.rankOf(part) ?? 0;
  }

  /** Number of members that have been called and have not reported back. */
  get standing(): number {
    return this.#formation?.called.filter(Boolean).length ?? 0;
  }

  /** Calls the members back before a product, so they stand by when it starts. */
  muster(): void {
    if (this.#formation !== undefined) this.#muster(this.#formation);
  }

  /**
   * Computes all parts of a task and returns when all are done. One part is computed by the caller alone.
   *
   * @returns the carries of the parts, valid until the next product
   * @throws SparlaneError `kernel` if a kernel trapped; `backend` if a thread was lost before it finished a part. The
   *   contents of y are then undefined; the team remains usable.
   */
  run(task: Task, x: number, y: number, alpha: number, beta: number): Carries {
    const parts = task.bounds.length - 1;
    const formation = parts > 1 ? this.#formation : undefined;
    if (formation === undefined) {
      this.#runAlone(task, x, y, alpha, beta);
      return this.#ownCarries;
    }
    this.#muster(formation);
    this.#products++;
    const { control } = formation;
    const epoch = control.publish(task, x, y, alpha, beta);
    const trap = this.#workThrough(control, epoch, parts);
    const part = control.join(epoch, this.#spins, formation.patience);
    if (part === parts) {
      if (this.#productsAlone === LONELY_PRODUCTS) {
        this.#productsAlone = 0;
        control.yieldCore();
      }
      return control.carries;
    }
    const rank = control.rankOf(part);
    const isTrap = control.isFault(epoch, part);
    if (rank !== 0 || !isTrap) void this.#dissolve(formation);
    if (isTrap) throw trappedPart(part, parts, rank, trap ?? 'a trap');
    throw silentPart(part, parts, rank, formation.patience());
  }

  /** A trap ends a part, not the product: the later parts must not wait for members that may be away. */
  #workThrough(control: Control, epoch: number, parts: number): unknown {
    let trap: unknown;
    for (;;) {
      try {
        const taken = control.work(epoch, 0, this.size, this.#own);
        this.#productsAlone = taken === parts ? this.#productsAlone + 1 : 0;
        return trap;
      } catch (error) {
        trap ??= error;
      }
    }
  }

  /** Ends the threads. Resolves when all have stopped. The team then computes on the caller's thread. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#forming?.catch(() => {});
    if (this.#formation !== undefined) await this.#dissolve(this.#formation);
  }

  #runAlone({ kernel, header, bounds }: Task, x: number, y: number, alpha: number, beta: number): void {
    const parts = bounds.length - 1;
    for (let part = 0; part < parts; part++) {
      try {
        this.#own[kernel]!(header, x, y, bounds[part]!, bounds[part + 1]!, this.#ownCarries.slotOf(part), alpha, beta);
      } catch (cause) {
        throw trappedPart(part, parts, 0, cause);
      }
    }
    // A lost formation is replaced while products continue.
    if (parts > 1 && this.size > 1 && this.#forming === undefined) {
      this.#startForming().catch((error: Error) => this.#hint(error.message));
    }
  }

  #startForming(): Promise<void> {
    this.#forming = this.#form().finally(() => {
      this.#forming = undefined;
    });
    return this.#forming;
  }

  async #form(): Promise<void> {
    const { createPool, threads, member } = this.#options;
    if (this.#disposed) return;
    const address = this.#heap.alloc(CONTROL_BYTES);
    const pool = await createPool(threads - 1, member).catch((cause) => {
      this.#heap.free(address);
      throw cause instanceof SparlaneError ? cause : noThreads(threads - 1, cause);
    });
    const control = new Control(this.#heap.memory, address);
    control.clear();
    const patience = () => patienceWith(pool);
    const formation: Formation = { pool, control, address, patience, called: new Array(threads).fill(false) };
    this.#formation = formation;
    this.#muster(formation);
    for (const deadline = performance.now() + START_MS; control.arrived < threads - 1; await tick()) {
      if (this.#formation !== formation)
        throw new SparlaneError(
          'backend',
          `threads: expected ${threads - 1} to start, got ${formation.loss ?? 'their end'}`,
        );
      if (performance.now() > deadline) {
        await this.#dissolve(formation);
        throw new SparlaneError(
          'backend',
          `threads: expected ${threads - 1} to start in ${START_MS} ms, got ${control.arrived}`,
        );
      }
    }
  }

  /** Calls back every member that is away. If none is away, this costs only the test of a few flags. */
  #muster(formation: Formation): void {
    const { called, control, pool, address } = formation;
    for (let rank = 1; rank < this.size; rank++) {
      if (called[rank]) continue;
      if (!called.includes(true)) control.atEase();
      called[rank] = true;
      const { module } = this.#kernels;
      const orders = {
        module,
        memory: this.#heap.memory,
        control: address,
        rank,
        ranks: this.size,
        spins: this.#spins,
      };
      pool.enlist(orders).then(
        () => {
          called[rank] = false;
        },
        (error: unknown) => this.#lose(formation, rank, error),
      );
    }
    this.#timer ??= this.#startTimer(formation);
  }

  #startTimer(formation: Formation): ReturnType<typeof setInterval> {
    this.#productsAtTick = -1;
    const timer = setInterval(() => {
      if (this.#products !== this.#productsAtTick || this.#forming !== undefined) {
        this.#productsAtTick = this.#products;
        return;
      }
      clearInterval(timer);
      this.#timer = undefined;
      if (this.#formation === formation) formation.control.standDown();
    }, TICK_MS);
    return timer;
  }

  /** Handles a thread that ended unexpectedly. Between two products, only the thread is lost. */
  #lose(formation: Formation, rank: number, error: unknown): void {
    if (this.#formation !== formation) return;
    formation.loss = `the end of thread ${rank}: ${error instanceof Error ? error.message : error}`;
    // If the formation is still starting, its caller reports the loss.
    if (this.#forming === undefined) this.#hint(formation.loss);
    void this.#dissolve(formation);
  }

  #hint(message: string): void {
    this.#options.onHint({ name: 'thread-lost', message });
  }

  async #dissolve(formation: Formation): Promise<void> {
    if (this.#formation !== formation) return;
    this.#formation = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
    formation.control.standDown();
    await formation.pool.close();
    // Only after the last thread has ended, because any thread may read the block.
    this.#heap.free(formation.address);
  }
}

function trappedPart(part: number, parts: number, rank: number, cause: unknown): SparlaneError {
  const message = `part ${part} of ${parts} on thread ${rank}: expected sums, got ${cause}`;
  return new SparlaneError('kernel', message, { part, parts, rank }, { cause });
}

function noThreads(count: number, cause: unknown): SparlaneError {
  return new SparlaneError('backend', `threads: expected ${count} to start, got ${cause}`, {}, { cause });
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
