/** The conformance suite for complex layouts: each is a layout of the real equivalent of its matrix. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeComplex } from '#dist/complex/stored.js';
import { COMPLEX_SPECS, checkComplex, complexOf } from '#dist/conformance/complex-checks.js';
import { Findings } from '#dist/conformance/findings.js';
import { conformanceMatrices } from '#dist/conformance/matrices.js';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine } from '#dist/index.node.js';
import { isFull, isSoak } from '../soak.js';

test('all layouts have block products, and all but those of diagonals scatter', async () => {
  await using engine = await createEngine({ threads: 1, complex: true });
  const { complex } = complexOf(conformanceMatrices()[0]!, 'integer');
  for (const spec of COMPLEX_SPECS) {
    using stored = storeComplex(engine.heap, complex, spec, 'f64');
    const scatters = spec === 'dia' ? [] : ['spmv_t'];
    expect(Object.keys(stored.stages).sort(), spec).toEqual(['spmm', 'spmv', ...scatters]);
  }
});

describe.each([
  ['wasm', 1],
  ['threads', 2],
] as const)('%s', (backend, threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads, complex: true });
  });
  afterAll(() => engine.dispose());

  // Threads only divide the parts: each layout in one dtype, in turn.
  const cases = COMPLEX_SPECS.flatMap((spec, k) =>
    (backend === 'wasm' ? DTYPES : [DTYPES[k % DTYPES.length]!]).map((dtype) => ({ spec, dtype })),
  );

  test.each(cases)('$spec $dtype', ({ spec, dtype }) => {
    const findings = new Findings();
    const { bytesInUse } = engine.heap;
    // In CI in one dtype, as the formats themselves: a layout is that of a real matrix.
    const isBrief = backend === 'threads' || !(isSoak || (isFull && dtype === 'f64'));
    checkComplex(findings, engine, { spec, dtype, backend }, isBrief);
    expect(findings.failures).toEqual([]);
    expect(findings.checks).toBeGreaterThan(1000);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});
