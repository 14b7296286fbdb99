/**
 * The team: rank 0, which is the caller of `run`, and members on their own threads. They share one control block.
 *
 * A product is a fork-join that uses only shared memory (`control.ts`): no promise, no message. Members stand by between
 * products (`formation.ts`). Parts are claimed, so rank 0 can finish any product alone.
 *
 * Tasks that need no work of the caller between them are queued: all stages of a product, and in a recording products and
 * vector programs up to a dot product, are one fork-join.
 *
 * A team belongs to one memory. Its threads may serve other memories, too: each has a team of its own over the same threads.
 *
 * If a thread is lost, the caller gets an error if a part was lost with it, otherwise a hint.
 */
import type { SparlaneError } from '../core/errors.js';
import { ALONE_BELOW } from '../formats/format.js';
import { type Kernel, OPERANDS_BYTES } from '../kernels/abi.js';
import { type KernelModule, linkKernels } from '../kernels/module.js';
import { OperandBlock } from '../kernels/operands.js';
import type { Heap } from '../memory/heap.js';
import { CARRIES_BYTES, Carries } from './carries.js';
import type { Formation } from './formation.js';
import { silentPart, trappedPart } from './patience.js';
import { SmallCommands, sharedWorkOf, workOfStages } from './small-commands.js';
import { MAX_STAGES, type TaskStage, type TeamTask } from './task.js';
import { type ThreadOptions, Threads } from './threads.js';

/**
 * Number of consecutive commands without help from members, after which the caller leaves its core for a moment. On 2
 * cores, a product of 97 k entries then took 30 µs almost from the start. Without this it took 58 µs, as on one thread,
 * for up to 90 ms.
 */
const LONELY_COMMANDS = 8;

const NO_TASK: TeamTask = { kernel: 0, header: 0, bounds: new Uint32Array(1) };

export class Team {
  /** Threads, the caller's included. */
  readonly size: number;
  /** Its memory has this number among those of its threads; the first one has 0. */
  readonly place: number;
  /** The kernels over its memory, for the caller's thread. */
  readonly own: readonly Kernel[];
  readonly #heap: Heap;
  readonly #threads: Threads;
  /**
   * The first `#queued` are to be computed, in order. Only the caller reads their operands here; members read their own
   * copies.
   */
  readonly #stages: readonly TaskStage[];
  #queued = 0;
  #holds = false;
  /** Carries of products that the caller computes alone. */
  readonly #ownCarries: Carries;
  /** Decides about stages of little work. */
  readonly #small = new SmallCommands();
  /** Consecutive commands without help from members. */
  #commandsAlone = 0;

  private constructor(place: number, heap: Heap, threads: Threads) {
    const { size, kernels, memories } = threads;
    this.size = size;
    this.place = place;
    this.own = linkKernels(kernels.modules, heap.memory, (other) => memories[other]!);
    this.#heap = heap;
    this.#threads = threads;
    this.#stages = Array.from({ length: MAX_STAGES }, () => ({
      task: NO_TASK,
      operands: new OperandBlock(heap.memory, heap.alloc(OPERANDS_BYTES)),
    }));
    this.#ownCarries = new Carries(heap.memory, heap.alloc(CARRIES_BYTES));
  }

  /** Starts the threads and waits until all stand by. @throws SparlaneError `backend` if they do not start. */
  static async create(heap: Heap, kernels: KernelModule, options: ThreadOptions): Promise<Team> {
    const threads = new Threads(heap, kernels, options);
    const team = new Team(0, heap, threads);
    if (team.size > 1) await threads.start();
    return team;
  }

  /** Says whether the threads of this team can compute in other memories, too. */
  get servesOthers(): boolean {
    return this.#threads.serveOthers;
  }

  /** The same threads as the team of another memory; only if `servesOthers`. The two teams compute in turn, and are disposed together. */
  over(heap: Heap): Team {
    return new Team(this.#threads.memories.push(heap.memory) - 1, heap, this.#threads);
  }

  /** Returns the rank that computed a part of the last product in which members took part. */
  rankOf(part: number): number {
    return this.#threads.formation?.controlIn(this.place, this.#heap).rankOf(part) ?? 0;
  }

  /** Number of members that have been called and have not reported back. */
  get standing(): number {
    return this.#threads.formation?.standing ?? 0;
  }

  /** Calls the members back before a product, so they stand by when it starts. */
  muster(): void {
    const { formation } = this.#threads;
    formation?.muster();
    formation?.controlIn(this.place, this.#heap);
  }

  /**
   * Computes all parts of the queued tasks and of this one, task after task, and returns when all are done. One part is
   * computed by the caller alone. The operands are those of `OPERANDS`, addresses for x and y; by default those of vectors.
   *
   * @returns the carries of the parts of this task, valid until the next product
   * @throws SparlaneError `kernel` if a kernel trapped; `backend` if a thread was lost before it finished a part. The
   *   contents of y are then undefined; the team remains usable.
   */
  run(
    task: TeamTask,
    x: number,
    y: number,
    alpha: number,
    beta: number,
    columns = 1,
    xStride = 1,
    yStride = 1,
  ): Carries {
    this.queue(task, x, y, alpha, beta, columns, xStride, yStride);
    return this.flush();
  }

  /** A task without carries, computed by the next `run` or `flush`: both are then one fork-join. */
  queue(
    task: TeamTask,
    x: number,
    y: number,
    alpha: number,
    beta: number,
    columns = 1,
    xStride = 1,
    yStride = 1,
  ): void {
    if (this.#queued === MAX_STAGES) this.flush();
    const stage = this.#stages[this.#queued++]!;
    stage.task = task;
    stage.operands.write(x, y, alpha, beta, columns, xStride, yStride);
  }

  /** Whether the last task of a product may be queued. */
  get holds(): boolean {
    return this.#holds;
  }

  /** Computes a product whose last task may be queued, because a task that needs its result follows. If it fails, nothing stays queued. */
  hold(product: () => void): void {
    this.#holds = true;
    try {
      product();
    } catch (error) {
      this.flush();
      throw error;
    } finally {
      this.#holds = false;
    }
  }

  /** Computes what is queued. @returns the carries of the last task @throws as `run` */
  flush(): Carries {
    const stages = this.#stages;
    const count = this.#queued;
    this.#queued = 0;
    let carries = this.#ownCarries;
    for (let begin = 0, end = 0; begin < count; begin = end) {
      // Tasks of several parts are one command.
      while (end < count && stages[end]!.task.bounds.length > 2) end++;
      const formation = end > begin ? this.#threads.formation : undefined;
      if (formation !== undefined) {
        carries = this.#runTogether(formation, begin === 0 ? stages : stages.slice(begin, end), end - begin);
        continue;
      }
      end = begin + 1;
      const stage = stages[begin]!;
      this.#runAlone(stage);
      // A stage of several parts comes here only if the threads are lost.
      if (stage.task.bounds.length > 2) this.#threads.replace();
      carries = this.#ownCarries;
    }
    return carries;
  }

  /** Computes the first `count` stages as one command, if members take part. */
  #runTogether(formation: Formation, stages: readonly TaskStage[], count: number): Carries {
    const shared = sharedWorkOf(stages, count, this.size);
    this.#small.include(shared / count, count);
    if (workOfStages(stages, count) < count * ALONE_BELOW) return this.#runSmall(formation, stages, count, shared);
    this.#computeStages(formation, stages, count, this.#publish(formation, stages, count), false);
    if (this.#commandsAlone >= LONELY_COMMANDS) {
      this.#commandsAlone = 0;
      formation.control.yieldCore();
    }
    return formation.control.carries;
  }

  /** Computes stages of little work: as one command if members take part, else alone. @param shared the work of others than the caller, if they do */
  #runSmall(formation: Formation, stages: readonly TaskStage[], count: number, shared: number): Carries {
    const small = this.#small;
    if (!small.areShared(formation)) {
      for (let stage = 0; stage < count; stage++) this.#runAlone(stages[stage]!);
      small.endedAlone();
      return this.#ownCarries;
    }
    const wereAsleep = formation.awake === 0;
    const begin = performance.now();
    const epoch = this.#publish(formation, stages, count);
    const published = performance.now();
    small.endedShared(shared, this.#computeStages(formation, stages, count, epoch, true));
    if (wereAsleep) {
      const end = performance.now();
      // A member that was woken may be queued on this core.
      if (this.#commandsAlone > 0) formation.control.yieldCore();
      small.woke(published - begin + performance.now() - end);
    }
    return formation.control.carries;
  }

  /** Opens the first `count` stages to the members. @returns their epoch */
  #publish(formation: Formation, stages: readonly TaskStage[], count: number): number {
    formation.muster();
    return formation.controlIn(this.place, this.#heap).publish(stages, count);
  }

  /**
   * Computes the stages that are open to the members, together with them.
   *
   * @param isTimed a look at the clock takes as long as a claim: long products and the many stages of triangular solves do without
   * @returns the milliseconds of waiting for members, or 0
   */
  #computeStages(
    formation: Formation,
    stages: readonly TaskStage[],
    count: number,
    epoch: number,
    isTimed: boolean,
  ): number {
    const { control } = formation;
    let isAlone = true;
    let waitedMs = 0;
    for (let stage = 0; stage < count; stage++) {
      const parts = stages[stage]!.task.bounds.length - 1;
      let trap: unknown;
      let taken = 0;
      // A trap ends a part, not the stage: the later parts must not wait for members that may be away.
      for (let isOver = false; !isOver; ) {
        try {
          taken = control.work(epoch, stage, this.own);
          isOver = true;
        } catch (error) {
          trap ??= error;
        }
      }
      if (taken < parts) isAlone = false;
      const begin = isTimed ? performance.now() : 0;
      const part = control.join(epoch, stage, formation.patience);
      if (isTimed) waitedMs += performance.now() - begin;
      if (part < parts) throw this.#failure(formation, part, parts, trap);
    }
    this.#commandsAlone = isAlone ? this.#commandsAlone + 1 : 0;
    return waitedMs;
  }

  /** The error for a part that is not done. */
  #failure(formation: Formation, part: number, parts: number, trap: unknown): SparlaneError {
    const { control } = formation;
    const rank = control.rankOf(part);
    const isTrap = control.isFault(part);
    if (rank !== 0 || !isTrap) void this.#threads.dissolve(formation);
    if (isTrap) return trappedPart(part, parts, rank, trap ?? 'a trap');
    return silentPart(part, parts, rank, formation.patience());
  }

  /** Ends the threads. Resolves when all have stopped. The team then computes on the caller's thread. */
  dispose(): Promise<void> {
    return this.#threads.dispose();
  }

  #runAlone({ task: { kernel, header, bounds }, operands }: TaskStage): void {
    const parts = bounds.length - 1;
    for (let part = 0; part < parts; part++) {
      try {
        operands.carry = this.#ownCarries.slotOf(part);
        this.own[kernel]!(header, operands.address, bounds[part]!, bounds[part + 1]!);
      } catch (cause) {
        throw trappedPart(part, parts, 0, cause);
      }
    }
  }
}
