/**
 * Random matrices as callers have them, and random options of operators: what the suite's fixed list of matrices × formats × dtypes does not
 * combine. The types of the values and of the product, the kinds of values, the layouts of the source and the choice of a format are drawn
 * independently of each other. A seed is one case.
 */

import type { CsrMatrix, MatrixInput } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import type { ParameterValue } from '../core/parameters.js';
import { DTYPES } from '../core/types.js';
import { FORMAT_SPECS, formatByName } from '../formats/registry.js';
import { below, permutation, type RandomStream, stratified, unit } from '../gallery/draw.js';
import type { OperatorOptions } from '../operators/operator-options.js';

/** Kinds of values: how many different ones there are decides how a format may store them. */
export const VALUE_KINDS = ['none', 'ones', 'few', 'table', 'integer', 'real'] as const;
export type RandomValues = (typeof VALUE_KINDS)[number];

export interface RandomCase {
  readonly source: MatrixInput;
  readonly options: OperatorOptions;
  /** Whether the source is first copied into the heap by `engine.matrix`. */
  readonly inHeap: boolean;
  /** One line that describes all of it. */
  readonly text: string;
}

/** What an engine takes: numbers of parts, and several memories. */
export interface RandomLimits {
  readonly onCpu: boolean;
  readonly severalMemories: boolean;
}

/** A matrix with random rows; the values are those of the kind. */
export function randomCase(random: RandomStream, { onCpu, severalMemories }: RandomLimits): RandomCase {
  const kind = pick(random, VALUE_KINDS);
  const shape = randomShape(random);
  const isSingle = below(random, 2) === 0;
  const pattern = randomPattern(random, shape);
  const values = kind === 'none' ? undefined : randomValues(random, kind, pattern.nnz, isSingle);
  const layout = pick(random, ['csr', 'csr', 'unsorted', 'coo', 'csc'] as const);
  const source = sourceOf(random, layout, pattern, values);
  const { parts, ...others } = randomOptions(random);
  const onAny = onCpu && parts !== undefined ? { ...others, parts } : others;
  const mayBeDivided = severalMemories && others.allowPermutation === undefined;
  const options = mayBeDivided && below(random, 6) === 0 ? { ...onAny, memories: 1 + below(random, 3) } : onAny;
  const inHeap = below(random, 8) === 0;
  const type = values === undefined ? 'no values' : values.constructor.name;
  const text = `${shape.rows} × ${shape.cols}, ${pattern.nnz} entries, ${layout}, ${kind}, ${type}${inHeap ? ', engine.matrix' : ''}, ${JSON.stringify(options)}`;
  return { source, options, inHeap, text };
}

export function pick<T>(random: RandomStream, all: readonly T[]): T {
  return all[below(random, all.length)]!;
}

type Shape = { readonly rows: number; readonly cols: number };

/** Mostly a few dozen rows; seldom thousands, of which several threads compute parts, and none at all. */
function randomShape(random: RandomStream): Shape {
  const most = below(random, 40) === 0 ? 3000 : below(random, 4) === 0 ? 200 : 40;
  const rows = below(random, most);
  return { rows, cols: below(random, 3) === 0 ? below(random, most) : rows };
}

/** Rows of random lengths; diagonals; or dense blocks; symmetric or not. */
function randomPattern(random: RandomStream, { rows, cols }: Shape): CsrMatrix {
  const builder = new CsrBuilder(rows, cols);
  const family = pick(random, ['rows', 'rows', 'diagonals', 'blocks', 'skewed'] as const);
  const offsets = Array.from({ length: 1 + below(random, 6) }, () => below(random, 2 * cols + 1) - cols);
  const size = 2 + below(random, 3);
  for (let row = 0; row < rows; row++) {
    const length =
      family === 'skewed' && below(random, 20) === 0 ? Math.min(cols, 150) : Math.min(cols, below(random, 9));
    for (const col of columnsOf(random, family, { row, cols, length, offsets, size })) builder.add(row, col, 1);
  }
  return builder.build();
}

interface RowOf {
  readonly row: number;
  readonly cols: number;
  readonly length: number;
  readonly offsets: readonly number[];
  readonly size: number;
}

function columnsOf(
  random: RandomStream,
  family: string,
  { row, cols, length, offsets, size }: RowOf,
): Iterable<number> {
  if (cols === 0) return [];
  if (family === 'diagonals') {
    const all = offsets.map((offset) => row + offset).filter((col) => col >= 0 && col < cols);
    return [...new Set(all)].sort((a, b) => a - b);
  }
  if (family === 'blocks') {
    const first = (Math.floor(row / size) * 7 * size) % cols;
    return Array.from({ length: Math.min(size, cols - first) }, (_, k) => first + k);
  }
  const columns = new Uint32Array(length);
  stratified(random, length, 0, cols, columns, 0);
  return columns;
}

/** `few`: at most 5 different values; `table`: some 250 to 260, the number that 8-bit codes can tell apart, and a few more. */
function randomValues(
  random: RandomStream,
  kind: RandomValues,
  nnz: number,
  isSingle: boolean,
): Float64Array | Float32Array {
  const values = new (isSingle ? Float32Array : Float64Array)(nnz);
  if (kind === 'ones') return values.fill(1);
  const different = kind === 'few' ? 1 + below(random, 5) : kind === 'table' ? 250 + below(random, 11) : Infinity;
  const known = Array.from({ length: different === Infinity ? 0 : different }, () => real(random));
  for (let k = 0; k < nnz; k++)
    values[k] = kind === 'integer' ? below(random, 9) - 4 : kind === 'real' ? real(random) : pick(random, known);
  return values;
}

/** Of 32 random bits, from 2⁻¹² to 2¹² in magnitude; seldom a zero of either sign. */
function real(random: RandomStream): number {
  if (below(random, 50) === 0) return below(random, 2) === 0 ? 0 : -0;
  return (2 * unit(random) - 1) * 2 ** (below(random, 25) - 12);
}

type Values = Float64Array | Float32Array | undefined;

/** The arrays of one layout. Without `csr`, entries come in random order, and a few twice: their values are added. */
function sourceOf(random: RandomStream, layout: string, pattern: CsrMatrix, given: Values): MatrixInput {
  const { rows, cols, nnz, rowPtr, colIdx } = pattern;
  const values = given === undefined ? {} : { values: given };
  if (layout === 'csr') return { rows, cols, rowPtr, colIdx, ...values };
  const rowIdx = new Uint32Array(nnz);
  for (let i = 0; i < rows; i++) rowIdx.fill(i, rowPtr[i]!, rowPtr[i + 1]!);
  if (layout === 'coo') {
    // A pattern has no entry twice: its value would be 2.
    const twice = given === undefined ? 0 : Math.min(nnz, below(random, 3));
    const order = permutation(random, nnz);
    const places = [...order, ...order.slice(0, twice)];
    const at = (array: Uint32Array) => Uint32Array.from(places, (place) => array[place]!);
    return { rows, cols, rowIdx: at(rowIdx), colIdx: at(colIdx), ...(given && { values: taken(given, places) }) };
  }
  if (layout === 'unsorted') {
    const places = Array.from({ length: rows }, (_, i) => {
      const length = rowPtr[i + 1]! - rowPtr[i]!;
      return Array.from(permutation(random, length), (k) => rowPtr[i]! + k);
    }).flat();
    const columns = Uint32Array.from(places, (place) => colIdx[place]!);
    return { rows, cols, rowPtr, colIdx: columns, ...(given && { values: taken(given, places) }) };
  }
  const places = Array.from({ length: nnz }, (_, k) => k).sort((a, b) => colIdx[a]! - colIdx[b]! || a - b);
  const colPtr = new Uint32Array(cols + 1);
  for (const col of colIdx) colPtr[col + 1]!++;
  for (let j = 0; j < cols; j++) colPtr[j + 1]! += colPtr[j]!;
  const rowsOf = Uint32Array.from(places, (place) => rowIdx[place]!);
  return { rows, cols, colPtr, rowIdx: rowsOf, ...(given && { values: taken(given, places) }) };
}

function taken(values: Float64Array | Float32Array, places: readonly number[]): Float64Array | Float32Array {
  const at = (place: number) => values[place]!;
  return values instanceof Float64Array ? Float64Array.from(places, at) : Float32Array.from(places, at);
}

function randomOptions(random: RandomStream): OperatorOptions {
  const maybe = (one: OperatorOptions): OperatorOptions => (below(random, 3) === 0 ? one : {});
  const common: OperatorOptions = {
    ...(below(random, 4) > 0 && { dtype: pick(random, DTYPES) }),
    ...maybe({ padding: below(random, 2) === 0 }),
    ...maybe({ parts: 1 + below(random, 9) }),
  };
  if (below(random, 2) === 0) return { ...common, format: randomSpec(random) };
  return {
    ...common,
    tune: false, // trials take half a second
    ...maybe({ products: pick(random, [1, 10, 1000, 'many'] as const) }),
    ...maybe({ columns: pick(random, [1, 2, 4, 8, 16, 17]) }),
    ...maybe({ allowPermutation: below(random, 2) === 0 }),
  };
}

/** A registered layout, often with other values of its parameters. */
function randomSpec(random: RandomStream): string {
  const spec = pick(random, FORMAT_SPECS);
  const [name] = spec.split('?');
  const others = Object.entries(formatByName(name!).parameters).flatMap(([key, parameter]): string[] => {
    if (parameter.kind === 'spec' || spec.includes(`${key}=`) || below(random, 3) > 0) return [];
    const value: ParameterValue =
      parameter.kind === 'word'
        ? pick(random, parameter.allowed)
        : Math.min(parameter.max, parameter.min + 2 ** below(random, 8) - below(random, 2));
    return [`${key}=${value}`];
  });
  return [spec, others.join('&')].filter((part) => part !== '').join(spec.includes('?') ? '&' : '?');
}
