/** Operations on vectors and scalars of the heap: programs of vectors run on the engine's team, scalars are computed by the caller's thread. */
import { Recordings } from '../../memory/recordings.js';
import type { Coefficient, Recording, ScalarOperation, Space, VectorOperation } from '../../memory/space.js';
import type { TeamContext } from './backend.js';
import { sumOverRanks } from './rank-sums.js';
import { HeapRecorder, OperationList } from './recording.js';
import { Scalars, VectorProgram } from './vector-program.js';

const OPERATIONS: Readonly<Record<ScalarOperation, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  root: (a) => Math.sqrt(a),
};

export class HeapArithmetic {
  readonly #context: TeamContext;
  readonly #space: Space;
  readonly #scalars: Scalars;
  /** The program of operations outside of recordings. */
  readonly #program: VectorProgram;
  readonly #recordings: Recordings<HeapRecorder>;

  constructor(context: TeamContext, space: Space) {
    this.#context = context;
    this.#space = space;
    this.#scalars = new Scalars(context.heap);
    this.#program = this.#newProgram();
    this.#recordings = new Recordings((block) => context.heap.free(block));
  }

  get recordProduct(): Space['recordProduct'] {
    const { recorder } = this.#recordings;
    return recorder && ((product, blocks, isPlanned) => recorder.product(product, blocks, isPlanned));
  }

  refuseRecording(what: string): void {
    this.#recordings.refuse(what);
  }

  release(block: number): void {
    this.#recordings.release(block);
  }

  run(width: number, length: number, operations: readonly VectorOperation[]): void {
    const { recorder } = this.#recordings;
    if (recorder !== undefined) {
      recorder.run(width, length, operations);
      return;
    }
    const list = new OperationList(width, length);
    // Ranks add many dot products at once, however many programs those take: no operation reads any of them.
    const areDots = operations.every(({ kind }) => kind === 'dot');
    const runAll = () => {
      const program = list.takeAll();
      this.#program.write(width, length, program).run();
      if (!areDots) this.#sumsOf(program)?.();
    };
    for (const operation of operations) {
      if (!list.takes(width, length, operation)) runAll();
      list.add(operation);
    }
    if (!list.isEmpty) runAll();
    if (areDots) this.#sumsOf(operations)?.();
  }

  #sumsOf(operations: readonly VectorOperation[]): (() => void) | undefined {
    const { ranks } = this.#space;
    return ranks && sumOverRanks(this.#context.heap, ranks, operations);
  }

  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void {
    const scalars = this.#scalars;
    const of = OPERATIONS[operation];
    const compute = () => scalars.set(slot, of(scalars.valueOf(a), scalars.valueOf(b)));
    const { recorder } = this.#recordings;
    if (recorder === undefined) compute();
    else recorder.compute(compute, [a, b], slot);
  }

  record(step: () => void): Recording {
    const { team } = this.#context;
    const recorder = new HeapRecorder(
      () => this.#newProgram(),
      (product) => team.hold(product),
      (operations) => this.#sumsOf(operations),
    );
    const { actions } = recorder;
    const recordAll = () => {
      step();
      recorder.finish();
    };
    const run = () => {
      for (let i = 0; i < actions.length; i++) actions[i]!();
    };
    return this.#recordings.record(recorder, recordAll, run);
  }

  #newProgram(): VectorProgram {
    return new VectorProgram(this.#context, this.#scalars);
  }
}
