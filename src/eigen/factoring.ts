/** The steps of a factorization as those of a search. */
import type { FactorStep } from '../direct/method.js';
import type { EigenStep } from './method.js';

export function* factoring<T>(steps: Generator<FactorStep, T>): Generator<EigenStep, T> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      yield { stage: value.stage, iteration: 0, converged: 0 };
    }
  } finally {
    steps.return(undefined as never);
  }
}
