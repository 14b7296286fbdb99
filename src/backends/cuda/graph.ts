/**
 * Products and operations on vectors of a device, recorded once and launched together, any number of times. The time to
 * queue a step of a solver then does not grow with the number of its operations.
 */
import { mismatch } from '../../core/errors.js';
import type { Recording } from '../../memory/space.js';
import { attempt, type CudaAddon } from './addon.js';

/** Keeps the memory that it uses, even if its objects are disposed. */
export class DeviceGraph implements Recording {
  readonly #addon: CudaAddon;
  readonly #release: (graph: number) => void;
  #graph: number | undefined;

  constructor(addon: CudaAddon, graph: number, release: (graph: number) => void) {
    this.#addon = addon;
    this.#graph = graph;
    this.#release = release;
  }

  /** Queues all recorded operations, and returns. */
  launch(): void {
    const graph = this.#graph;
    if (graph === undefined) throw mismatch('argument', 'graph', 'one that is in use', 'a disposed graph');
    attempt(() => this.#addon.launch(graph));
  }

  /** Waits for all queued operations and frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#graph === undefined) return;
    this.#release(this.#graph);
    this.#graph = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
