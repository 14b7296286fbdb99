/** The conformance suite of complex layouts: each is a layout of the real equivalent of its matrix. */
import { storeComplex } from '../complex/stored.js';
import { type ComplexMatrix, complexFrom, realEquivalent } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { DTYPES } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { checkStored, type FormatCheck } from './check-format.js';
import { checkDeviceBlocks } from './device-block-checks.js';
import { Findings } from './findings.js';
import { type ConformanceMatrix, columns, conformanceMatrices, pattern, withValues } from './matrices.js';
import { type BackendName, checkProducts } from './product-checks.js';

/** The formats that have complex kernels. */
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

/** Some rows have so many entries that a device cuts their block rows into more pieces than a block of threads adds at once. */
const LONG_BLOCK_ROWS = pattern('long block rows', 40, 2000, (row) =>
  row >= 12 && row < 18 ? columns(0, 2000) : [row, row + 1000],
);

/** Returns the matrices on which a layout is checked. Long block rows are for BSR: other layouts would store mostly padding of them. */
function matricesOf(spec: string): readonly ConformanceMatrix[] {
  return spec.startsWith('bsr') ? [...conformanceMatrices(), LONG_BLOCK_ROWS] : conformanceMatrices();
}

/** Adds imaginary parts to a matrix: its values in another order. Every third entry stays real, and every fifth becomes imaginary. */
function withImaginaryParts({ rows, cols, rowPtr, colIdx, values, nnz }: CsrMatrix): ComplexMatrix {
  const re = { rows, cols, rowPtr, colIdx, values: values.map((value, k) => (k % 5 === 3 ? 0 : value)) };
  const im = { rows, cols, rowPtr, colIdx, values: values.map((_, k) => (k % 3 === 1 ? 0 : values[nnz - 1 - k]!)) };
  return complexFrom(re as unknown as CsrMatrix, im as unknown as CsrMatrix);
}

function conjugateOf(matrix: ComplexMatrix): ComplexMatrix {
  return { ...matrix, values: matrix.values.map((value, k) => (k % 2 === 0 ? value : -value)) };
}

/** A complex matrix, and the real equivalents of it and of its conjugate. */
interface Equivalents {
  readonly complex: ComplexMatrix;
  readonly real: CsrMatrix;
  readonly conjugate: CsrMatrix;
}

const made = new Map<string, Equivalents>();

/** Makes the complex matrix of a matrix of the suite, and its real equivalents, once. */
export function complexOf({ name, matrix }: ConformanceMatrix, kind: 'real' | 'integer' | 'special'): Equivalents {
  const key = `${name} ${kind}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const complex = withImaginaryParts(withValues(matrix, kind));
  const real = realEquivalent(complex);
  const all = { complex, real, conjugate: realEquivalent(conjugateOf(complex)) };
  made.set(key, all);
  return all;
}

/** Checks a layout with all matrices of the suite; if not brief, with non-finite entries, too. */
export function checkComplex(
  findings: Findings,
  engine: Engine,
  { spec, dtype, backend }: FormatCheck,
  isBrief: boolean,
): void {
  for (const one of matricesOf(spec)) {
    for (const kind of isBrief ? (['real', 'integer'] as const) : (['real', 'integer', 'special'] as const)) {
      findings.about(one.name);
      findings.attempt(`${kind} data`, () => {
        const { complex, real, conjugate } = complexOf(one, kind);
        using stored = storeComplex(engine.heap, complex, spec, dtype);
        checkStored(findings, engine, stored, real, backend, kind, isBrief);
        if (kind !== 'integer') return;
        using conjugated = stored.conjugated();
        checkProducts(findings, engine, conjugated, conjugate, backend, kind, true);
        if (backend === 'cuda') checkDeviceBlocks(findings, engine, conjugated, conjugate, kind, true);
      });
    }
  }
}

/** Checks all complex layouts of a backend, in every dtype. */
export function checkAllComplex(engine: Engine, backend: BackendName, isBrief: boolean): Findings {
  const findings = new Findings();
  for (const spec of COMPLEX_SPECS)
    for (const dtype of DTYPES) checkComplex(findings, engine, { spec, dtype, backend }, isBrief);
  return findings;
}
