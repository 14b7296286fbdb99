/** Random messages between ranks, in an order in which none is received before it was sent, and what must come of them. */
import fc from 'fast-check';
import { expect } from 'vitest';

/** What happens next; all but a meeting happens on some ranks only. */
export type MessageStep =
  | { readonly kind: 'send'; readonly from: number; readonly to: number; readonly tag: number; readonly length: number }
  | { readonly kind: 'receive'; readonly place: number }
  /** A rank blocks its thread, or awaits a timer. */
  | { readonly kind: 'block' | 'pause'; readonly rank: number; readonly ms: number }
  | { readonly kind: 'meet' };

export interface RandomMessages {
  readonly ranks: number;
  readonly steps: readonly MessageStep[];
  /** Messages that are left in the end are received in an order of their own, but for so many. */
  readonly left: number;
}

/** From messages that leave at once to such for which MPI waits until somebody receives them. */
const length = fc.oneof(fc.nat(3), fc.constantFrom(500, 5000, 50_000));

const send = fc.record({
  kind: fc.constant('send' as const),
  from: fc.nat(4),
  to: fc.nat(4),
  tag: fc.constantFrom(0, 1, 2 ** 31 - 1),
  length,
});
const receive = fc.record({ kind: fc.constant('receive' as const), place: fc.nat(1000) });
const late = fc.record({
  kind: fc.constantFrom('block' as const, 'pause' as const),
  rank: fc.nat(4),
  ms: fc.constantFrom(1, 3, 120),
});
const meet = fc.constant({ kind: 'meet' as const });

export const randomMessages: fc.Arbitrary<RandomMessages> = fc.record({
  ranks: fc.constantFrom(1, 2, 3, 5),
  steps: fc.array(
    fc.oneof(
      { weight: 20, arbitrary: send },
      { weight: 14, arbitrary: receive },
      { weight: 2, arbitrary: late },
      { weight: 1, arbitrary: meet },
    ),
    { minLength: 20, maxLength: 400 },
  ),
  left: fc.nat(3),
});

export interface FoundRandomMessages {
  /** Messages that were received on each rank, and those of them that were wrong. */
  readonly received: ArrayLike<number>;
  readonly wrong: ArrayLike<number>;
}

export function expectRandomMessages(found: FoundRandomMessages, { ranks, steps, left }: RandomMessages): void {
  expect(Array.from(found.wrong)).toEqual(Array(ranks).fill(0));
  const sent = steps.filter(({ kind }) => kind === 'send').length;
  const received = Array.from(found.received).reduce((sum, count) => sum + count, 0);
  expect(received).toBeGreaterThanOrEqual(sent - left);
  expect(received).toBeLessThanOrEqual(sent);
}
