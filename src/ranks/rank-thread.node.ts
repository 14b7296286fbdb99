/**
 * The script of the threads that `joinRanks` and `runRanks` start: a rank, which runs the program, or the watcher of ranks.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { mismatch } from '../core/errors.js';
import { joinRanks } from './join.node.js';
import { firstLine, RANK, type RankOrders, runThreads, WATCH, type WatchOrders } from './rank-threads.node.js';
import { SharedControl } from './shared-control.js';

const { [RANK]: rankOrders, [WATCH]: watchOrders } = workerData as {
  readonly [RANK]?: RankOrders;
  readonly [WATCH]?: WatchOrders;
};

if (rankOrders !== undefined) await runRank(rankOrders);
if (watchOrders !== undefined) await watch(watchOrders);

async function runRank({ shared, rank, program, main }: RankOrders): Promise<void> {
  const control = new SharedControl(shared);
  process.on('exit', (code) => {
    if (code === 0) control.end(rank);
    else control.fail(rank, `exit code ${code}`);
  });
  process.on('uncaughtExceptionMonitor', (error) => control.fail(rank, firstLine(error)));
  const module = await import(program);
  if (main === undefined) return;
  if (typeof module.main !== 'function') throw mismatch('argument', 'program', 'a module that exports main', program);
  const comm = await joinRanks(main.options);
  const result = await module.main(comm, main.data);
  parentPort!.postMessage({ result });
  await comm.dispose();
}

/** Tells the starter of the first failure, when all ranks have ended. */
async function watch({ shared, ranks, program }: WatchOrders): Promise<void> {
  await runThreads(
    ranks.map((rank) => ({ shared, rank, program })),
    process.argv.slice(2),
  );
  parentPort!.postMessage({ failure: new SharedControl(shared).failure?.message });
}
