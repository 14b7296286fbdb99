/**
 * Joins the ranks of a distributed run: those of MPI where `mpirun` or another launcher started the program, else threads of this process, each of which
 * runs the program too, else one rank.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { isRanked, MOST_PEERS } from '../backends/device-peers.js';
import { absoluteUrl, integer, knownKeys, oneOf } from '../core/checks.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { platformOfNode } from '../engine/create-engine.node.js';
import type { Engine } from '../engine/engine.js';
import { type EngineOptions, type Platform, startEngine } from '../engine/start-engine.js';
import { availableCores } from '../execution/cores.node.js';
import { Communicator } from './communicator.js';
import { LAUNCHERS, launchedBy, signOfOthers } from './launcher.node.js';
import { arraysOf, Meeting } from './meeting.js';
import { MeetingRanks } from './meeting-ranks.js';
import { joinMpi } from './mpi.node.js';
import { leaveAtExit } from './mpi-exit.node.js';
import { MpiTransport } from './mpi-transport.js';
import { sumByPeers } from './peer-sums.js';
import { coresOfRank, type RankCores } from './rank-cores.node.js';
import { RANK, type RankOrders, WATCH, type WatchOrders } from './rank-threads.node.js';
import { SharedControl, type SharedRanks, shareRanks } from './shared-control.js';
import { ThreadTransport } from './thread-transport.node.js';
import { alone, MAX_RANKS, MAX_THREADS, type Transport } from './transport.js';

/** Options of `joinRanks`: those of the rank's engine, and the ranks. */
export interface JoinOptions extends Omit<EngineOptions, 'device' | 'gpus' | 'signal' | 'wasm' | 'member'> {
  /**
   * Where ranks compute. `cuda`: rank r of a machine uses its GPU r modulo the number of GPUs, for vectors, products and solves. `auto`: a GPU if there is
   * one. The same on all ranks. Default `cpu`.
   */
  readonly device?: 'cpu' | 'cuda' | 'auto';
  /**
   * The number of ranks where they are threads: 1 to 256 (a launcher has up to 4096). Where `mpirun` or another launcher started the program, the number is that of the launcher,
   * whatever is said here. Default 1.
   */
  readonly ranks?: number;
  /** Threads of each rank. Default: the cores that it may use, divided by the ranks that share them. */
  readonly threads?: number;
  /** The module that the other ranks run, if they are threads: it calls `joinRanks` too. Default: the program that Node was started with. */
  readonly program?: URL | string;
}

const OPTIONS = {
  ...{ ranks: true, threads: true, device: true, program: true },
  ...{ binary: true, complex: true, maximumBytes: true, tuning: true, onHint: true },
} satisfies Record<keyof JoinOptions, true>;

/**
 * This rank of a distributed run. Every rank calls it.
 *
 * `node program.mjs` with `{ ranks: 4 }` runs the program four times in one process: the caller is rank 0, and three threads run the
 * program from its beginning. `mpirun -n 4 node program.mjs` does the same with processes.
 *
 * @throws SparlaneError `argument` for a wrong option; `backend` if a rank fails before it has joined, or if the program was started by a launcher
 *   whose processes `@sparlane/mpi` does not find; and as `createEngine`
 */
export async function joinRanks(options: JoinOptions = {}): Promise<Communicator> {
  checkJoin(options);
  const { ranks: _, program: __, threads, ...engineOptions } = options;
  const transport = await openTransport(options);
  const meeting = new Meeting(transport);
  if (transport instanceof MpiTransport) leaveAtExit(transport, meeting);
  try {
    const cores = coresOfRank(meeting);
    const own = threads ?? cores.each;
    transport.setCrowded(own * cores.sharers > availableCores());
    const engine = await startEngine(transport.size > 1 ? platformOfRank(meeting) : platformOfNode(), {
      ...engineOptions,
      threads: own,
    });
    meeting.meet('barrier');
    if (engineOptions.device !== undefined) joinPeers(meeting, engine, options.onHint);
    giveHints(options, transport, cores);
    return new Communicator(meeting, engine);
  } catch (error) {
    transport.leave();
    throw error;
  }
}

function platformOfRank(meeting: Meeting): Platform {
  return platformOfNode({ ranks: new MeetingRanks(meeting), place: meeting.transport.place });
}

/** What a user would not see: cores that are not used, and ranks that are not there. */
function giveHints({ onHint, ranks, threads }: JoinOptions, { kind, rank, size }: Transport, cores: RankCores): void {
  if (onHint === undefined) return;
  if (threads === undefined && cores.leftOf !== undefined) {
    const { name, unbound } = LAUNCHERS[launchedBy()?.by ?? 'openmpi'];
    const message = `rank ${rank} of ${size} has ${cores.each} of ${cores.leftOf} cores, to which ${name} bound it: ${unbound}`;
    onHint({ name: 'bound-to-cores', message });
  }
  const isAlone = kind === 'mpi' ? size === 1 : kind === 'alone' && ranks === undefined;
  const sign = isAlone ? signOfOthers() : undefined;
  if (sign !== undefined) onHint({ name: 'one-rank', message: `${sign}, so it is one rank` });
}

export function checkJoin(options: JoinOptions): void {
  knownKeys('options', options, OPTIONS);
  if (options.ranks !== undefined) integer('ranks', options.ranks, 1, MAX_RANKS);
  if (options.device !== undefined) oneOf('device', options.device, ['cpu', 'cuda', 'auto']);
  if (options.program !== undefined) absoluteUrl('program', options.program);
}

/**
 * Devices exchange elements and add from memory to memory if all of them reach each other. Each rank must have its own: what waits for other ranks runs on
 * the device, and a device may run nothing else meanwhile.
 */
function joinPeers(meeting: Meeting, { space }: Engine, onHint: JoinOptions['onHint']): void {
  const device = isRanked(space) ? space : undefined;
  const identities = arraysOf(meeting.gather(device?.peers.identity() ?? new Uint8Array()));
  const { kind, size } = meeting.transport;
  const areOwn = identities.every(({ length }) => length > 0) && new Set(identities.map(String)).size === size;
  const mayReach = kind !== 'alone' && size <= MOST_PEERS && areOwn;
  const unreached = Float64Array.of(mayReach && identities.every((one) => device!.peers.reaches(one)) ? 0 : 1);
  meeting.reduce('max', unreached);
  if (device === undefined || unreached[0] !== 0) return;
  try {
    device.joinPeers(sumByPeers(meeting, device));
  } catch (error) {
    if (kind !== 'mpi' || !(error instanceof SparlaneError) || error.code !== 'backend') throw error;
    const message = `devices exchange through the host, because processes may not open memory of each other: ${error.message}`;
    onHint?.({ name: 'through-host', message });
  }
}

let joined = false;

async function openTransport({ ranks = 1, program }: JoinOptions): Promise<Transport> {
  const orders: RankOrders | undefined = isMainThread ? undefined : workerData?.[RANK];
  const launched = isMainThread ? launchedBy() : undefined;
  const isOneOfMany = orders !== undefined || launched !== undefined;
  if (isOneOfMany && joined) throw mismatch('argument', 'joinRanks', 'one call in a rank', 'a second one');
  joined = isOneOfMany;
  if (orders !== undefined) return threadTransport(orders.shared, orders.rank);
  if (launched !== undefined) return joinMpi(launched);
  return ranks === 1 ? alone() : startThreads(ranks, program);
}

function threadTransport(shared: SharedRanks, rank: number): ThreadTransport {
  return new ThreadTransport(new SharedControl(shared), shared, rank);
}

/** The module that Node was started with. */
function mainProgram(): URL | undefined {
  const path = process.argv[1];
  return path === undefined ? undefined : pathToFileURL(createRequire(import.meta.url).resolve(path));
}

/** Starts all ranks but the first one, which is the caller. */
function startThreads(size: number, given: URL | string | undefined): Transport {
  const script = given ?? mainProgram();
  integer('ranks that are threads', size, 1, MAX_THREADS);
  if (script === undefined) throw mismatch('argument', 'program', 'the module that the other ranks run', given);
  const shared = shareRanks(size);
  const control = new SharedControl(shared);
  const ranks = Array.from({ length: size - 1 }, (_, i) => i + 1);
  const orders: WatchOrders = { shared, ranks, program: absoluteUrl('program', script).href };
  const watcher = new Worker(new URL('./rank-thread.node.js', import.meta.url), {
    workerData: { [WATCH]: orders },
    argv: process.argv.slice(2),
  });
  endWithRanks(control, watcher);
  return new ThreadTransport(control, shared, 0);
}

/** Ends rank 0 with the program, and the program with an error if a rank has failed and the program has not heard of it. */
function endWithRanks(control: SharedControl, watcher: Worker): void {
  process.once('beforeExit', () => {
    // Nothing is left to do, but for ranks that may wait for this one.
    control.end(0);
    watcher.ref();
  });
  watcher.on('message', ({ failure }: { failure: string | undefined }) => {
    if (failure !== undefined && !control.isBroken) throw new SparlaneError('backend', failure);
  });
  // A listener refers to the thread again.
  watcher.unref();
}
