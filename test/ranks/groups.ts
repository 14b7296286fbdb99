/** What ranks must find that run `programs/groups.mjs`, by whatever the ranks reach each other. */
import { expect } from 'vitest';

export interface FoundGroups {
  readonly wrong: string;
  readonly errors: readonly string[];
}

export function expectGroups(found: FoundGroups): void {
  expect(found).toEqual({
    wrong: '',
    errors: [
      'argument: color: expected an integer from 0 to 2147483647, got -1',
      'argument: key: expected an integer from -2147483648 to 2147483647, got 0.5',
      "argument: communicator: expected one that is in use, got 'a disposed communicator'",
    ],
  });
}
