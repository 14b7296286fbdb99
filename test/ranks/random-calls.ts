/** Random programs of ranks, and what must come of them if all ranks run the same one, and if one rank runs another one. */
import fc from 'fast-check';
import { expect } from 'vitest';

type Call = readonly [name: string, argument: number];

export interface Deviation {
  readonly rank: number;
  readonly at: number;
  readonly kind: 'skip' | 'insert' | 'replace' | 'swap' | 'end';
  readonly call: Call;
}

export interface RandomCalls {
  readonly ranks: number;
  readonly calls: readonly Call[];
  readonly deviation?: Deviation;
}

/** What a rank tells: the results of its calls, and its error. */
export interface Told {
  readonly got: readonly unknown[];
  readonly error?: string;
}

const together: fc.Arbitrary<Call> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('product'), fc.nat(3)) },
  fc.tuple(fc.constant('norm'), fc.nat(3)),
  // Above 14 numbers, sums take another way.
  fc.tuple(fc.constant('sum'), fc.constantFrom(1, 2, 14, 40)),
  fc.tuple(fc.constant('gather'), fc.nat(3)),
  fc.tuple(fc.constant('alltoall'), fc.nat(3)),
  fc.tuple(fc.constant('broadcast'), fc.nat(4)),
  fc.tuple(fc.constant('solve'), fc.constantFrom(1, 2, 5)),
  fc.tuple(fc.constant('together'), fc.constant(0)),
  // A sum that is started, with a product in between.
  fc.tuple(fc.constant('started'), fc.nat(3)),
  // A sum of a group of the ranks.
  { weight: 2, arbitrary: fc.tuple(fc.constant('part'), fc.nat(2)) },
  fc.tuple(fc.constant('split'), fc.nat(1)),
  // Each rank sends a message and receives one.
  fc.tuple(fc.constant('pass'), fc.nat(3)),
);
/** A wait for a message that nobody sends. */
const receive: fc.Arbitrary<Call> = fc.tuple(fc.constant('receive'), fc.nat(3));
const late: fc.Arbitrary<Call> = fc.tuple(fc.constant('late'), fc.constantFrom(1, 2, 150));
const calls = fc.array(fc.oneof({ weight: 8, arbitrary: together }, late), { minLength: 4, maxLength: 20 });

const ranks = fc.constantFrom(2, 3, 5);

export const sameCalls: fc.Arbitrary<RandomCalls> = fc.record({ ranks, calls });

/** Programs of which one rank does something else that the others must notice. */
export const deviatingCalls: fc.Arbitrary<Required<RandomCalls>> = fc
  .record({
    ranks,
    calls,
    deviation: fc.record({
      rank: fc.nat(4),
      at: fc.nat(19),
      kind: fc.constantFrom('skip', 'insert', 'replace', 'swap', 'end'),
      call: fc.oneof({ weight: 4, arbitrary: together }, receive),
    }),
  })
  .map(({ ranks, calls, deviation: { rank, at, ...made } }) => {
    return { ranks, calls, deviation: { rank: rank % ranks, at: at % calls.length, ...made } };
  })
  .filter(deviates);

/** What ranks compare of a call. The numbers in it are not compared, of a split neither, and a norm is a sum of one number. */
function comparedOf([name, argument]: Call): string {
  if (name === 'norm') return 'sum 1';
  return ['gather', 'alltoall', 'split'].includes(name) ? name : `${name} ${argument}`;
}

const isSame = (one: Call | undefined, other: Call | undefined) =>
  one === undefined || other === undefined ? one === other : comparedOf(one) === comparedOf(other);

/** Whether a rank may make two calls in the other order: a message or a call of a group, and what needs some ranks only. */
function mayPass([one]: Call, [other]: Call): boolean {
  const needsSome = (name: string) => name === 'pass' || name === 'part' || name === 'product';
  return needsSome(one) && needsSome(other) && !(one === 'product' && other === 'product');
}

function deviates({ calls, deviation: { at, kind, call } }: Required<RandomCalls>): boolean {
  const isMade = (one: Call | undefined) => one !== undefined && one[0] !== 'late';
  const [present, next] = [calls[at], calls[at + 1]];
  if (kind === 'skip') return isMade(present);
  if (kind === 'replace') return !isMade(present) || !isSame(present, call);
  if (kind === 'swap') return isMade(present) && isMade(next) && !isSame(present, next) && !mayPass(present!, next!);
  return true;
}

/** All ranks get the same, and no error. */
export function expectResults(told: readonly Told[], { calls }: RandomCalls): void {
  for (const rank of told) {
    expect(rank.error).toBeUndefined();
    expect(rank.got).toHaveLength(calls.length);
    expect(rank.got).toEqual(told[0]!.got);
  }
}

/** Every rank that goes on gets an error. */
export function expectErrorsOf(told: readonly Told[], { ranks, deviation }: Required<RandomCalls>): void {
  expect(told).toHaveLength(ranks);
  told.forEach(({ error }, rank) => {
    if (deviation.kind !== 'end' || rank !== deviation.rank)
      expect(error, `rank ${rank}`).toMatch(/^SparlaneError: .* expected .*rank \d/);
  });
}
