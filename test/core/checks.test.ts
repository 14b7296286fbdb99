import { expect, test } from 'vitest';
import { knownKeys } from '#dist/core/checks.js';

interface Options {
  readonly width?: number;
  readonly height?: number;
}

const ALLOWED = { width: true, height: true };

test('an unknown option is refused by its name, also one that every object inherits', () => {
  expect(() => knownKeys<Options>('options', { width: 1 }, ALLOWED)).not.toThrow();
  const unknown = { width: 1, depth: 2 };
  expect(() => knownKeys<Options>('options', unknown, ALLOWED)).toThrow(
    "options: expected only the options width, height, got 'depth'",
  );
  const inherited = JSON.parse('{ "toString": 1 }') as Options;
  expect(() => knownKeys('options', inherited, ALLOWED)).toThrow("got 'toString'");
});

test('a list of options that lacks one, or has one too many, does not compile', () => {
  const options: Options = {};
  // @ts-expect-error: height is missing
  knownKeys('options', options, { width: true });
  // @ts-expect-error: depth is not an option
  knownKeys('options', options, { ...ALLOWED, depth: true } satisfies Record<keyof Options, true>);
  expect(options).toEqual({});
});
