/**
 * Decides who computes a command of little work. Members that spin take part at once; to wake them takes as long as such a command. So they are woken
 * only if they will not sleep before the next one: in a loop, whose last command has just ended. Otherwise the caller computes all parts,
 * with the same bits.
 *
 * The commands of a loop are decided on together, by the mean of their latest stages, since what one thread has computed and another one reads must pass
 * from cache to cache. If the product alone is shared, a step of `cg` on a 5-point Laplacian of 100² takes 1.37 times as long as on one thread, and 0.81
 * if the vector operations are shared, too (2 cores of an AMD EPYC Zen 5, Node 20, f64, November 2026).
 *
 * A member may be slow, because its JavaScript is still interpreted, it has just been woken, or another program has its core. If the caller waits for
 * members longer than they save, it computes alone for a while.
 */
import { ALONE_BELOW } from '../formats/format.js';
import type { Formation } from './formation.js';
import type { TaskStage } from './task.js';

/**
 * Work of a stage, in entries, that other threads must take from the caller to be worth the join after it. On two threads that are awake a step of `cg` takes
 * 1.25 times as long as on one with 7,000 (5-point 70²), 1.17 with 9,000, 0.81 with 14,000 and 0.86 with 20,000 (2 cores of an AMD EPYC Zen 5, Node 20, f64,
 * November 2026).
 */
const WORTH_A_JOIN = 10_000;

/** The mean work of a stage is taken over so many. Chosen: a step of most solvers has fewer. */
const STAGES_OF_LOOP = 16;

/** An entry that another thread computes saves the caller so many milliseconds: 0.41 ns in products of `csr` with a 5-point Laplacian of 100² (the same machine). */
const SAVED_MS = 4e-7;

/** At first members may cost the caller so many milliseconds more than they save. Chosen: 80 commands save as much if others have 30,000 entries of each. */
const CREDIT_MS = 1;

/**
 * Members that have saved so many milliseconds may cost as many. Another program stops a member for some 2 ms, as much as 160 commands save if others have 30,000
 * entries of each; if they may cost no more than 1 ms, the caller computes alone for 32 ms after it. Nine products of `csr` with 14,000 to 59,000 entries in a loop on 8 and 16 threads
 * take 0.94 and 0.78 of the time that they take with 1, in the slowest of nine turns 0.95 and 0.53; beside four programs on those cores 0.78 and 0.89
 * (geometric means, each of the medians of the turns; 16 cores of an Intel Xeon, which other programs slow down, Node 24, f64, November 2026).
 */
const MOST_CREDIT_MS = 16;

/** After a wait that was not paid for, the caller computes alone for so many times its length. Chosen: such waits then take a sixteenth of the time. */
const PAUSE = 16;

/**
 * The caller of a loop wakes members after it has computed alone for so many times as long as that takes: how long the loop goes on is not known. After 4 ms without
 * commands 3, 10, 30, 100 and 300 products of `csr` with 15,000 to 60,000 entries and rows take 1.00, 0.89, 0.67, 0.68 and 0.80 of the time on 8 threads
 * that they take if this is 16, on 4 threads 1.17, 0.93, 0.82, 0.78 and 0.81 (geometric means of five matrices; 16 cores of an Intel Xeon, Node 24, f64,
 * November 2026).
 */
const ALONE_AT_FIRST = 2;

/** What waking members is assumed to take until it has been measured. Chosen. */
const WAKE_MS = 0.03;

export class SmallCommands {
  /** Others than the caller have so much work of a stage, in the mean of the latest stages. */
  #shared = 0;
  /** The latest command ended at this time of `performance.now()`. */
  #endMs = Number.NEGATIVE_INFINITY;
  /** The loop began at this time, or members were last woken in it. */
  #loopMs = 0;
  /** The caller took so many milliseconds to wake members, the last time. */
  #wakeMs = WAKE_MS;
  /** The caller computes alone until this time. */
  #pauseEndMs = Number.NEGATIVE_INFINITY;
  /** Members may still cost so many milliseconds more than they save. */
  #creditMs = CREDIT_MS;

  /** Includes a command in the mean, also one that is not small. @param shared the work of others than the caller, for each of `count` stages */
  include(shared: number, count: number): void {
    this.#shared += Math.min(1, count / STAGES_OF_LOOP) * (shared - this.#shared);
  }

  /** Whether the members take part in a command that now begins. */
  areShared(formation: Formation): boolean {
    if (this.#shared < WORTH_A_JOIN) return false;
    const now = performance.now();
    if (now - this.#endMs >= formation.spinMs) this.#loopMs = now;
    if (now < this.#pauseEndMs) return false;
    return formation.awake > 0 || now - this.#loopMs >= ALONE_AT_FIRST * this.#wakeMs;
  }

  /** Notes that the caller has computed a command alone. */
  endedAlone(): void {
    if (this.#shared >= WORTH_A_JOIN) this.#endMs = performance.now();
  }

  /** Notes that the caller has woken members, which took it so many milliseconds. */
  woke(ms: number): void {
    this.#wakeMs = ms;
    this.#loopMs = performance.now();
  }

  /**
   * Notes that members have taken part in a command.
   *
   * @param shared the work of others than the caller, of all stages
   * @param waitedMs time in which the caller waited for members
   */
  endedShared(shared: number, waitedMs: number): void {
    this.#endMs = performance.now();
    this.#creditMs = Math.min(this.#creditMs + SAVED_MS * shared - waitedMs, MOST_CREDIT_MS);
    if (this.#creditMs >= 0) return;
    this.#creditMs = 0;
    this.#pauseEndMs = this.#endMs + PAUSE * waitedMs;
  }
}

/** Returns the work of the first `count` stages. */
export function workOfStages(stages: readonly TaskStage[], count: number): number {
  let work = 0;
  for (let stage = 0; stage < count; stage++) work += stages[stage]!.task.work ?? ALONE_BELOW;
  return work;
}

/** Returns the work of the first `count` stages that others than the caller have if there are `threads` threads. */
export function sharedWorkOf(stages: readonly TaskStage[], count: number, threads: number): number {
  let shared = 0;
  for (let stage = 0; stage < count; stage++) {
    const { work = ALONE_BELOW, workers = threads } = stages[stage]!.task;
    shared += work * (1 - 1 / Math.min(workers, threads));
  }
  return shared;
}
