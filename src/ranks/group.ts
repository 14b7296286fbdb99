/** Groups of ranks: a meeting of its own for each. */
import { SparlaneError } from '../core/errors.js';
import type { Ranks } from '../memory/space.js';
import { compare } from './comparison.js';
import { Meeting } from './meeting.js';

/** Stands for no group. */
const NONE = -1;

/** What a space needs to know of the ranks that share its vectors. */
export function ranksOf(meeting: Meeting): Ranks {
  return {
    rank: meeting.transport.rank,
    sum: (numbers) => meeting.reduce('sum', numbers),
    startSum: (numbers) => meeting.startReduce('sum', numbers),
    compare: (what, facts) => compare(meeting, what, facts),
  };
}

/** The meeting of the ranks that give the same color, by key, then by rank. Called by all ranks. */
export function splitMeeting(meeting: Meeting, color: number | undefined, key: number): Meeting | undefined {
  const { transport } = meeting;
  const { rank, size, calls } = transport;
  const ranks = Array.from({ length: size }, (_, other) => other);
  const title = calls.name('split');
  const of = meeting.meet('split', [color ?? NONE, key, transport.groupsLeft]);
  const full = ranks.find((other) => of(other, 2) <= 0);
  if (full !== undefined) {
    const message = `split: expected ranks that MPI has communicators for, got rank ${full} in as many groups as it can be`;
    throw new SparlaneError('backend', message, { rank: full });
  }
  const group = () => {
    const members = ranks.filter((other) => of(other, 0) === color).sort((a, b) => of(a, 1) - of(b, 1));
    const where = ` in color ${color} of ${title}${calls.where}`;
    return { members, rank: members.indexOf(rank), color: color!, where };
  };
  const made = transport.split(color === undefined ? undefined : group());
  return made && new Meeting(made);
}
