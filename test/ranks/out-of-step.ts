/** What must happen when one of three ranks does not do what the others do, by whatever the ranks reach each other. */
import { expect } from 'vitest';

interface Deviation {
  /** What rank 1 does. */
  readonly deed: string;
  /** What the error on each other rank says. */
  readonly errors: RegExp;
  /** What rank 1 gets; default: the same. */
  readonly ofRank1?: RegExp;
  /** Whether it differs from the others in how it is noticed. The others are tried in a soak test, on threads. */
  readonly isBasic?: true;
  /** It is an error there alone. */
  readonly only?: 'mpi' | 'threads';
}

export const DEVIATIONS: readonly Deviation[] = [
  { deed: 'skips a product', isBasic: true, errors: /product 1 of operator 1 on rank \d/ },
  { deed: 'skips the second of three products', errors: /product [23] of operator 1 on rank \d/ },
  {
    deed: 'multiplies in another order',
    isBasic: true,
    errors: /product 1 of operator [12] on rank \d and product 1 of operator [12] on rank \d/,
  },
  { deed: 'multiplies by the transpose', errors: /product 1 of the transpose of operator 1 on rank 1/ },
  {
    deed: 'skips a product that needs nobody',
    isBasic: true,
    errors: /same products and other exchanges before sum of 1 number, got \d on rank \d and \d on rank \d/,
  },
  {
    deed: 'makes products that need nobody in another order',
    errors: /before sum of 1 number, got another order on rank \d than on rank \d/,
  },
  { deed: 'sums other numbers', errors: /got sum of \d numbers? on rank \d and sum of \d numbers? on rank \d/ },
  { deed: 'applies no preconditioner', errors: /overlap 2 of preconditioner 1 on rank \d/ },
  { deed: 'solves instead', errors: /got preconditioner 1 on rank 0 and the solve on rank 1/ },
  { deed: 'stops its solve', isBasic: true, errors: /product \d+ of operator 1/ },
  { deed: 'goes on after an error of its own', errors: /product 1 of operator 1 on rank \d/ },
  {
    deed: 'ends during a product',
    isBasic: true,
    errors: /end .*rank 1.*product \d of operator 1|product \d of operator 1.*end on rank 1/,
    ofRank1: /^no error$/,
  },
  {
    deed: 'ends during a sum',
    isBasic: true,
    errors: /end .*rank 1.*sum of 1 number|sum of 1 number.*end on rank 1/,
    ofRank1: /^no error$/,
  },
  {
    deed: 'waits for a message that nobody sends',
    isBasic: true,
    errors: /wait for each other, got message with tag 0 from rank 0 on rank 1 and sum of 1 number on rank 0/,
  },
  {
    deed: 'waits for a message instead of a product',
    isBasic: true,
    errors: /got message with tag 7 from rank 2 on rank 1 and (product 1 of operator 1|sum of 1 number) on rank 2/,
  },
  {
    deed: 'waits for a message of its neighbour, as all do',
    isBasic: true,
    errors: /got message with tag 0 from rank (\d) on rank \d and message with tag 0 from rank \d on rank \1/,
  },
  {
    deed: 'waits for a rank that waits for a message of the next',
    isBasic: true,
    errors:
      /got message with tag 0 from rank \d on rank \d and (message with tag 0 from rank 0|sum of 1 number) on rank \d/,
  },
  {
    deed: 'ends before it sends',
    isBasic: true,
    errors: /message with tag 0 from rank 1 on rank \d and its end on rank 1|end of rank 1 and message with tag 0/,
    ofRank1: /^no error$/,
  },
  {
    deed: 'sends with another tag',
    errors: /got message with tag 0 from rank 1 on rank 0 and sum of 1 number on rank 1/,
  },
  {
    deed: 'waits in a product until its elements have left',
    only: 'mpi',
    isBasic: true,
    errors: /got message with tag 0 from rank 1 on rank 0 and product 1 of operator 4 on rank 1/,
  },
  {
    deed: 'waits for a reader that waits for another rank',
    only: 'threads',
    isBasic: true,
    errors: /got message with tag 0 from rank 1 on rank 0 and product 3 of operator 4 on rank 1/,
  },
  {
    deed: 'starts another sum',
    isBasic: true,
    errors: /got started sum of \d numbers? on rank \d and started sum of \d numbers? on rank \d/,
  },
  {
    deed: 'starts no sum',
    errors: /exchanges before sum of 1 number, got \d on rank \d and \d on rank \d/,
  },
  {
    deed: 'skips a product after the start of a sum',
    isBasic: true,
    errors: /product 1 of operator 1 as call \d+ on rank \d/,
  },
  { deed: 'waits for no result', errors: /exchanges before sum of 1 number, got \d on rank \d and \d on rank \d/ },
  {
    deed: 'waits in a group for a rank that waits for a result',
    isBasic: true,
    errors: /wait for each other, got .*result 1 of the started reductions on rank 0/,
  },
  {
    deed: 'sums in a group instead',
    isBasic: true,
    errors:
      /wait for each other, got (sum of 1 number in color 0 of split 1 on rank 1 and sum of 1 number on rank 0|sum of 1 number on rank 0 and .* on rank 1)/,
  },
  {
    deed: 'makes another call in a group',
    isBasic: true,
    errors: /got (sum of 1 number|barrier) in color 3 of split 1 on rank \d and (sum of 1 number|barrier) in color 3/,
  },
  {
    deed: 'skips a product of a group',
    isBasic: true,
    errors: /product 1 of operator 1 in color 0 of split 1 on rank 0/,
  },
  {
    deed: 'makes another product of a group',
    isBasic: true,
    errors:
      /product 1 of operator 1 in color 0 of split 1( as call \d+)? on rank 0 and sum of 1 number|sum of 1 number( after call \d+)? on rank 1 and product 1/,
  },
  {
    deed: 'waits for a message of a group',
    isBasic: true,
    errors: /wait for each other, got .*message with tag 4 from rank 0 in color 0 of split 1 on rank 1/,
  },
  {
    deed: 'waits in a group for a rank that waits in the next one, as all do',
    isBasic: true,
    errors:
      /wait for each other, got barrier in color 0 of split \d on rank \d and barrier in color 0 of split \d on rank \d/,
    ofRank1: /barrier/,
  },
  {
    deed: 'waits in a group for a rank that waits for a message of the next',
    errors: /wait for each other, got (barrier in color|message with tag 0)/,
  },
  {
    deed: 'ends before the sum of a group',
    isBasic: true,
    errors: /end .*rank 1.*sum of 1 number|sum of 1 number.*end on rank 1/,
    ofRank1: /^no error$/,
  },
  { deed: 'catches the error, and stays', isBasic: true, errors: /product 1 of operator 1 on rank \d/, ofRank1: /^/ },
];

/** The lines that ranks have printed, by rank; those of ranks that printed none are empty. */
export function linesByRank(stdout: string, ranks = 3): string[] {
  return Array.from({ length: ranks }, (_, rank) => stdout.match(new RegExp(`^rank ${rank}: (.*)$`, 'm'))?.[1] ?? '');
}

/** @param got what each rank got @param printed by a program, beside it */
export function expectErrors(got: readonly string[], { errors, ofRank1 = errors }: Deviation, printed = ''): void {
  const [first, second, third] = got;
  for (const one of [first, third]) {
    expect(one, printed).toMatch(/^SparlaneError: ranks: expected /);
    expect(one).toMatch(errors);
  }
  expect(second, printed).toMatch(ofRank1);
}
