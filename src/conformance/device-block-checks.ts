/**
 * Checks of the block products of a device: each column within the bound of its product, whose sums have another order; no memory around
 * Y changed, none around X read; the same bits every time, also as a graph.
 */
import type { Plan } from '../backends/plan.js';
import type { CsrMatrix } from '../core/csr.js';
import { Owned } from '../core/owned.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { StoredMatrix } from '../formats/format.js';
import { strideOf } from '../memory/rows.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { compareProduct, type ExpectedProduct, expectedProduct } from './expected.js';
import type { Findings } from './findings.js';
import { sameWords } from './framed.js';
import { type DataKind, sampleVector } from './matrices.js';
import { perMatrix } from './per-matrix.js';

/** Around the widths of strips, of teams and of passes, in f64 and in f32. A matrix has a third of them; with other data than real one. */
const WIDTHS = [2, 3, 4, 5, 8, 9, 16, 17, 32, 64, 65, 130];
const BRIEF = [33];

/** Different columns of a block, which repeat: fewer expected products. Not a multiple of any width of a kernel. */
const DIFFERENT = 7;

const FACTORS = [
  [1, 0],
  [-0.25, 0.5],
] as const;

/** Nothing is checked if the device has no kernel for blocks. @param matrix the matrix as given */
export function checkDeviceBlocks(
  findings: Findings,
  engine: Engine,
  stored: StoredMatrix,
  matrix: CsrMatrix,
  kind: DataKind,
  brief: boolean,
): void {
  const gpu = engine.gpus[0]!;
  if (!gpu.computes(stored, 'spmm')) return;
  const third = WIDTHS.filter((_, i) => i % 3 === (stored.rows + stored.nnz) % 3);
  const widths = brief ? BRIEF : kind === 'real' ? third : third.slice(0, 1);
  const columns = columnsOf(matrix, stored.dtype, kind);
  using owned = new Owned();
  for (const { name, parameters } of gpu.methodsOf(stored, 'spmm')) {
    for (const method of variants(name, parameters, brief || kind !== 'real')) {
      const plan = owned.own(gpu.plan(stored, 'spmm', { method }));
      for (const width of widths) {
        const bench = { findings, engine, stored, plan, width, kind, method };
        for (const one of columns.cases) checkCase(bench, one, columns.x);
        if (kind === 'integer' && stored.nnz > 0) checkNaN(bench, matrix, columns.x);
      }
      checkRecorded({ findings, engine, stored, plan, width: widths[0]!, kind, method }, columns);
    }
  }
}

/**
 * A method with its defaults, and with block rows cut between all blocks; unless few are wanted, with few and many lanes to a row, or with the
 * shortest spans, too, where it lets one choose.
 */
function variants(name: string, parameters: readonly string[], areFew: boolean): readonly string[] {
  const others = parameters.includes('maxRowBlocks') ? ['maxRowBlocks=1'] : [];
  if (!areFew && parameters.includes('entries')) others.push('entries=32');
  if (!areFew && parameters.includes('slots'))
    others.push(
      ...(parameters.includes('unroll') ? ['unroll=5&slots=1', 'unroll=8&slots=32'] : ['slots=1', 'slots=32']),
    );
  return [name, ...others.map((other) => `${name}?${other}`)];
}

interface Bench {
  readonly findings: Findings;
  readonly engine: Engine;
  readonly stored: StoredMatrix;
  readonly plan: Plan;
  readonly width: number;
  readonly kind: DataKind;
  readonly method: string;
}

/** Columns of Y before a product, and what is expected of them. */
interface Case {
  readonly alpha: number;
  readonly beta: number;
  readonly before: readonly FloatArray[];
  readonly expected: readonly ExpectedProduct[];
}

interface Columns {
  readonly x: readonly FloatArray[];
  readonly cases: readonly Case[];
}

const columnsOf = perMatrix(computeColumns);

function computeColumns(matrix: CsrMatrix, dtype: Dtype, kind: DataKind): Columns {
  const type = vectorArray(dtype);
  const numbers = kind === 'real' ? 'real' : 'integer';
  const samples = (length: number, seed: number): FloatArray[] =>
    Array.from({ length: DIFFERENT }, (_, j) => type.from(sampleVector(length, numbers, seed + j)));
  const x = samples(matrix.cols, 20);
  const y = samples(matrix.rows, 40);
  const cases = FACTORS.map(([alpha, beta]): Case => {
    // With β = 0, Y is overwritten, and its old contents are ignored.
    const before = beta === 0 ? y.map((column) => column.map(() => Number.NaN)) : y;
    const expected = x.map((column, j) => {
      return expectedProduct(matrix, dtype, column, Float64Array.from(before[j]!), alpha, beta);
    });
    return { alpha, beta, before, expected };
  });
  return { x, cases };
}

function checkCase(bench: Bench, { alpha, beta, before, expected }: Case, x: readonly FloatArray[]): void {
  const { findings, engine, stored, plan, width, kind, method } = bench;
  const check = `${kind} data, α = ${alpha}, β = ${beta}, ${width} columns, ${method}`;
  using from = new FramedBlock(engine.space, stored.dtype, stored.cols, width);
  using to = new FramedBlock(engine.space, stored.dtype, stored.rows, width);
  from.set(x);
  to.set(before);
  plan.run(from.vector, to.vector, alpha, beta);
  checkColumns(bench, to.read(), expected, check);
  findings.expect(to.guardsIntact(), check, () => 'memory around Y has changed');
}

/** The same product again, as a graph. */
function checkRecorded({ findings, engine, stored, plan, width, kind, method }: Bench, { x, cases }: Columns): void {
  const { alpha, beta, before } = cases.at(-1)!;
  using from = new FramedBlock(engine.space, stored.dtype, stored.cols, width);
  using to = new FramedBlock(engine.space, stored.dtype, stored.rows, width);
  from.set(x);
  to.set(before);
  plan.run(from.vector, to.vector, alpha, beta);
  const first = to.words();
  to.set(before);
  using graph = engine.record(() => plan.run(from.vector, to.vector, alpha, beta));
  graph.launch();
  const message = () => 'the bits differ from those of the first product';
  findings.expect(sameWords(to.words(), first), `${kind} data, ${width} columns, ${method}, as a graph`, message);
}

/** A NaN in column 0 of X must reach the rows of column 0 that use it, and no other element. */
function checkNaN(bench: Bench, matrix: CsrMatrix, x: readonly FloatArray[]): void {
  const { engine, stored, plan, width, method } = bench;
  const col = matrix.colIdx[matrix.nnz >> 1]!;
  const spoilt = x[0]!.slice();
  spoilt[col] = Number.NaN;
  const columns = [spoilt, ...x.slice(1)];
  using from = new FramedBlock(engine.space, stored.dtype, stored.cols, width);
  using to = new FramedBlock(engine.space, stored.dtype, stored.rows, width);
  from.set(Array.from({ length: width }, (_, j) => (j === 0 ? spoilt : x[j % DIFFERENT]!)));
  plan.run(from.vector, to.vector, 1, 0);
  const got = to.read();
  const nothing = new Float64Array(stored.rows);
  const expected = columns.map((column) => expectedProduct(matrix, stored.dtype, column, nothing, 1, 0));
  const later = expectedProduct(matrix, stored.dtype, x[0]!, nothing, 1, 0);
  const all = Array.from({ length: width }, (_, j) =>
    j > 0 && j % DIFFERENT === 0 ? later : expected[j % DIFFERENT]!,
  );
  if (stored.multipliesPadding)
    all[0] = { ...all[0]!, y: all[0]!.y.map((value, i) => (Number.isNaN(got(i, 0)) ? NaN : value)) };
  checkColumns(bench, got, all, `X[${col}][0] NaN, ${width} columns, ${method}`);
}

/** The element of a row of Y; padding follows the columns. */
type ReadElement = (row: number, column: number) => number;

/** @param expected of the columns; they repeat */
function checkColumns(
  { findings, stored: { dtype, rows }, width, kind }: Bench,
  at: ReadElement,
  expected: readonly ExpectedProduct[],
  check: string,
): void {
  const type = vectorArray(dtype);
  const column = new type(rows);
  for (let j = 0; j < width; j++) {
    const { [j % expected.length]: wanted } = expected;
    for (let i = 0; i < rows; i++) column[i] = at(i, j);
    const wrong = kind === 'real' ? compareProduct(wanted!, column).firstWrong : firstDifferent(column, wanted!.y);
    findings.expect(wrong < 0, check, () => `Y[${wrong}][${j}] is ${column[wrong]}, not ${wanted!.y[wrong]}`);
    if (wrong >= 0) return;
  }
}

/** All NaN are equal, and both zeros. */
function firstDifferent(got: FloatArray, expected: Float64Array): number {
  return got.findIndex((value, i) => value !== expected[i] && !(Number.isNaN(value) && Number.isNaN(expected[i])));
}

/** Bytes on either side of a block: NaN in every precision. */
const GUARD_BYTES = 64;
const GUARD_WORD = 0xffff_ffff;

/** A block of vectors of a device between guards. */
class FramedBlock implements Disposable {
  readonly vector: Vector;
  readonly #space: Space;
  readonly #bytes: number;
  readonly #memory: number;
  readonly #slice: number;

  constructor(space: Space, dtype: Dtype, length: number, columns: number) {
    const type = vectorArray(dtype);
    this.#space = space;
    this.#bytes = length * strideOf(type, columns) * type.BYTES_PER_ELEMENT;
    this.#memory = space.allocate(this.#bytes + 2 * GUARD_BYTES);
    this.#slice = space.slice(this.#memory, GUARD_BYTES, this.#bytes);
    this.vector = new Vector(space, type, length, this.#slice, columns);
    space.upload(this.#memory, 0, new Uint32Array((this.#bytes + 2 * GUARD_BYTES) / 4).fill(GUARD_WORD));
  }

  /** Columns repeat; padding is 0. */
  set(columns: readonly FloatArray[]): void {
    const { type, length, stride, columns: width, block } = this.vector;
    const numbers = new type(length * stride);
    for (let i = 0; i < length; i++)
      for (let j = 0; j < width; j++) numbers[i * stride + j] = columns[j % columns.length]![i]!;
    this.#space.upload(block, 0, numbers);
  }

  read(): ReadElement {
    const { type, length, stride, block } = this.vector;
    const numbers = new type(length * stride);
    this.#space.download(block, 0, numbers);
    return (row, column) => numbers[row * stride + column]!;
  }

  /** The bits of the elements, and of the padding. */
  words(): Uint32Array {
    return this.#all().slice(GUARD_BYTES / 4, (GUARD_BYTES + this.#bytes) / 4);
  }

  guardsIntact(): boolean {
    const all = this.#all();
    const guard = GUARD_BYTES / 4;
    return [...all.subarray(0, guard), ...all.subarray(all.length - guard)].every((word) => word === GUARD_WORD);
  }

  #all(): Uint32Array {
    const words = new Float32Array((this.#bytes + 2 * GUARD_BYTES) / 4);
    this.#space.download(this.#memory, 0, words);
    return new Uint32Array(words.buffer);
  }

  [Symbol.dispose](): void {
    this.#space.releaseSlice(this.#slice);
    this.#space.release(this.#memory);
  }
}
