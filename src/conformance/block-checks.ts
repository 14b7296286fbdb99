/**
 * Checks of the block products of a matrix stored in the heap: every column has the bits of the single product. Those of `spmm_fast` are within
 * the bound of the product, and have the same bits in any number of parts.
 */
import type { Plan } from '../backends/plan.js';
import { createReference } from '../backends/reference.js';
import type { CsrMatrix } from '../core/csr.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { StoredMatrix } from '../formats/format.js';
import type { HeapScope } from '../memory/heap.js';
import { compareProduct, expectedProduct } from './expected.js';
import type { Findings } from './findings.js';
import { type FramedVector, framedVector, sameWords } from './framed.js';
import { sampleVector } from './matrices.js';
import type { BackendName } from './product-checks.js';

/** Around the widths of all passes of the kernels, in f64 and in f32, and the parts of each product. A matrix has a third of them. */
const BLOCKS: readonly (readonly [columns: number, parts: number])[] = [
  [2, 1],
  [3, 2],
  [4, 7],
  [5, 1],
  [7, 2],
  [8, 1],
  [16, 7],
  [17, 2],
  [33, 1],
];

/** For brief checks: all widths in one product, once. */
const BRIEF: typeof BLOCKS = [[31, 2]];

/** The reference has no widths. */
const REFERENCE: typeof BLOCKS = [[3, 1]];

const SHIFT = 61;

const FACTORS = [
  [1, 0],
  [-0.25, 0.5],
] as const;

/** Nothing is checked if the format has no kernel for blocks. @param backend not a device: its checks are in `device-block-checks.ts` */
export function checkBlocks(
  findings: Findings,
  engine: Engine,
  stored: StoredMatrix,
  backend: BackendName,
  brief: boolean,
): void {
  const { cpu } = engine;
  if (backend !== 'reference' && !cpu.computes(stored, 'spmm')) return;
  const on = backend === 'reference' ? createReference(cpu.space) : cpu;
  using scope = engine.heap.scope();
  using single = on.plan(stored, 'spmv', backend === 'reference' ? {} : { parts: 1 });
  const blocks = blocksFor(stored, backend, brief);
  const most = Math.max(...blocks.map(([columns]) => columns));
  const x = columnsOf(stored.cols, most, 8);
  const before = columnsOf(stored.rows, most, 9);
  const nothing = before.map((column) => column.map(() => NaN));
  for (const [alpha, beta] of brief ? FACTORS.slice(1) : FACTORS) {
    const expected = productsOf(engine, scope, stored, single, { x, before, alpha, beta });
    for (const [columns, parts] of blocks) {
      using plan = on.plan(stored, 'spmm', backend === 'reference' ? { columns } : { columns, parts });
      const from = block(engine, scope, stored, x, columns);
      const to = block(engine, scope, stored, beta === 0 ? nothing : before, columns);
      plan.run(from.vector, to.vector, alpha, beta);
      const check = `α = ${alpha}, β = ${beta}, ${columns} columns, ${parts} parts`;
      checkColumns(findings, to, expected, check);
      findings.expect(to.guardsIntact() && from.guardsIntact(), check, () => 'memory around a block has changed');
    }
  }
}

function blocksFor({ rows, nnz }: StoredMatrix, backend: BackendName, brief: boolean): typeof BLOCKS {
  if (backend === 'reference') return REFERENCE;
  return brief ? BRIEF : BLOCKS.filter((_, i) => i % 3 === (rows + nnz) % 3);
}

/** Nothing is checked if the team has no kernel of `spmm_fast`. @param matrix the matrix as given */
export function checkFastBlocks(
  findings: Findings,
  engine: Engine,
  stored: StoredMatrix,
  matrix: CsrMatrix,
  brief: boolean,
): void {
  const { cpu } = engine;
  if (!cpu.computes(stored, 'spmm_fast')) return;
  using scope = engine.heap.scope();
  const type = vectorArray(stored.dtype);
  const blocks = blocksFor(stored, 'threads', brief);
  const most = Math.max(...blocks.map(([columns]) => columns));
  const rounded = (columns: readonly Float64Array[]) => columns.map((column) => Float64Array.from(type.from(column)));
  const x = rounded(columnsOf(stored.cols, most, 8));
  const y = rounded(columnsOf(stored.rows, most, 9));
  for (const [alpha, beta] of brief ? FACTORS.slice(1) : FACTORS) {
    const before = beta === 0 ? y.map((column) => column.map(() => NaN)) : y;
    const expected = x.map((column, j) => expectedProduct(matrix, stored.dtype, column, before[j]!, alpha, beta));
    for (const [columns, parts] of blocks) {
      const check = `fast, α = ${alpha}, β = ${beta}, ${columns} columns, ${parts} parts`;
      const productIn = (count: number) => {
        using plan = cpu.plan(stored, 'spmm_fast', { columns, parts: count });
        const from = block(engine, scope, stored, x, columns);
        const to = block(engine, scope, stored, before, columns);
        plan.run(from.vector, to.vector, alpha, beta);
        findings.expect(to.guardsIntact() && from.guardsIntact(), check, () => 'memory around a block has changed');
        return to;
      };
      const result = productIn(parts);
      const { data, vector } = result;
      for (let j = 0; j < columns; j++) {
        const column = data.filter((_, at) => at % vector.stride === j);
        const { firstWrong: i } = compareProduct(expected[j]!, column);
        findings.expect(i < 0, check, () => `Y[${i}][${j}] is ${column[i]}, not ${expected[j]!.y[i]}`);
      }
      const isSame = sameWords(result.words, productIn(parts === 1 ? 3 : 1).words);
      findings.expect(isSame, check, () => 'the bits depend on the number of parts');
    }
  }
}

/** The samples of `columnsOf`, by length and seed: drawn once for all formats, because drawing them took a quarter of a brief suite's time. */
const samples = new Map<string, Float64Array>();

/** Each column is another piece of one sample. */
function columnsOf(length: number, columns: number, seed: number): Float64Array[] {
  const size = length + SHIFT * columns;
  const key = `${size} ${seed}`;
  const sample = samples.get(key) ?? sampleVector(size, 'real', seed);
  samples.set(key, sample);
  return Array.from({ length: columns }, (_, j) => sample.subarray(SHIFT * j, SHIFT * j + length));
}

interface Numbers {
  readonly x: readonly Float64Array[];
  readonly before: readonly Float64Array[];
  readonly alpha: number;
  readonly beta: number;
}

/** The single products of all columns. */
function productsOf(
  { cpu: { space } }: Engine,
  scope: HeapScope,
  { rows, cols, dtype }: StoredMatrix,
  plan: Plan,
  { x, before, alpha, beta }: Numbers,
): FloatArray[] {
  const type = vectorArray(dtype);
  const from = framedVector(space, scope, type, cols);
  const to = framedVector(space, scope, type, rows);
  return x.map((column, j) => {
    from.data.set(column);
    to.data.set(before[j]!);
    plan.run(from.vector, to.vector, alpha, beta);
    return to.data.slice();
  });
}

/** A block of the first columns, whose padding is 0. */
function block(
  { cpu: { space } }: Engine,
  scope: HeapScope,
  { dtype }: StoredMatrix,
  numbers: readonly Float64Array[],
  columns: number,
): FramedVector {
  const length = numbers[0]!.length;
  const framed = framedVector(space, scope, vectorArray(dtype), length, columns);
  const { data, vector } = framed;
  const { stride } = vector;
  // Row by row: column by column, each write would be to another cache line.
  for (let i = 0, at = 0; i < length; i++) {
    for (let j = 0; j < stride; j++) data[at++] = j < columns ? numbers[j]![i]! : 0;
  }
  return framed;
}

function checkColumns(
  findings: Findings,
  { data, vector: { stride, columns, length } }: FramedVector,
  expected: readonly FloatArray[],
  check: string,
): void {
  for (let i = 0; i < length; i++) {
    for (let j = 0; j < stride; j++) {
      const value = data[i * stride + j]!;
      // The sign of a zero of padding is that of α.
      if (j < columns ? Object.is(value, expected[j]![i]) : value === 0) continue;
      const what = j < columns ? `not ${expected[j]![i]} as in the product of the column` : 'but it is padding';
      findings.expect(false, check, () => `Y[${i}][${j}] is ${value}, ${what}`);
      return;
    }
  }
  findings.expect(true, check, () => '');
}
