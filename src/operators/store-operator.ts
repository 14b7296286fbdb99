/** The operator of a matrix on one backend: a format is chosen if none is named, the matrix is stored in it, and its product is planned. */
import { type Backend, blockVerb } from '../backends/backend.js';
import { partsOf } from '../choice/choose.js';
import type { Groups } from '../core/groups.js';
import type { StoredMatrix } from '../formats/format.js';
import { storeMatrix } from '../formats/store.js';
import { type Best, type LayoutSource, type StoreLayout, storeBest } from './best-format.js';
import { StoredOperator } from './matrix-operator.js';
import type { OperatorRequest } from './operator-options.js';

/** @param start when the work for the operator began, by `performance.now()` @throws as `engine.operator`; nothing stays allocated */
export function storeOperator(
  source: LayoutSource,
  backend: Backend,
  request: OperatorRequest,
  start: number,
): StoredOperator {
  const { onHint } = source;
  const { layout, parts, blockSums } = request;
  const store = storing(source, backend, request);
  const made: Pick<Best, 'stored'> & Partial<Best> =
    'format' in layout
      ? { stored: store(source.matrix, layout.format, layout.groups) }
      : storeBest(source, backend, request, layout, store);
  const { stored, decision } = made;
  try {
    for (const message of stored.warnings ?? []) onHint({ name: 'fell-back', message });
    const decided = decision && partsOf(decision.chosen);
    const plan = backend.plan(stored, 'spmv', planOptions(backend, request, decided));
    const verb = blockVerb(backend, stored, blockSums);
    const planBlocks = (columns: number) =>
      backend.plan(stored, verb!, { columns, ...(parts !== undefined && { parts }) });
    const setupMs = performance.now() - start;
    const forBlocks = verb && planBlocks;
    return new StoredOperator(backend.space, stored, plan, made, setupMs, onHint, forBlocks);
  } catch (error) {
    stored[Symbol.dispose]();
    throw error;
  }
}

/** Stores a matrix of the engine in a format, for a backend. */
function storing(
  { context, tuning, runLoop, keepable }: LayoutSource,
  { onDevice }: Backend,
  { dtype, padding }: OperatorRequest,
): StoreLayout {
  const options = { tuning, onDevice, padding, runLoop, keepable };
  return (matrix, spec, groups?: Groups): StoredMatrix =>
    storeMatrix(context.heap, matrix, spec, dtype, { ...options, groups });
}

/** @param decided what the choice of the format says of the parts */
function planOptions({ onDevice }: Backend, { patient, method, parts }: OperatorRequest, decided?: { parts?: number }) {
  if (onDevice) return { patient, ...(method !== undefined && { method }) };
  return { ...decided, ...(parts !== undefined && { parts }) };
}
