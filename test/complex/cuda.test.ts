/** The complex kernels on a GPU, where there is one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cudaStatus } from '#dist/backends/cuda/status.node.js';
import { COMPLEX_SPECS, checkComplex } from '#dist/conformance/complex-checks.js';
import { Findings } from '#dist/conformance/findings.js';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine } from '#dist/index.node.js';

const { state } = await cudaStatus();

describe.runIf(state === 'ok')('on a GPU', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1, device: 'cuda', complex: true });
  });
  afterAll(() => engine.dispose());

  test.each(COMPLEX_SPECS.flatMap((spec) => DTYPES.map((dtype) => ({ spec, dtype }))))(
    '$spec $dtype',
    ({ spec, dtype }) => {
      const findings = new Findings();
      checkComplex(findings, engine, { spec, dtype, backend: 'cuda' }, false);
      expect(findings.failures).toEqual([]);
      expect(findings.checks).toBeGreaterThan(1000);
    },
  );
});
