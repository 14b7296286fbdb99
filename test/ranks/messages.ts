/** What ranks must find that run `programs/messages.mjs`, by whatever the ranks reach each other. */
import { expect } from 'vitest';

export interface FoundMessages {
  /** By rank. */
  readonly wrong: readonly number[];
  readonly errors: readonly string[];
}

export function expectMessages({ wrong, errors }: FoundMessages, ranks: number): void {
  expect(wrong).toEqual(Array(ranks).fill(0));
  expect(errors).toEqual([
    'SparlaneError argument: message with tag 0 from LEFT: expected Float64Array, got Uint8Array',
    expect.stringMatching(/^SparlaneError argument: array: expected an array of f64, f32, u32, i32 or u8, got /),
    'SparlaneError argument: to: expected an integer from 0 to LAST, got SIZE',
    'SparlaneError argument: tag: expected an integer from 0 to 2147483647, got -1',
    expect.stringMatching(/^SparlaneError argument: from: expected an integer from .*, got -1/),
    expect.stringMatching(/^SparlaneError argument: type: expected Float64Array, .* or Uint8Array, got /),
    'SparlaneError backend: message with tag 5 from SELF: expected one that this rank has sent itself, got none',
  ]);
}
