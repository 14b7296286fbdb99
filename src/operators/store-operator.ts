/** Stores a matrix in the named format, or in the best one, and plans its products on one backend. */
import type { Backend } from '../backends/backend.js';
import { partsOf } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Groups } from '../core/groups.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import type { StoredMatrix } from '../formats/format.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import type { StoreMatrix } from '../formats/store.js';
import type { Heap } from '../memory/heap.js';
import type { Extras } from './extras.js';
import { StoredOperator } from './matrix-operator.js';
import type { CheckedOptions, OperatorOptions } from './operator-options.js';
import { type Best, storeBest } from './store-best.js';

/** The options of an operator, and what the engine has. */
export interface StoreRequest extends Pick<OperatorOptions, 'format' | 'groups' | 'method' | 'parts'>, CheckedOptions {
  readonly heap: Heap;
  readonly storeMatrix: StoreMatrix;
  /** @throws NotLoaded */
  readonly extras: () => Extras;
  readonly tuning: Tuning | undefined;
  readonly costs: MachineCosts;
  /** Runs the loops of conversions. */
  readonly runLoop: RunLoop;
  /** Arrays of the matrix that its layout may keep. */
  readonly keepable: Keepable | undefined;
  /** Threads of the engine, the caller's included. */
  readonly threads: number;
  /** When the work for the operator began, by `performance.now()`. */
  readonly start: number;
}

type MadeLayout = Pick<Best, 'stored'> & Partial<Best>;

/** @throws as `engine.operator`; nothing stays allocated */
export function storeOperator(
  matrix: CsrMatrix,
  backend: Backend,
  request: StoreRequest,
  onHint: (hint: Hint) => void,
): StoredOperator {
  const made = store(matrix, backend, request, onHint);
  const { stored, decision } = made;
  const { parts, method } = request;
  try {
    const forTeam = { ...(decision && partsOf(decision.chosen)), ...(parts !== undefined && { parts }) };
    const onDevice = { patient: request.patient, ...(method !== undefined && { method }) };
    const plan = backend.plan(stored, 'spmv', backend.onDevice ? onDevice : forTeam);
    for (const message of stored.warnings ?? []) onHint({ name: 'fell-back', message });
    const planBlocks = (columns: number) =>
      backend.plan(stored, 'spmm', { columns, ...(parts !== undefined && { parts }) });
    const setupMs = performance.now() - request.start;
    const forBlocks = backend.computes(stored, 'spmm') ? planBlocks : undefined;
    return new StoredOperator(backend.space, stored, plan, made, setupMs, onHint, forBlocks);
  } catch (error) {
    stored[Symbol.dispose]();
    throw error;
  }
}

function store(matrix: CsrMatrix, backend: Backend, request: StoreRequest, onHint: (hint: Hint) => void): MadeLayout {
  const { heap, storeMatrix, extras, dtype, tuning, costs, padding, patient, choice, threads, runLoop, keepable } =
    request;
  const { onDevice } = backend;
  const storeAs = (some: CsrMatrix, spec: string, groups?: Groups): StoredMatrix =>
    storeMatrix(heap, some, spec, dtype, { groups, tuning, onDevice, padding, runLoop, keepable });
  if (choice === undefined) return { stored: storeAs(matrix, request.format!, request.groups) };
  return storeBest(
    matrix,
    dtype,
    { ...choice, padding, patient, costs, backend, threads, heap, runLoop, extras, store: storeAs },
    onHint,
  );
}
