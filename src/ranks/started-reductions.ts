/** Reductions that are started, and awaited by a later call: what ranks compute in between takes no longer by their latency. */
import { mismatch } from '../core/errors.js';
import { checkFrames, headOf, ROOM } from './frames.js';
import { COMBINE, type Reduction, tree } from './reduction-tree.js';
import { FRAME, type Transport } from './transport.js';

/** The channels of the two calls. */
interface Channels {
  readonly start: number;
  readonly result: number;
}

export class StartedReductions {
  readonly #transport: Transport;
  readonly #frame: Float64Array = new Float64Array(FRAME);
  readonly #all: Float64Array;
  #channels: Channels | undefined;
  #isUnderWay = false;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#all = new Float64Array(FRAME * transport.size);
  }

  /** @throws as `Meeting.startReduce` */
  start(call: Reduction, numbers: Float64Array): () => void {
    const { calls, size } = this.#transport;
    const [frame, all] = [this.#frame, this.#all];
    if (numbers.length > ROOM) throw mismatch('argument', 'numbers', `at most ${ROOM}`, numbers.length);
    if (this.#isUnderWay) throw mismatch('argument', 'reduction', 'none that was started and not awaited', 'one');
    const noun = 'the started reductions';
    this.#channels ??= { start: calls.open('start', noun), result: calls.open('result', noun) };
    const { start, result } = this.#channels;
    calls.exchange(start);
    const { number } = calls;
    frame[0] = headOf(`started ${call}`, numbers.length);
    frame[1] = calls.history;
    frame.set(numbers, 2);
    this.#transport.startFrames(frame);
    this.#isUnderWay = true;
    return () => {
      if (!this.#isUnderWay) return;
      calls.exchange(result);
      this.#transport.awaitFrames(all, number);
      this.#isUnderWay = false;
      checkFrames(this.#transport, frame, all);
      for (let i = 0; i < numbers.length; i++)
        numbers[i] = tree(0, size, (rank) => all[rank * FRAME + 2 + i]!, COMBINE[call]);
    };
  }
}
