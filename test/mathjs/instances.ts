/** What the tests of @sparlane/mathjs share. Each result is compared with that of an instance that is not accelerated. */
import { all, create, type MathJsInstance } from 'mathjs';
import { type CsrMatrix, gallery } from 'sparlane';

/** An instance of mathjs with all its functions. */
export function newInstance(config: Parameters<typeof create>[1] = {}): MathJsInstance {
  return create(all!, config) as MathJsInstance;
}

/** The worked example of the formats, with integers: every order of summation gives the same sums. */
export const EXAMPLE: number[][] = [
  [10, 0, 20],
  [0, 0, 0],
  [0, 0, 30],
  [40, 50, 60],
];

/** A graph with integer values from −9 to 9 without 0. */
export const graph: CsrMatrix = withIntegers(gallery('rmat', { scale: 9 }));

function withIntegers(matrix: CsrMatrix): CsrMatrix {
  return { ...matrix, values: Float64Array.from(matrix.values, (_, k) => ((k * 7) % 9) + 1 - 10 * (k % 2)) };
}

/**
 * Replaces a function of mathjs by one that throws, so that a test fails if an accelerated instance leaves a call to mathjs. It must be called before the
 * instance is accelerated.
 */
export function refuse(math: MathJsInstance, name: 'lusolve' | 'inv' | 'eigs'): void {
  const internals = math as unknown as Record<typeof name, { signatures: Record<string, unknown> }> & {
    typed(name: string, signatures: Record<string, () => never>): object;
  };
  const fail = () => {
    throw new Error('left to mathjs');
  };
  const signatures = Object.fromEntries(Object.keys(internals[name].signatures).map((types) => [types, fail]));
  math.import({ [name]: internals.typed(name, signatures) }, { override: true });
}
