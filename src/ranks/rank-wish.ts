/** What all ranks ask for when they make a preconditioner together. */
import type { Engine } from '../engine/engine.js';
import type { PreconditionOptions } from '../preconditioners/registry.js';
import type { DistributedOperator } from './distributed-operator.js';
import type { Meeting } from './meeting.js';

export interface RankWish {
  readonly meeting: Meeting;
  readonly engine: Engine;
  /** The matrix of all ranks. */
  readonly A: DistributedOperator;
  /** The preconditioner as errors name it. */
  readonly name: string;
  readonly spec: string;
  readonly options: PreconditionOptions;
}
