/** The conformance suite for a format with parameters that are not among the registry's variants. */
import { expect } from 'vitest';
import { checkFormat } from '#dist/conformance/check-format.js';
import type { ConformanceMatrix } from '#dist/conformance/matrices.js';
import { DTYPES } from '#dist/core/types.js';
import { createEngine } from '#dist/index.node.js';
import { isFull } from '../soak.js';

interface Conditions {
  /** Default: all of the suite. */
  readonly matrices?: readonly ConformanceMatrix[];
  /** Default `wasm`. `reference`: for layouts that no CPU kernel supports. */
  readonly backend?: 'wasm' | 'reference';
}

/**
 * In every dtype; in CI and in a soak test with every number and factor in f64, since kernels of every dtype are checked so with the registry's
 * variants. The partitions are those of the suite, computed by one thread.
 */
export async function expectConformance(spec: string, { matrices, backend = 'wasm' }: Conditions = {}): Promise<void> {
  await using engine = await createEngine({ threads: 1 });
  for (const dtype of DTYPES) {
    const isBrief = !isFull || dtype !== 'f64' || backend === 'reference';
    const { failures, checks } = await checkFormat(engine, { spec, dtype, backend, brief: isBrief }, matrices);
    expect(failures).toEqual([]);
    expect(checks).toBeGreaterThan(0);
  }
}
