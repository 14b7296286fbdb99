/** Copies between the memories of a team on all its threads: vectors of operators whose rows are in several. */
import { evenly } from '../../core/span.js';
import { partsFor, taskOver } from '../../execution/partition.js';
import type { Team } from '../../execution/team.js';
import { COPY_HEADER, COPY_UNIT } from '../../kernels/copy.js';
import { copyIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { TeamContext } from './backend.js';
import { withRoom } from './warm-up.js';

/** The caller alone copies fewer bytes than these. Chosen: they take it some 80 µs. */
const ALONE_BELOW_BYTES = 2 ** 18;

/** A unit of a copy counts as the work of so many entries of a matrix. Chosen. */
const UNIT_WORK = 8;

/**
 * Copies bytes from the memory of another team of the same threads. V8 copies between shared memories at 3.4 GB/s on one thread, half as fast as between
 * arrays that are not shared (Intel Xeon, Node 20, November 2026).
 *
 * @returns false if that is left to the caller: few bytes, one thread, or no room for the task
 */
export function copyOnTeam(
  { heap, kernels, team }: TeamContext,
  target: number,
  from: Team,
  source: number,
  bytes: number,
): boolean {
  if (team.size === 1 || bytes < ALONE_BELOW_BYTES) return false;
  return withRoom(() => {
    using scope = heap.scope();
    const header = placeHeader(scope, COPY_HEADER, { memory: from.place, source, target, bytes });
    const span = evenly(Math.ceil(bytes / COPY_UNIT), UNIT_WORK);
    const parts = partsFor(span.workBefore(span.units), team.size);
    team.run(taskOver(scope, span, parts, { kernel: copyIndex(kernels), header }), 0, 0, 0, 0);
  });
}
