/** Runs a module as ranks of this process: for servers, tests, and programs that are no ranks themselves. */
import { absoluteUrl, integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { checkJoin, type JoinOptions } from './join.node.js';
import { runThreads } from './rank-threads.node.js';
import { SharedControl, shareRanks } from './shared-control.js';
import { MAX_THREADS } from './transport.js';

/** Options of `runRanks`: the data of the program, and the options with which each rank joins. */
export interface RunRanksOptions extends Omit<JoinOptions, 'program' | 'onHint'> {
  /** 1 to 256. */
  readonly ranks: number;
  /** The second argument of `main`; every rank gets a copy. Shared memory is shared. */
  readonly data?: unknown;
}

/**
 * Calls `main(comm, data)`, exported by a module, in as many threads as ranks, each with an engine of its own. The caller is not blocked,
 * and is no rank.
 *
 * @param program an absolute URL
 * @returns what `main` returns on each rank, copied
 * @throws SparlaneError `argument` for a wrong argument; `backend` if a rank fails, with its number and its error. All ranks have then ended
 *
 * @example
 * // solve.mjs: export function main(comm, data) { … return { iterations }; }
 * const [first] = await runRanks(new URL('./solve.mjs', import.meta.url), { ranks: 4, data });
 */
export async function runRanks(program: URL | string, options: RunRanksOptions): Promise<unknown[]> {
  const url = absoluteUrl('program', program).href;
  if (typeof options !== 'object' || options === null) throw mismatch('argument', 'options', 'an object', options);
  const { data, ...join } = options;
  const size = integer('ranks', options.ranks, 1, MAX_THREADS);
  checkJoin(join);
  const shared = shareRanks(size);
  const orders = Array.from({ length: size }, (_, rank) => ({
    shared,
    rank,
    program: url,
    main: { data, options: join },
  }));
  const results = await runThreads(orders, []);
  const { failure } = new SharedControl(shared);
  if (failure !== undefined) throw failure;
  return Array.from({ length: size }, (_, rank) => results.get(rank));
}
