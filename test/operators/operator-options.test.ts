/** Options of operators on engines that need a GPU, checked without one. */
import { describe, expect, it } from 'vitest';
import { checkOperatorOptions } from '#dist/operators/operator-options.js';

const SPLIT = { device: 'cuda', gpus: [0, 1] } as const;
const HYBRID = { device: 'hybrid', gpus: [0] } as const;

describe.each([SPLIT, HYBRID])('on %j', (engine) => {
  it('solvers do without trials', () => {
    const { choice, patient } = checkOperatorOptions({ products: 'many', tune: false }, engine);
    expect([choice!.tune, patient]).toEqual([false, false]);
  });

  it('there are no trials, but patient plans', () => {
    const { choice, patient } = checkOperatorOptions({ products: 'many' }, engine);
    expect([choice!.tune, patient]).toEqual([false, true]);
  });

  it('trials and permutations are refused', () => {
    for (const name of ['tune', 'allowPermutation'])
      expect(() => checkOperatorOptions({ [name]: true }, engine)).toThrow(
        `${name}: expected no value (only valid with one GPU, or the CPU), got true`,
      );
  });
});
