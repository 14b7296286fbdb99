/** The complex kernels on a GPU, where there is one. */
import { describe, expect, test } from 'vitest';
import { cudaStatus } from '#dist/backends/cuda/status.node.js';
import { checkComplex } from '#dist/conformance/complex-checks.js';
import { Findings } from '#dist/conformance/findings.js';
import { DTYPES } from '#dist/core/types.js';
import { createEngine } from '#dist/index.node.js';

const { state } = await cudaStatus();

describe.runIf(state === 'ok')('on a GPU', () => {
  test.each(DTYPES)('csr %s', async (dtype) => {
    await using engine = await createEngine({ threads: 1, device: 'cuda', complex: true });
    const findings = new Findings();
    checkComplex(findings, engine, { spec: 'csr', dtype, backend: 'cuda' }, false);
    expect(findings.failures).toEqual([]);
    expect(findings.checks).toBeGreaterThan(1000);
  });
});
