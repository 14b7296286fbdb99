/** The engine of a test file. */
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import type { EngineOptions } from '#dist/engine/start-engine.js';
import { createEngine } from '#dist/index.node.js';

/** An engine of two threads, with `options` besides. It is disposed after the last test, and every test must leave its heap as it was. */
export async function testEngine(options: EngineOptions = {}): Promise<Engine> {
  const opening = createEngine({ threads: 2, ...options });
  let bytesBefore: number;
  beforeEach(async () => {
    bytesBefore = (await opening).heap.bytesInUse;
  });
  afterEach(async () => expect((await opening).heap.bytesInUse).toBe(bytesBefore));
  afterAll(async () => (await opening).dispose());
  return opening;
}
