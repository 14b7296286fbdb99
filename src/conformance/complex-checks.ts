/** The conformance suite of complex layouts: each is a layout of the real equivalent of its matrix. */
import { storeComplex } from '../complex/stored.js';
import { type ComplexMatrix, complexFrom, realEquivalent } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { DTYPES } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { checkStored, type FormatCheck } from './check-format.js';
import { Findings } from './findings.js';
import { type ConformanceMatrix, conformanceMatrices, withValues } from './matrices.js';
import type { BackendName } from './product-checks.js';

/** The formats that have complex kernels: on a CPU all of these, on a device the first. */
export const COMPLEX_SPECS: readonly string[] = [
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

/** Adds imaginary parts to a matrix: its values in another order. Every third entry stays real, and every fifth becomes imaginary. */
function withImaginaryParts({ rows, cols, rowPtr, colIdx, values, nnz }: CsrMatrix): ComplexMatrix {
  const re = { rows, cols, rowPtr, colIdx, values: values.map((value, k) => (k % 5 === 3 ? 0 : value)) };
  const im = { rows, cols, rowPtr, colIdx, values: values.map((_, k) => (k % 3 === 1 ? 0 : values[nnz - 1 - k]!)) };
  return complexFrom(re as unknown as CsrMatrix, im as unknown as CsrMatrix);
}

const made = new Map<string, { complex: ComplexMatrix; real: CsrMatrix }>();

/** Makes the complex matrix of a matrix of the suite, and its real equivalent, once. */
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

/** Checks a layout with all matrices of the suite; if not brief, with non-finite entries, too. */
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

/** Checks all complex layouts of a backend, in every dtype. */
export function checkAllComplex(engine: Engine, backend: BackendName, isBrief: boolean): Findings {
  const findings = new Findings();
  for (const spec of backend === 'cuda' ? COMPLEX_SPECS.slice(0, 1) : COMPLEX_SPECS)
    for (const dtype of DTYPES) checkComplex(findings, engine, { spec, dtype, backend }, isBrief);
  return findings;
}
