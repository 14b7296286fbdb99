/** The threads of a team: one formation after the other, because it is replaced if one of its threads is lost. */
import type { Hint } from '../core/hints.js';
import type { KernelModule } from '../kernels/module.js';
import type { Heap } from '../memory/heap.js';
import { Formation } from './formation.js';
import type { CreatePool } from './pool.js';

/**
 * Time that a thread spins before it sleeps: longer than the gap between two products of a solver. With more threads than
 * cores, threads never spin: there a product took 186 µs with spinning, 50 µs with sleeping (2 cores of an AMD EPYC Zen 4,
 * Node 20).
 */
const SPIN_MS = 0.15;

export interface ThreadOptions {
  readonly threads: number;
  /** Cores that this process may use. With more threads than cores, threads never spin. */
  readonly cores: number;
  /** Time that a thread spins before it sleeps. Default 0.15 ms. */
  readonly spinMs?: number | undefined;
  readonly createPool: CreatePool;
  readonly member?: URL | undefined;
  readonly onHint: (hint: Hint) => void;
}

export class Threads {
  /** Threads, the caller's included. */
  readonly size: number;
  readonly kernels: KernelModule;
  /** The memories in which they compute, by number: 0 for the first one, where they arrive. */
  readonly memories: WebAssembly.Memory[];
  readonly #heap: Heap;
  readonly #options: ThreadOptions;
  readonly #spinMs: number;
  #formation: Formation | undefined;
  #forming: Promise<void> | undefined;
  #serveOthers: boolean;
  #disposed = false;

  /** @param heap where the threads arrive */
  constructor(heap: Heap, kernels: KernelModule, options: ThreadOptions) {
    this.size = options.threads;
    this.kernels = kernels;
    this.memories = [heap.memory];
    this.#heap = heap;
    this.#options = options;
    this.#spinMs = options.threads > options.cores ? 0 : (options.spinMs ?? SPIN_MS);
    this.#serveOthers = options.threads === 1;
  }

  /** Undefined while there are no threads but the caller's. */
  get formation(): Formation | undefined {
    return this.#formation;
  }

  /** Whether they can compute in other memories than the first: the caller's thread alone everywhere, several threads in Node. */
  get serveOthers(): boolean {
    return this.#serveOthers;
  }

  /** Starts the threads and waits until all stand by. @throws SparlaneError `backend` if they do not start */
  start(): Promise<void> {
    this.#forming = this.#form().finally(() => {
      this.#forming = undefined;
    });
    return this.#forming;
  }

  /** Starts a formation in the place of a lost one, while products continue. */
  replace(): void {
    if (this.size > 1 && this.#forming === undefined) this.start().catch((error: Error) => this.#hint(error.message));
  }

  async #form(): Promise<void> {
    if (this.#disposed) return;
    const { threads, createPool, member } = this.#options;
    const formation = await Formation.start({
      heap: this.#heap,
      kernels: this.kernels,
      memories: this.memories,
      ...{ threads, createPool, member, spinMs: this.#spinMs },
      onLoss: (lost, loss) => {
        // If the formation is still starting, its caller reports the loss.
        if (this.#forming === undefined) this.#hint(loss);
        void this.dissolve(lost);
      },
      onLate: (message) => this.#hint(message),
    });
    this.#formation = formation;
    this.#serveOthers = formation.servesOthers;
    try {
      await formation.arrival();
    } catch (error) {
      void this.dissolve(formation);
      throw error;
    }
  }

  /** Ends the threads of a formation. */
  async dissolve(formation: Formation): Promise<void> {
    if (this.#formation === formation) this.#formation = undefined;
    await formation.end();
  }

  /** Ends the threads. Resolves when all have stopped. Nothing is started afterwards. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#forming?.catch(() => {});
    if (this.#formation !== undefined) await this.dissolve(this.#formation);
  }

  #hint(message: string): void {
    this.#options.onHint({ name: 'thread-lost', message });
  }
}
