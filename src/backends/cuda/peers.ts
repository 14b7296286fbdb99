/** Blocks, events and sums that CUDA devices of one process share, by calls of the addon. */
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

  reaches(place: number): boolean {
    return attempt(() => this.#addon.reaches(this.#place, place));
  }

  event(): number {
    return attempt(() => this.#addon.event(this.#context));
  }

  signal(event: number): void {
    attempt(() => this.#addon.signal(event));
  }

  await(event: number): void {
    attempt(() => this.#addon.await(this.#context, event));
  }

  offerBlock(block: number): number {
    return attempt(() => this.#addon.offerVector(block));
  }

  offerEvent(event: number): number {
    return attempt(() => this.#addon.offerEvent(event));
  }

  takeBlock(ticket: number): number {
    return attempt(() => this.#addon.takeVector(this.#context, ticket));
  }

  takeEvent(ticket: number): number {
    return attempt(() => this.#addon.takeEvent(ticket));
  }

  draw(block: number, offsetBytes: number, from: number, fromOffsetBytes: number, bytes: number): void {
    attempt(() => this.#addon.draw(this.#context, block, offsetBytes, from, fromOffsetBytes, bytes));
  }

  spread(first: number, slots: Uint32Array, blocks: Uint32Array): void {
    attempt(() => this.#addon.spread(this.#context, first, slots, blocks));
  }

  addRanks(block: number, first: number, size: number, stride: number, slots: Uint32Array): void {
    attempt(() => this.#addon.addRanks(this.#context, block, first, size, stride, slots));
  }
}
