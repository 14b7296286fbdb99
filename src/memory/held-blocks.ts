/** Blocks that recordings use: those that are released meanwhile are freed with the last recording. */
export class HeldBlocks {
  readonly #free: (block: number) => void;
  /** The number of recordings that use a block. */
  readonly #uses = new Map<number, number>();
  /** Blocks that were released, but that recordings still use. */
  readonly #orphans = new Set<number>();

  constructor(free: (block: number) => void) {
    this.#free = free;
  }

  /** @param isRecorded whether a recording that has not ended uses the block */
  release(block: number, isRecorded: boolean): void {
    if (isRecorded || this.#uses.has(block)) this.#orphans.add(block);
    else this.#free(block);
  }

  hold(blocks: Iterable<number>): void {
    for (const block of blocks) this.#uses.set(block, (this.#uses.get(block) ?? 0) + 1);
  }

  /** Frees the blocks that were released and that no other recording uses. */
  letGo(blocks: Iterable<number>): void {
    for (const block of blocks) {
      const left = this.#uses.get(block)! - 1;
      if (left > 0) this.#uses.set(block, left);
      else this.#uses.delete(block);
      if (left === 0 && this.#orphans.delete(block)) this.#free(block);
    }
  }
}
