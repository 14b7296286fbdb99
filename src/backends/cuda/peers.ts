/** CUDA devices of one machine share blocks of memory, exchange elements and add numbers by calls of the addon. */
import type { DevicePeers } from '../device-peers.js';
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

  identity(): Uint8Array {
    return attempt(() => this.#addon.identity(this.#place));
  }

  reaches(identity: Uint8Array): boolean {
    return attempt(() => this.#addon.reaches(this.#place, identity));
  }

  zeros(bytes: number): number {
    return attempt(() => this.#addon.sharedVector(this.#context, bytes));
  }

  offerBlock(block: number): Uint8Array {
    return attempt(() => this.#addon.offerVector(block));
  }

  takeBlock(ticket: Uint8Array): number {
    return attempt(() => this.#addon.takeVector(this.#context, ticket));
  }

  push(width: number, turns: number, x: number, places: number, ends: Uint32Array, frames: Uint32Array): void {
    attempt(() => this.#addon.push(width, turns, x, places, ends, frames));
  }

  take(width: number, turns: number, y: number, length: number, even: number, odd: number): void {
    attempt(() => this.#addon.take(width, turns, y, length, even, odd));
  }

  sumDots(frames: Uint32Array, rank: number): void {
    attempt(() => this.#addon.joinRanks(this.#context, frames, rank));
  }
}
