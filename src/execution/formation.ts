/**
 * A formation: one generation of threads and their control block. It calls the members to stand by and hears when they
 * end.
 *
 * Each member stands by inside one long call. Where a sleeping thread keeps the program alive, a timer of the caller's
 * event loop lets the members leave after some time without a product, and the next product calls them back, without
 * waiting for them. Elsewhere they stay: a sleeping thread uses no processor time and is there within some 30 to 100 µs
 * (a call takes 0.2 ms for 2 threads, 3 to 4 ms for 32).
 *
 * A team of several memories has a control block in each, and its members stand by at one of them: a task is computed where its
 * memory is, by the same threads.
 *
 * If a thread dies, its whole formation is replaced: all threads and the control blocks, because a thread given up as
 * dead may still be writing.
 */
import { SparlaneError } from '../core/errors.js';
import type { KernelModule } from '../kernels/module.js';
import type { Heap } from '../memory/heap.js';
import type { Post } from './command.js';
import { Control, controlBytes } from './control.js';
import { patienceWith } from './patience.js';
import type { CreatePool, Orders, Pool } from './pool.js';

/** Interval of the timer. The second consecutive tick without a product in between lets the members leave. */
const TICK_MS = 60;

/**
 * The first thread must have arrived within this time, and later all must have. In Node an engine of two threads takes 37 ms to start, one of 16 threads 104 (Node 20 and 24,
 * Intel Xeon, November 2026).
 */
const START_MS = 10_000;

/**
 * Waiting time for the others when the first member has arrived. On a machine with a core for each, 31 arrive within 60
 * ms of each other (32 cores, Node 24); more threads than cores take up to 2 s.
 */
const GRACE_MS = 100;

export interface FormationOptions {
  readonly heap: Heap;
  readonly kernels: KernelModule;
  /** The memories of the team by number: that of `heap` first. More may be added. */
  readonly memories: readonly WebAssembly.Memory[];
  /** Threads, the caller's included: at least 2. */
  readonly threads: number;
  readonly createPool: CreatePool;
  readonly member: URL | undefined;
  /** See `Orders`. */
  readonly spinMs: number;
  /** Called once if a thread ends unexpectedly, with a description. */
  readonly onLoss: (formation: Formation, loss: string) => void;
  /** Called if not all threads have arrived in time, with a description. */
  readonly onLate: (message: string) => void;
}

/** The control block in a memory. */
interface Station extends Post {
  readonly heap: Heap;
  readonly control: Control;
}

export class Formation {
  readonly #options: FormationOptions;
  readonly #pool: Pool;
  /** By the number of their memory: that of `heap` first, where members arrive. */
  readonly #stations: (Station | undefined)[] = [];
  /** Number of the memories that the threads have or will read. */
  #lent = 1;
  /** Where the members stand by. */
  #present: Station;
  /** By rank, 0 unused: members that have been called and have not reported back. */
  readonly #called: boolean[];
  #standing = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #products = 0;
  #isForming = true;
  #isOver = false;
  #loss: string | undefined;

  private constructor(options: FormationOptions, pool: Pool, address: number) {
    this.#options = options;
    this.#pool = pool;
    this.#called = new Array(options.threads).fill(false);
    this.#present = this.#station(0, options.heap, address);
  }

  /** Starts the threads and calls them. @throws SparlaneError `heap`; `backend` if the platform has no threads */
  static async start(options: FormationOptions): Promise<Formation> {
    const { heap, threads, createPool, member } = options;
    const address = heap.alloc(controlBytes(threads));
    const pool = await createPool(threads - 1, member).catch((cause) => {
      heap.free(address);
      throw cause instanceof SparlaneError ? cause : noThreads(threads - 1, cause);
    });
    const formation = new Formation(options, pool, address);
    formation.muster();
    return formation;
  }

  /** The control block of the latest command. */
  get control(): Control {
    return this.#present.control;
  }

  /** Number of members that have been called and have not reported back. */
  get standing(): number {
    return this.#standing;
  }

  /** Returns how many members stand by and spin. */
  get awake(): number {
    return Math.max(0, this.#standing - this.control.members.sleepers);
  }

  /** Members spin for so many milliseconds before they sleep; 0: they sleep at once. */
  get spinMs(): number {
    return this.#options.spinMs;
  }

  /** The allowed number of waits for a part without progress. */
  readonly patience = (): number => patienceWith(this.#pool);

  /**
   * Waits until all members stand by, or for a short time after the first: the others may join later, and products do not
   * need them.
   *
   * @throws SparlaneError `backend` if a thread ends meanwhile
   */
  async arrival(): Promise<void> {
    const expected = this.#options.threads - 1;
    const last = performance.now() + START_MS;
    for (let end = last; ; await tick()) {
      const { arrived } = this;
      if (this.#isOver) throw noThreads(expected, this.#loss ?? 'their end');
      if (arrived === expected) break;
      if (end === last && arrived > 0) end = Math.min(last, performance.now() + GRACE_MS);
      if (performance.now() < end) continue;
      this.#watch(last);
      break;
    }
    this.#isForming = false;
  }

  /** Members that have arrived so far, at the first block. */
  get arrived(): number {
    return this.#stations[0]!.control.members.arrived;
  }

  /** Reports members that have not arrived at the time `last`. */
  #watch(last: number): void {
    const expected = this.#options.threads - 1;
    const timer = setTimeout(
      () => {
        const { arrived } = this;
        if (this.#isOver || arrived >= expected) return;
        this.#options.onLate(`threads: expected ${expected} to start in ${START_MS} ms, got ${arrived}`);
      },
      Math.max(0, last - performance.now()),
    );
    // Node: not a reason for the program to stay alive.
    (timer as { unref?: () => void }).unref?.();
  }

  /** Calls every member that is away. If none is away, this costs almost nothing. */
  muster(): void {
    this.#products++;
    if (this.#standing === this.#called.length - 1) return;
    for (let rank = 1; rank < this.#called.length; rank++) if (!this.#called[rank]) this.#call(rank);
    if (this.#pool.mayRest !== true) this.#timer ??= this.#startTimer();
  }

  /** Says whether the threads serve other memories, too. */
  get servesOthers(): boolean {
    return this.#pool.lend !== undefined;
  }

  /** The control block in a memory, where all members stand by from now on; another one than the first only if `servesOthers`. @throws SparlaneError `heap` */
  controlIn(place: number, heap: Heap): Control {
    const present = this.#present;
    if (present.memory === place) return present.control;
    const next = this.#stations[place] ?? this.#station(place, heap, heap.alloc(controlBytes(this.#options.threads)));
    for (; this.#lent <= place; this.#lent++) this.#pool.lend!(this.#options.memories[this.#lent]!);
    // It may still have the order by which it was left.
    next.control.atEase();
    present.control.move(next);
    this.#present = next;
    return next.control;
  }

  #station(memory: number, heap: Heap, address: number): Station {
    const { threads, spinMs } = this.#options;
    const control = new Control(heap.memory, address, 0, threads, spinMs);
    control.clear();
    const station = { memory, heap, address, control };
    this.#stations[memory] = station;
    return station;
  }

  #call(rank: number): void {
    if (this.#standing === 0) this.control.atEase();
    this.#called[rank] = true;
    this.#standing++;
    const { heap, kernels, threads, spinMs } = this.#options;
    const { modules } = kernels;
    const control = this.#stations[0]!.address;
    const orders: Orders = { modules, memory: heap.memory, control, rank, ranks: threads, spinMs };
    this.#pool.enlist(orders).then(
      () => {
        this.#called[rank] = false;
        this.#standing--;
      },
      (error: unknown) => this.#lose(rank, error),
    );
  }

  #startTimer(): ReturnType<typeof setInterval> {
    let productsAtTick = -1;
    const timer = setInterval(() => {
      if (this.#products !== productsAtTick || this.#isForming) {
        productsAtTick = this.#products;
        return;
      }
      clearInterval(timer);
      this.#timer = undefined;
      this.control.standDown();
    }, TICK_MS);
    return timer;
  }

  /** Handles a thread that ended unexpectedly. Between two products, only the thread is lost. */
  #lose(rank: number, error: unknown): void {
    if (this.#isOver) return;
    this.#loss = `the end of thread ${rank}: ${error instanceof Error ? error.message : error}`;
    this.#options.onLoss(this, this.#loss);
  }

  /** Ends all threads. Resolves when all have stopped. A second call has no effect. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.control.standDown();
    await this.#pool.close();
    // Only after the last thread has ended, because any thread may read the blocks.
    // A memory in which nothing was computed has none.
    for (const station of this.#stations) station?.heap.free(station.address);
  }
}

function noThreads(count: number, cause: unknown): SparlaneError {
  const message = `threads: expected ${count} to start, got ${cause}`;
  return new SparlaneError('backend', message, {}, typeof cause === 'string' ? {} : { cause });
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
