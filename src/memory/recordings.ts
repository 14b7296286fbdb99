/**
 * The recordings of a space that records calls itself: at most one in progress, and those that use blocks. A block released meanwhile is freed
 * with the last recording that uses it.
 */
import { mismatch } from '../core/errors.js';
import type { Recording } from './space.js';

/** Collects what a step does. It is disposed with its recording, or with a step that throws. */
export interface Recorder extends Disposable {
  /** The blocks of the vectors and scalars in use. */
  readonly blocks: ReadonlySet<number>;
}

export class Recordings<R extends Recorder> {
  readonly #free: (block: number) => void;
  #recorder: R | undefined;
  /** The number of recordings that use a block. */
  readonly #uses = new Map<number, number>();
  /** Blocks that were released, but that recordings still use. */
  readonly #orphans = new Set<number>();

  constructor(free: (block: number) => void) {
    this.#free = free;
  }

  /** That of the recording in progress. */
  get recorder(): R | undefined {
    return this.#recorder;
  }

  /** @throws SparlaneError `argument` during a recording */
  refuse(what: string): void {
    if (this.#recorder === undefined) return;
    throw mismatch('argument', 'step', 'products, and operations on vectors and scalars', what);
  }

  release(block: number): void {
    if (this.#recorder?.blocks.has(block) || this.#uses.has(block)) this.#orphans.add(block);
    else this.#free(block);
  }

  /**
   * Takes ownership of the recorder.
   *
   * @param step is called once, and uses `recorder`
   * @param run does what was recorded: at each launch
   */
  record(recorder: R, step: () => void, run: () => void): Recording {
    this.refuse('a recording');
    this.#recorder = recorder;
    let isDone = false;
    try {
      step();
      isDone = true;
    } finally {
      this.#recorder = undefined;
      this.#hold(recorder.blocks);
      if (!isDone) this.#end(recorder);
    }
    const launch = () => {
      this.refuse('a launch');
      run();
    };
    return new OwnedRecording(launch, () => this.#end(recorder));
  }

  #hold(blocks: Iterable<number>): void {
    for (const block of blocks) this.#uses.set(block, (this.#uses.get(block) ?? 0) + 1);
  }

  /** Frees the blocks that were released and that no other recording uses. */
  #end(recorder: R): void {
    recorder[Symbol.dispose]();
    for (const block of recorder.blocks) {
      const left = this.#uses.get(block)! - 1;
      if (left > 0) this.#uses.set(block, left);
      else this.#uses.delete(block);
      if (left === 0 && this.#orphans.delete(block)) this.#free(block);
    }
  }
}

class OwnedRecording implements Recording {
  readonly #launch: () => void;
  #end: (() => void) | undefined;

  /** @param end is called once, by `dispose` */
  constructor(launch: () => void, end: () => void) {
    this.#launch = launch;
    this.#end = end;
  }

  launch(): void {
    if (this.#end === undefined) throw mismatch('argument', 'recording', 'one that is in use', 'a disposed recording');
    this.#launch();
  }

  dispose(): void {
    this.#end?.();
    this.#end = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
