/** Options of operators on engines that need a GPU, checked without one. */
import { describe, expect, it } from 'vitest';
import { checkOperatorOptions, type FormatChoice, type OperatorOptions } from '#dist/operators/operator-options.js';

const SPLIT = { device: 'cuda', gpus: [0, 1] } as const;
const HYBRID = { device: 'hybrid', gpus: [0] } as const;

describe.each([SPLIT, HYBRID])('on %j', (engine) => {
  it('solvers do without trials', () => {
    const { layout, patient } = checkOperatorOptions({ products: 'many', tune: false }, engine);
    expect([(layout as FormatChoice).tune, patient]).toEqual([false, false]);
  });

  it('there are no trials, but patient plans', () => {
    const { layout, patient } = checkOperatorOptions({ products: 'many' }, engine);
    expect([(layout as FormatChoice).tune, patient]).toEqual([false, true]);
  });

  it('trials and permutations are refused', () => {
    for (const name of ['tune', 'allowPermutation'])
      expect(() => checkOperatorOptions({ [name]: true }, engine)).toThrow(
        `${name}: expected no value (only valid with one GPU, or the CPU), got true`,
      );
  });
});

describe('on one GPU', () => {
  const one = { device: 'cuda', gpus: [0] } as const;
  const tuned = (options: OperatorOptions) => (checkOperatorOptions(options, one).layout as FormatChoice).tune;

  it('there are trials for many products', () => {
    expect(tuned({ products: 'many' })).toBe(true);
    expect(tuned({ products: 1000 })).toBe(false);
  });

  it('but not of a named method, nor for other devices of the engine than the CPU', () => {
    expect(tuned({ products: 'many', method: 'stream' })).toBe(false);
    expect(tuned({ products: 'many', device: 'reference' })).toBe(false);
    expect(tuned({ products: 'many', device: 'hybrid' })).toBe(false);
    expect(tuned({ products: 'many', device: 'cpu' })).toBe(true);
  });
});
