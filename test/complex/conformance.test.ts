/** The conformance suite for complex layouts: each is a layout of the real equivalent of its matrix. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeComplex } from '#dist/complex/stored.js';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { type ConformanceMatrix, conformanceMatrices, withValues } from '#dist/conformance/matrices.js';
import { type ComplexMatrix, complexFrom, realEquivalent } from '#dist/core/complex.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine } from '#dist/index.node.js';
import { isSoak } from '../soak.js';

const SPECS = [
  'csr',
  'csrk',
  'csrk?k=3',
  'csrk?index=16',
  'coo',
  'ell',
  'sell',
  'sell?chunkHeight=4',
  'sell?index=16',
  'hyb',
  'dia',
  'bsr',
  'bsr?blockSize=3',
  'bsr?blockSize=11',
];

/** With imaginary parts that are the values in another order; every third entry is real, every fifth is imaginary. */
function withImaginaryParts({ rows, cols, rowPtr, colIdx, values, nnz }: CsrMatrix): ComplexMatrix {
  const re = { rows, cols, rowPtr, colIdx, values: values.map((value, k) => (k % 5 === 3 ? 0 : value)) };
  const im = { rows, cols, rowPtr, colIdx, values: values.map((_, k) => (k % 3 === 1 ? 0 : values[nnz - 1 - k]!)) };
  return complexFrom(re as unknown as CsrMatrix, im as unknown as CsrMatrix);
}

const made = new Map<string, { complex: ComplexMatrix; real: CsrMatrix }>();

function complexOf({ name, matrix }: ConformanceMatrix, kind: 'real' | 'integer' | 'special') {
  const key = `${name} ${kind}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const complex = withImaginaryParts(withValues(matrix, kind));
  const both = { complex, real: realEquivalent(complex) };
  made.set(key, both);
  return both;
}

test('all layouts have block products, and all but those of diagonals scatter', async () => {
  await using engine = await createEngine({ threads: 1, complex: true });
  const { complex } = complexOf(conformanceMatrices()[0]!, 'integer');
  for (const spec of SPECS) {
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

  test.each(SPECS.flatMap((spec) => DTYPES.map((dtype) => ({ spec, dtype }))))('$spec $dtype', ({ spec, dtype }) => {
    const findings = new Findings();
    const { bytesInUse } = engine.heap;
    const isBrief = !isSoak || backend === 'threads';
    for (const one of conformanceMatrices()) {
      for (const kind of isBrief ? (['real', 'integer'] as const) : (['real', 'integer', 'special'] as const)) {
        findings.about(one.name);
        findings.attempt(`${kind} data`, () => {
          const { complex, real } = complexOf(one, kind);
          using stored = storeComplex(engine.heap, complex, spec, dtype);
          checkStored(findings, engine, stored, real, backend, kind, isBrief);
        });
      }
    }
    expect(findings.failures).toEqual([]);
    expect(findings.checks).toBeGreaterThan(1000);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});
