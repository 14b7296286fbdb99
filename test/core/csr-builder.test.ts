/** Entries one at a time and as whole arrays: none is lost, and one that is wrong is named. */
import { describe, expect, test } from 'vitest';
import { type BuilderOptions, CsrBuilder } from '#dist/core/csr-builder.js';
import type { Field } from '#dist/core/types.js';

/** The expected error of CsrBuilder. */
function refusal(code: string, message: string) {
  return expect.objectContaining({ name: 'SparlaneError', code, message: expect.stringContaining(message) });
}

function contentOf(builder: CsrBuilder) {
  const { nnz, rowPtr, colIdx, values } = builder.build();
  return { nnz, rowPtr: [...rowPtr], colIdx: [...colIdx], values: [...values] };
}

describe('add', () => {
  test.each<[string, entry: unknown[], code: string, message: string]>([
    ['a row counted from 1', [3, 2, 5], 'structure', 'row of entry 1: expected a row below rows = 3, got 3'],
    ['a column counted from 1', [2, 4, 5], 'structure', 'column of entry 1: expected a column below cols = 4, got 4'],
    ['a negative row', [-1, 0, 5], 'argument', 'row of entry 1: expected an integer from 0 to 4294967295, got -1'],
    ['a negative column', [0, -1, 5], 'argument', 'column of entry 1: expected an integer'],
    ['half a row', [0.5, 0, 5], 'argument', 'row of entry 1: expected an integer from 0 to 4294967295, got 0.5'],
    ['row 2³²', [2 ** 32, 0, 5], 'argument', 'row of entry 1: expected an integer'],
    ['row NaN', [Number.NaN, 0, 5], 'argument', 'row of entry 1: expected an integer from 0 to 4294967295, got NaN'],
    ['a text for a row', ['1', 0, 5], 'argument', "row of entry 1: expected an integer from 0 to 4294967295, got '1'"],
    [
      'a BigInt for a column',
      [0, 1n, 5],
      'argument',
      'column of entry 1: expected an integer from 0 to 4294967295, got 1n',
    ],
    ['an object for a row', [{}, 0, 5], 'argument', 'row of entry 1: expected an integer'],
    ['no column', [1], 'argument', 'column of entry 1: expected an integer from 0 to 4294967295, got undefined'],
    ['a text for a value', [0, 0, '5'], 'argument', "value of entry 1: expected a number, got '5'"],
    ['no value', [0, 0], 'argument', 'value of entry 1: expected a number, got undefined'],
  ])('refuses %s, and goes on', (_, entry, code, message) => {
    const builder = new CsrBuilder(3, 4);
    builder.add(2, 3, 7);
    expect(() => builder.add(...(entry as [number, number, number]))).toThrowError(refusal(code, message));
    builder.add(0, 1, 8);
    expect(contentOf(builder)).toEqual({ nnz: 2, rowPtr: [0, 1, 1, 2], colIdx: [1, 3], values: [8, 7] });
  });

  test('numbers of entries count from 0 in each chunk and past it', () => {
    const builder = new CsrBuilder(1, 1);
    const chunk = 2 ** 18;
    for (let k = 0; k < chunk + 3; k++) builder.add(0, 0, 1);
    expect(builder.count).toBe(chunk + 3);
    expect(() => builder.add(1, 0, 1)).toThrowError(refusal('structure', `row of entry ${chunk + 3}: expected`));
    expect(contentOf(builder)).toMatchObject({ nnz: 1, values: [chunk + 3] });
    expect(builder.count).toBe(0);
  });

  test('a pattern takes ones, or nothing', () => {
    const builder = new CsrBuilder(2, 2, { field: 'pattern' });
    builder.add(0, 1);
    builder.add(1, 0, 1);
    expect(() => builder.add(1, 1, 2)).toThrowError(
      refusal('argument', "value of entry 2: expected 1, since field is 'pattern', got 2"),
    );
    expect(contentOf(builder)).toMatchObject({ colIdx: [1, 0], values: [1, 1] });
  });
});

describe('addAll', () => {
  test.each<[string, rowIdx: ArrayLike<number> | BigInt64Array, colIdx: ArrayLike<number>, values: ArrayLike<number>]>([
    ['plain arrays', [2, 0, 2], [0, 1, 0], [1, 2, 4]],
    ['typed arrays', Uint32Array.of(2, 0, 2), Int32Array.of(0, 1, 0), Float32Array.of(1, 2, 4)],
    ['indices of 64 bits', BigInt64Array.of(2n, 0n, 2n), Uint8Array.of(0, 1, 0), Int16Array.of(1, 2, 4)],
  ])('%s, after and before single entries', (_, rowIdx, colIdx, values) => {
    const builder = new CsrBuilder(3, 2);
    builder.add(1, 1, 16);
    builder.addAll(rowIdx, colIdx, values);
    builder.add(2, 1, 8);
    expect(contentOf(builder)).toEqual({ nnz: 4, rowPtr: [0, 1, 2, 4], colIdx: [1, 1, 0, 1], values: [2, 16, 5, 8] });
  });

  test('the arrays stay the callers', () => {
    const rowIdx = Uint32Array.of(1);
    const values = Float64Array.of(3);
    const builder = new CsrBuilder(2, 1);
    builder.addAll(rowIdx, [0], values);
    builder.add(0, 0, 4);
    rowIdx[0] = 0;
    values[0] = 5;
    expect(contentOf(builder)).toMatchObject({ rowPtr: [0, 1, 2], values: [4, 3] });
    expect([...rowIdx, ...values]).toEqual([0, 5]);
  });

  test('a pattern without values, with a symmetry', () => {
    const builder = new CsrBuilder(3, 3, { field: 'pattern', symmetry: 'symmetric' });
    builder.addAll([2, 1], [0, 1]);
    expect(contentOf(builder)).toEqual({ nnz: 3, rowPtr: [0, 1, 2, 3], colIdx: [2, 1, 0], values: [1, 1, 1] });
  });

  test('the mirror images of a skew-symmetric pattern keep their signs where rows are sorted', () => {
    const builder = new CsrBuilder(3, 3, { field: 'pattern', symmetry: 'skew-symmetric' });
    builder.addAll([2, 1], [1, 0]);
    expect(contentOf(builder)).toEqual({ nnz: 4, rowPtr: [0, 1, 3, 4], colIdx: [1, 0, 2, 1], values: [-1, 1, -1, 1] });
  });

  test.each<[string, arrays: unknown[], code: string, message: string, field?: Field]>([
    [
      'fewer columns',
      [[0, 1], [0], [1, 2]],
      'shape',
      'colIdx: expected the length of rowIdx = 2, got Array of length 1',
    ],
    ['more values', [[0], [0], [1, 2]], 'shape', 'values: expected the length of rowIdx = 1, got Array of length 2'],
    [
      'a row out of range',
      [
        [0, 3],
        [0, 0],
        [1, 2],
      ],
      'structure',
      'rowIdx[1]: expected a row below rows = 3, got 3',
    ],
    [
      'a column out of range',
      [
        [0, 1],
        [0, 9],
        [1, 2],
      ],
      'structure',
      'colIdx[1]: expected a column below cols = 3, got 9',
    ],
    [
      'a negative row',
      [
        [0, -1],
        [0, 0],
        [1, 2],
      ],
      'argument',
      'rowIdx[1]: expected an integer',
    ],
    [
      'half a column',
      [
        [0, 1],
        [0, 0.5],
        [1, 2],
      ],
      'argument',
      'colIdx[1]: expected an integer',
    ],
    [
      'a text',
      [
        [0, 1],
        [0, 0],
        [1, '2'],
      ],
      'argument',
      "values[1]: expected a number, got '2'",
    ],
    [
      'no values',
      [
        [0, 1],
        [0, 0],
      ],
      'argument',
      'values: expected an array of numbers, got undefined',
    ],
    ['no arrays', [0, 1, 2], 'argument', 'rowIdx: expected an array of integers, got 0'],
    [
      'values of a pattern',
      [
        [0, 1],
        [0, 0],
        [1, 2],
      ],
      'structure',
      "values[1]: expected 1, since field is 'pattern'",
      'pattern',
    ],
  ])('refuses %s, and adds nothing', (_, arrays, code, message, field = 'real') => {
    const builder = new CsrBuilder(3, 3, { field });
    expect(() => builder.addAll(...(arrays as [[], [], []]))).toThrowError(refusal(code, message));
    expect(builder.build().nnz).toBe(0);
  });
});

describe('a builder', () => {
  test.each<[string, options: unknown, code: string, message: string]>([
    ['an unknown field', { field: 'complex' }, 'argument', "field: expected real | integer | pattern, got 'complex'"],
    ['an unknown symmetry', { symmetry: 'hermitian' }, 'argument', 'symmetry: expected general | symmetric |'],
    ['an unknown option', { symetry: 'general' }, 'argument', "only the options field, symmetry, got 'symetry'"],
    ['no options', null, 'argument', 'options: expected an object, got null'],
    [
      'a symmetric rectangle',
      { symmetry: 'symmetric' },
      'shape',
      "symmetry: expected 'general' for a matrix that is not",
    ],
  ])('refuses %s', (_, options, code, message) => {
    expect(() => new CsrBuilder(2, 3, options as BuilderOptions)).toThrowError(refusal(code, message));
  });
});
