/** The conformance suite of a complex layout: that of its real equivalent. */
import { storeComplex } from '#dist/complex/stored.js';
import { checkStored, type FormatCheck } from '#dist/conformance/check-format.js';
import type { Findings } from '#dist/conformance/findings.js';
import { type ConformanceMatrix, conformanceMatrices, withValues } from '#dist/conformance/matrices.js';
import { type ComplexMatrix, complexFrom, realEquivalent } from '#dist/core/complex.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';

/** With imaginary parts that are the values in another order; every third entry is real, every fifth is imaginary. */
function withImaginaryParts({ rows, cols, rowPtr, colIdx, values, nnz }: CsrMatrix): ComplexMatrix {
  const re = { rows, cols, rowPtr, colIdx, values: values.map((value, k) => (k % 5 === 3 ? 0 : value)) };
  const im = { rows, cols, rowPtr, colIdx, values: values.map((_, k) => (k % 3 === 1 ? 0 : values[nnz - 1 - k]!)) };
  return complexFrom(re as unknown as CsrMatrix, im as unknown as CsrMatrix);
}

const made = new Map<string, { complex: ComplexMatrix; real: CsrMatrix }>();

export function complexOf(
  { name, matrix }: ConformanceMatrix,
  kind: 'real' | 'integer' | 'special',
): { complex: ComplexMatrix; real: CsrMatrix } {
  const key = `${name} ${kind}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const complex = withImaginaryParts(withValues(matrix, kind));
  const both = { complex, real: realEquivalent(complex) };
  made.set(key, both);
  return both;
}

/** All matrices of the suite; if not brief, with non-finite entries, too. */
export function checkComplex(
  findings: Findings,
  engine: Engine,
  { spec, dtype, backend }: FormatCheck,
  isBrief: boolean,
): void {
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
}
