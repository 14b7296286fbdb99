/** Input validation, on an engine with threads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCase } from '#dist/conformance/validation.js';
import { validationCases } from '#dist/conformance/validation-cases.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine } from '#dist/index.node.js';

describe('bad input is answered with one error that names the argument, and the engine computes on', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 2 });
  });
  afterAll(() => engine.dispose());

  it.each(validationCases)('$name', async (one) => {
    expect(await checkCase(engine, createEngine, one)).toBeUndefined();
  });

  it('reports a mistake that is accepted', async () => {
    const open = { name: 'open', code: 'argument', argument: 'x', attempt: () => undefined } as const;
    const wrongCode = { ...open, attempt: () => engine.vector(-1) };
    const wrongText = { ...open, argument: 'y', attempt: () => engine.vector(-1) };
    const foreign = { ...open, attempt: () => Promise.reject(new TypeError('x is undefined')) };
    const leaking = { ...open, argument: 'length', attempt: () => [engine.vector(8), engine.vector(-1)] };
    for (const one of [open, wrongCode, wrongText, foreign, leaking]) {
      expect(await checkCase(engine, createEngine, one)).toBeDefined();
    }
  });
});
