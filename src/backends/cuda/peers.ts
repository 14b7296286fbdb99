/** Blocks, elements and sums that CUDA devices of one process share, by calls of the addon. */
import type { DevicePeers, Frames } from '../device-peers.js';
import { attempt, type CudaAddon } from './addon.js';

export class CudaPeers implements DevicePeers {
  readonly #addon: CudaAddon;
  readonly #context: number;
  readonly #place: number;

  constructor(addon: CudaAddon, context: number, place: number) {
    this.#addon = addon;
    this.#context = context;
    this.#place = place;
  }

  reaches(place: number): boolean {
    return attempt(() => this.#addon.reaches(this.#place, place));
  }

  zeros(bytes: number): number {
    return attempt(() => {
      const block = this.#addon.vector(this.#context, bytes);
      this.#addon.clear(block);
      return block;
    });
  }

  offerBlock(block: number): number {
    return attempt(() => this.#addon.offerVector(block));
  }

  takeBlock(ticket: number): number {
    return attempt(() => this.#addon.takeVector(this.#context, ticket));
  }

  push(width: number, turns: number, x: number, places: number, ends: Uint32Array, frames: readonly Frames[]): void {
    attempt(() => this.#addon.push(width, turns, x, places, ends, Uint32Array.from(frames.flat())));
  }

  take(width: number, turns: number, y: number, length: number, [even, odd]: Frames): void {
    attempt(() => this.#addon.take(width, turns, y, length, even, odd));
  }

  sumDots(frames: Uint32Array, rank: number): void {
    attempt(() => this.#addon.joinRanks(this.#context, frames, rank));
  }
}
