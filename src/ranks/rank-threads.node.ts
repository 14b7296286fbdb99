/**
 * Starts ranks as threads of this process, and watches them: a thread that ends without a word, such as one out of memory, is reported to
 * the others by whoever watches. The watcher must not block; so a program that is a rank itself leaves this to one more thread.
 */
import { Worker } from 'node:worker_threads';
import type { JoinOptions } from './join.node.js';
import { SharedControl, type SharedRanks } from './shared-control.js';

/** What a thread of a rank is told, in its `workerData`. */
export interface RankOrders {
  readonly shared: SharedRanks;
  readonly rank: number;
  /** The module that it runs. */
  readonly program: string;
  /** For the function `main` of the program; undefined if the program itself calls `joinRanks`. */
  readonly main?: { readonly data: unknown; readonly options: JoinOptions };
}

/** What the thread of a watcher is told. */
export interface WatchOrders {
  readonly shared: SharedRanks;
  readonly ranks: readonly number[];
  readonly program: string;
}

/** The key in `workerData`: threads of other libraries have other data. */
export const RANK = 'sparlaneRank';
export const WATCH = 'sparlaneWatch';

/** Time that the other ranks get to notice a failure by themselves. */
const GRACE_MS = 500;

/** @param argv those of the program @returns resolves when all ranks have ended, with what their programs returned, by rank */
export async function runThreads(
  orders: readonly RankOrders[],
  argv: readonly string[],
): Promise<Map<number, unknown>> {
  const control = new SharedControl(orders[0]!.shared);
  const results = new Map<number, unknown>();
  const threads = orders.map((order) => {
    const thread = new Worker(new URL('./rank-thread.node.js', import.meta.url), {
      workerData: { [RANK]: order },
      argv: [...argv],
    });
    return { rank: order.rank, thread };
  });
  const endAll = () => {
    for (const { thread } of threads) void thread.terminate();
  };
  let grace: ReturnType<typeof setTimeout> | undefined;
  const fail = (rank: number, why: string) => {
    control.fail(rank, why);
    grace ??= setTimeout(endAll, GRACE_MS);
  };
  const ends = threads.map(
    ({ rank, thread }) =>
      new Promise<void>((resolve) => {
        thread.on('message', ({ result }: { result: unknown }) => results.set(rank, result));
        thread.on('error', (error) => fail(rank, firstLine(error)));
        thread.on('exit', (code) => {
          if (code === 0) control.end(rank);
          else fail(rank, `exit code ${code}`);
          resolve();
        });
      }),
  );
  await Promise.all(ends);
  clearTimeout(grace);
  return results;
}

export function firstLine(error: unknown): string {
  return String(error).split('\n')[0]!;
}
