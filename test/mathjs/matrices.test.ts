/** Matrices and vectors of mathjs in and out. */
import { denseMatrix, matrixInput, sparseMatrix, vectorOf } from '@sparlane/mathjs';
import type { Matrix } from 'mathjs';
import { type CscInput, createEngine } from 'sparlane';
import { afterAll, describe, expect, it } from 'vitest';
import { EXAMPLE, graph, newInstance } from './instances.js';

const plain = newInstance();
const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

describe('matrices', () => {
  it('come in as compressed columns, the arrays of mathjs themselves', () => {
    const S = plain.sparse(EXAMPLE);
    const input = matrixInput(S);
    expect(input).toEqual({
      rows: 4,
      cols: 3,
      colPtr: [0, 2, 3, 6],
      rowIdx: [0, 3, 3, 0, 2, 3],
      values: [10, 40, 50, 20, 30, 60],
    });
    expect((input as CscInput).values).toBe(S.toJSON().values);
    expect(() => engine.operator(matrixInput(plain.sparse([[plain.bignumber(1)]])))).toThrow(
      'values[0]: expected a number',
    );
  });

  it('come in as rows, of a DenseMatrix or of an array', () => {
    const dense = plain.matrix(EXAMPLE);
    for (const given of [dense, EXAMPLE]) {
      using A = engine.operator(matrixInput(given));
      using x = vectorOf(engine, [1, 2, 3]);
      using y = engine.vector(4);
      A.apply(x, y);
      expect([...y.data]).toEqual([70, 0, 90, 320]);
      expect(sparseMatrix(plain, matrixInput(given)).toJSON()).toEqual(plain.sparse(EXAMPLE).toJSON());
    }
    expect(matrixInput(dense)).toBe(dense.toJSON().data);
    expect(() => matrixInput([1, 2])).toThrow('matrix: expected one with two dimensions, got one of size 2');
    expect(() => matrixInput(plain.complex(1, 2) as unknown as Matrix)).toThrow(
      'matrix: expected a matrix of mathjs or an array, got object',
    );
  });

  it('go out, and come back with the same entries', () => {
    const S = sparseMatrix(plain, graph);
    expect(S.size()).toEqual([graph.rows, graph.cols]);
    expect(plain.sparse(EXAMPLE).toJSON()).toEqual(sparseMatrix(plain, matrixInput(plain.sparse(EXAMPLE))).toJSON());
    using A = engine.operator(matrixInput(S));
    const { rowPtr, colIdx, values } = A.toCsr();
    expect([rowPtr, colIdx, values]).toEqual([graph.rowPtr, graph.colIdx, graph.values]);
  });

  it('vectors and blocks', () => {
    using x = vectorOf(engine, plain.matrix([1, 2, 3]));
    expect([x.length, x.columns, ...x.toArray()]).toEqual([3, 1, 1, 2, 3]);
    expect(denseMatrix(plain, x).toJSON()).toEqual(plain.matrix([1, 2, 3]).toJSON());
    const block = plain.matrix(EXAMPLE);
    using X = vectorOf(engine, block);
    expect([X.length, X.columns]).toEqual([4, 3]);
    expect(denseMatrix(plain, X).toArray()).toEqual(EXAMPLE);
    using column = vectorOf(engine, plain.matrix([[1], [2]]));
    expect([column.length, column.columns]).toEqual([2, 1]);
    using rows = vectorOf(engine, EXAMPLE);
    expect([...rows.toArray()]).toEqual(EXAMPLE.flat());
    expect(() => vectorOf(engine, [[1], [2, 3]])).toThrow('matrix: expected numbers only, in rows of one length');
    expect(() => vectorOf(engine, plain.sparse(EXAMPLE))).toThrow('got SparseMatrix of 4,3');
    expect(() => vectorOf(engine, plain.matrix([[[1]]]))).toThrow('one or two dimensions');
    expect(() => vectorOf(engine, plain.matrix([1, plain.complex(1, 2)]))).toThrow('matrix: expected numbers only');
  });
});
