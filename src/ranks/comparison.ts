/** What must be the same on all ranks, because what they do together depends on it. */
import { SparlaneError, show } from '../core/errors.js';
import type { RankFacts } from '../memory/space.js';
import { outOfStepError } from './calls.js';
import { arraysOf, type Meeting } from './meeting.js';

/** The fact that says what the others are about. */
const WHAT = 'what';

/**
 * Called by all ranks: one meeting, if they agree.
 *
 * @param what the facts are about: `operator 1`
 * @throws SparlaneError `argument`, the same on all ranks, that names the first fact that differs from that of rank 0; `backend` if the facts are about
 *   different things
 */
export function compare(meeting: Meeting, what: string, facts: RankFacts): void {
  const text = JSON.stringify({ [WHAT]: what, ...facts });
  const [a, b] = hashesOf(text);
  const greatest = Float64Array.of(a, -a, b, -b);
  meeting.combine('comparison', greatest, Math.max);
  // All are the same if the greatest is the least.
  if (greatest[0] === -greatest[1]! && greatest[2] === -greatest[3]!) return;
  const ofRanks = arraysOf(meeting.gather(new TextEncoder().encode(text))).map(
    (bytes): RankFacts => JSON.parse(new TextDecoder().decode(bytes)),
  );
  const difference = differenceOf(what, ofRanks, meeting.transport.members);
  throw difference.code === 'argument' ? difference : meeting.transport.breakUp(difference);
}

function differenceOf(
  what: string,
  [first = {}, ...others]: readonly RankFacts[],
  members: readonly number[],
): SparlaneError {
  for (const [i, facts] of others.entries()) {
    const name = Object.keys({ ...first, ...facts }).find((key) => first[key] !== facts[key]);
    if (name === undefined) continue;
    const [of0, ofOther] = [asText(first[name]), asText(facts[name])];
    if (name === WHAT) {
      const [one, other] = [members[0]!, members[i + 1]!];
      const both = `${of0} on rank ${one} and ${ofOther} on rank ${other}`;
      return outOfStepError(`ranks: expected the same call on all ranks, got ${both}`, other, one);
    }
    const text = `${name} of ${what}: expected ${of0} as on rank 0, got ${ofOther} on rank ${i + 1}`;
    return new SparlaneError('argument', text, { rank: i + 1 });
  }
  throw new Error('hashes differ, and facts do not');
}

function asText(fact: RankFacts[string] | undefined): string {
  return typeof fact === 'string' ? fact : fact === undefined ? 'none' : show(fact);
}

/** Two hashes of 32 bits, FNV-1a from different starts. */
function hashesOf(text: string): readonly [number, number] {
  let [a, b] = [0x811c9dc5, 0x01234567];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x01000193);
  }
  return [a, b];
}
