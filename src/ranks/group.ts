/** Groups of ranks: a meeting and an engine of its own for each. */
import { SparlaneError } from '../core/errors.js';
import { Engine } from '../engine/engine.js';
import { Meeting } from './meeting.js';
import { MeetingRanks } from './meeting-ranks.js';

/** Stands for no group. */
const NONE = -1;

/** An engine with the heap and the threads of another one, on CPUs, for vectors that the ranks of a group share. */
export function engineOfGroup({ context, gpus, device, onHint, tuning }: Engine, group: Meeting): Engine {
  const ranks = group.transport.size > 1 ? new MeetingRanks(group) : undefined;
  return new Engine({ context, gpus, device, onHint, tuning, ranks });
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
