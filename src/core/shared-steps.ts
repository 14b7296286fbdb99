/** A generator that several callers run to its end together: whichever runs makes the next step for all. */
export class SharedSteps<Step, Result> {
  readonly #steps: Generator<Step, Result>;
  #callers = 0;
  #outcome: { readonly result: Result } | { readonly error: unknown } | undefined;

  constructor(steps: Generator<Step, Result>) {
    this.#steps = steps;
  }

  /** Whether nobody waits for it any more: another caller needs new steps. */
  get isOver(): boolean {
    return this.#callers === 0;
  }

  /** For each caller. The last one that leaves before the end abandons the steps. @throws as the steps, to all callers */
  *join(): Generator<Step, Result> {
    this.#callers++;
    try {
      while (this.#outcome === undefined) {
        const step = this.#advance();
        if (!step.done) yield step.value;
      }
      if ('error' in this.#outcome) throw this.#outcome.error;
      return this.#outcome.result;
    } finally {
      this.#callers--;
      if (this.#callers === 0) this.#steps.return(undefined as never);
    }
  }

  #advance(): IteratorResult<Step, Result> {
    try {
      const step = this.#steps.next();
      if (step.done) this.#outcome = { result: step.value };
      return step;
    } catch (error) {
      this.#outcome = { error };
      throw error;
    }
  }
}
