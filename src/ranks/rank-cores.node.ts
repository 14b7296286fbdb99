/** The cores of a rank: those that it may use, divided by the ranks that share them. */
import { readFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { cpuQuota } from '../execution/cores.node.js';
import { arraysOf, type Meeting } from './meeting.js';

export interface RankCores {
  /** Cores for each rank, if it shares them with others evenly; at least 1. */
  readonly each: number;
  /** Ranks that may use the same cores, this one included. */
  readonly sharers: number;
  /** The cores of the launcher, if it bound this rank to few of them and some are left over. */
  readonly leftOf: number | undefined;
}

/** Called by all ranks. */
export function coresOfRank(meeting: Meeting): RankCores {
  const { kind, size, neighbours } = meeting.transport;
  const own = availableParallelism();
  const mask = maskOf('self');
  const sharers = kind === 'mpi' ? Math.min(neighbours, ranksLikeThis(meeting, `${hostname()} ${mask}`)) : size;
  // A quota is a share of time of all processes of the machine.
  const each = Math.max(1, Math.floor(Math.min(own / sharers, Math.ceil(cpuQuota()) / neighbours)));
  if (kind !== 'mpi') return { each, sharers, leftOf: undefined };
  const above = coresIn(maskOf(process.ppid));
  const used = (own * neighbours) / sharers;
  return { each, sharers, leftOf: own < above && used < above ? above : undefined };
}

/** Ranks with the same text. */
function ranksLikeThis(meeting: Meeting, text: string): number {
  const texts = arraysOf(meeting.gather(new TextEncoder().encode(text))).map((bytes) =>
    new TextDecoder().decode(bytes),
  );
  return texts.filter((other) => other === text).length;
}

/** The cores that a process may use, as Linux writes them: `0-3,8`; '' elsewhere. */
function maskOf(process: number | 'self'): string {
  try {
    return /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

function coresIn(mask: string): number {
  const ranges = mask.split(',').map((range) => range.split('-').map(Number));
  return ranges.reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0);
}
