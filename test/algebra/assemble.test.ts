/** Assembly of finite elements and Dirichlet conditions, beside `CsrBuilder` and dense elimination. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Assembly, applyDirichlet, CsrBuilder, type CsrMatrix, csrMatrix, gallery } from '#dist/index.node.js';

/**
 * Two triangles with a common side, nodes 0 to 3:
 *
 *     3 ─ 2
 *     │ ╲ │
 *     0 ─ 1
 */
const SQUARE = [0, 1, 3, 1, 2, 3];
const ONES = Array.from({ length: 18 }, (_, k) => k + 1);

const dense = ({ rows, cols, rowPtr, colIdx, values }: CsrMatrix) =>
  Array.from({ length: rows }, (_, i) => {
    const row = new Array<number>(cols).fill(0);
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) row[colIdx[k]!] = values[k]!;
    return row;
  });

describe('Assembly', () => {
  it('adds the numbers of two triangles, by hand', () => {
    const A = new Assembly(SQUARE, { perElement: 3 }).matrix(ONES);
    expect(dense(A)).toEqual([
      [1, 2, 0, 3],
      [4, 5 + 10, 11, 6 + 12],
      [0, 13, 14, 15],
      [7, 8 + 16, 17, 9 + 18],
    ]);
    expect([A.nnz, A.field, A.symmetry]).toEqual([14, 'real', 'general']);
    expect(csrMatrix(A).colIdx).toBe(A.colIdx); // canonical
  });

  it('adds the numbers of vectors', () => {
    const b = new Assembly(SQUARE, { perElement: 3, unknowns: 6 }).vector([1, 2, 3, 4, 5, 6]);
    expect([...b]).toEqual([1, 2 + 4, 5, 3 + 6, 0, 0]);
  });

  it('has the bits of CsrBuilder for integers, whatever the elements, also where one names an unknown twice', () => {
    const meshes = fc
      .record({ unknowns: fc.integer({ min: 1, max: 12 }), perElement: fc.integer({ min: 1, max: 5 }) })
      .chain(({ unknowns, perElement }) =>
        fc
          .array(fc.array(fc.nat(unknowns - 1), { minLength: perElement, maxLength: perElement }), { maxLength: 20 })
          .map((elements) => ({ unknowns, perElement, elements })),
      );
    fc.assert(
      fc.property(meshes, fc.nat(100), ({ unknowns, perElement, elements }, seed) => {
        const size = perElement * perElement;
        const numbers = Array.from({ length: elements.length * size }, (_, k) => ((k * 31 + seed) % 17) - 8);
        const builder = new CsrBuilder(unknowns, unknowns);
        elements.forEach((element, e) => {
          element.forEach((i, a) => {
            element.forEach((j, c) => {
              builder.add(i, j, numbers[e * size + a * perElement + c]!);
            });
          });
        });
        const A = new Assembly(elements.flat(), { perElement, unknowns }).matrix(numbers);
        const { rowPtr, colIdx, values } = builder.build();
        expect([A.rowPtr, A.colIdx]).toEqual([rowPtr, colIdx]);
        // The sign of a zero is free.
        expect(A.values.map((value) => value + 0)).toEqual(Float64Array.from(values, (value) => value + 0));
      }),
    );
  });

  it('updates the values in place, in the order of the elements', () => {
    const assembly = new Assembly(SQUARE, { perElement: 3, symmetry: 'symmetric' });
    const A = assembly.matrix(ONES);
    const { values, rowPtr, colIdx } = A;
    const others = ONES.map((value) => value / 7);
    expect(assembly.update(A, others)).toBe(A);
    expect([A.values, A.rowPtr, A.colIdx].map((array, k) => array === [values, rowPtr, colIdx][k])).toEqual([
      true,
      true,
      true,
    ]);
    expect(A.values).toEqual(assembly.matrix(others).values);
    expect(A.symmetry).toBe('symmetric');
    // Large, small, −large: in this order nothing is left of the small one.
    const line = new Assembly([0, 0, 0], { perElement: 1 });
    expect(line.matrix([1e20, 1, -1e20]).values[0]).toBe(0);
    expect(line.matrix([1e20, -1e20, 1]).values[0]).toBe(1);
  });

  it('keeps its own copy of the elements, and takes none at all', () => {
    const elements = Uint32Array.from(SQUARE);
    const assembly = new Assembly(elements, { perElement: 3 });
    elements.fill(0);
    expect(assembly.vector([1, 1, 1, 1, 1, 1])).toEqual(Float64Array.of(1, 2, 1, 2));
    const none = new Assembly([], { perElement: 4 });
    expect([none.unknowns, none.elements, none.matrix([]).nnz]).toEqual([0, 0, 0]);
  });

  it('refuses wrong elements and numbers', () => {
    const assembly = new Assembly(SQUARE, { perElement: 3 });
    expect(() => new Assembly([0, 1], { perElement: 3 })).toThrow('elements: expected 3 unknowns for each, got 2');
    expect(() => new Assembly([0, 1, 4], { perElement: 3, unknowns: 4 })).toThrow(
      'elements[2]: expected a row below rows = 4, got 4',
    );
    expect(() => new Assembly([0, -1, 4], { perElement: 3 })).toThrow('elements[1]: expected an integer from 0');
    expect(() => new Assembly(SQUARE, { perElement: 0 })).toThrow('perElement: expected an integer from 1');
    expect(() => new Assembly(SQUARE, { perElement: 3, nodes: 4 } as never)).toThrow(
      'options: expected only the options',
    );
    expect(() => assembly.matrix([1, 2])).toThrow(
      'elementMatrices: expected 9 for each of 2 elements, got Array of length 2',
    );
    expect(() => assembly.vector([1, 2])).toThrow(
      'elementVectors: expected 3 for each of 2 elements, got Array of length 2',
    );
    expect(() => assembly.update(gallery('laplace2d5', { nx: 2, ny: 2 }), ONES)).toThrow(
      'matrix: expected one that this assembly has made',
    );
  });
});

describe('applyDirichlet', () => {
  const A = {
    rows: 3,
    cols: 3,
    rowPtr: [0, 2, 5, 7],
    colIdx: [0, 1, 0, 1, 2, 1, 2],
    values: [4, -1, -1, 4, -1, -1, 4],
  };

  it('eliminates by hand: b − A g, and the diagonal of the row', () => {
    const { matrix, b } = applyDirichlet({ ...A, symmetry: 'symmetric' }, [1, 2, 3], [0], [5]);
    expect(dense(matrix)).toEqual(
      [
        [4, -0, 0],
        [-0, 4, -1],
        [0, -1, 4],
      ].map((row) => row.map((value) => value + 0)),
    );
    expect([...b]).toEqual([20, 7, 3]);
    expect([matrix.nnz, matrix.symmetry]).toEqual([7, 'symmetric']);
  });

  it('changes neither the matrix nor b; the last value of an unknown counts; 0 by default; a diagonal of 0 becomes 1', () => {
    const values = Float64Array.from(A.values);
    const right = Float64Array.of(1, 2, 3);
    const { b } = applyDirichlet({ ...A, values }, right, [2, 2], [7, 5]);
    expect([...b]).toEqual([1, 7, 20]);
    expect([[...values], [...right]]).toEqual([A.values, [1, 2, 3]]);
    expect([...applyDirichlet(A, right, [0, 2]).b]).toEqual([0, 2, 0]);
    const zero = applyDirichlet({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [0] }, [3], [0], 2);
    expect([...zero.matrix.values, ...zero.b]).toEqual([1, 2]);
  });

  it('of all unknowns leaves a diagonal matrix', () => {
    const { matrix, b } = applyDirichlet(A, [1, 2, 3], [0, 1, 2], [1, 2, 3]);
    expect(dense(matrix).map((row, i) => row.map((value, j) => value === (i === j ? 4 : 0)))).toEqual(
      [0, 1, 2].map(() => [true, true, true]),
    );
    expect([...b]).toEqual([4, 8, 12]);
  });

  it('refuses other shapes', () => {
    expect(() => applyDirichlet({ ...A, cols: 4 }, [1, 2, 3], [0])).toThrow(
      "matrix: expected a square matrix, got '3 × 4'",
    );
    expect(() => applyDirichlet(A, [1, 2], [0])).toThrow('b: expected length 3, got 2');
    expect(() => applyDirichlet(A, [1, 2, 3], [3])).toThrow('unknowns[0]: expected a row below rows = 3, got 3');
    expect(() => applyDirichlet(A, [1, 2, 3], [0], [1, 2])).toThrow('values: expected length 1, as unknowns, got 2');
    const hollow = { rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [1, 1] };
    expect(() => applyDirichlet(hollow, [1, 1], [1])).toThrow("row 1: expected an entry on the diagonal, got 'none'");
  });
});

/** The example fails unless the error falls with h². */
it('the example solves Poisson’s equation on meshes, with order 2', () => {
  const example = fileURLToPath(new URL('../../examples/poisson-mesh/poisson-mesh.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [example], { encoding: 'utf8' });
  expect(said.match(/order [12]\.\d\d/g)).toHaveLength(3);
});
