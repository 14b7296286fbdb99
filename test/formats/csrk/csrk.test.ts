/** CSR-k by hand: Lane & Booth 2022, figure 1, and the requirements of the paper. The rest is in `test/conformance`. */

import { describe, expect, it } from 'vitest';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { Hint } from '#dist/core/hints.js';
import type { StoredCsr } from '#dist/formats/csr/csr.js';
import { StoredCsrk } from '#dist/formats/csrk/csrk.js';
import { gpuSizes } from '#dist/formats/csrk/sizes.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { basesOf } from '#dist/formats/layout/column-bases.js';
import { encodeValues } from '#dist/formats/layout/values.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { OPERANDS_BYTES } from '#dist/kernels/abi.js';
import { kernelIndex, linkKernels } from '#dist/kernels/module.js';
import { OperandBlock } from '#dist/kernels/operands.js';
import { expectConformance } from '../conforms.js';
import { kernelsOf } from '../kernels-of.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix = workedExample()): StoredCsrk {
  return storeMatrix(engine.heap, matrix, spec, 'f64') as StoredCsrk;
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('with two rows per super-row', () => {
    using stored = store('csrk?superRowSize=2');
    expect(stored.superRowPtr).toEqual(Uint32Array.of(0, 2, 4));
    expect(stored.superSuperRowPtr).toBeUndefined();
    expect(stored.units).toBe(2);
    expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 4, 10]);
  });

  it('with two rows per super-row and two super-rows per super-super-row', () => {
    using stored = store('csrk?k=3&superRowSize=2&superSuperRowSize=2');
    expect(stored.superRowPtr).toEqual(Uint32Array.of(0, 2, 4));
    expect(stored.superSuperRowPtr).toEqual(Uint32Array.of(0, 2));
    expect(stored.units).toBe(1);
    expect([0, 1].map((unit) => stored.workBefore(unit))).toEqual([0, 10]);
  });

  it('has a shorter last super-row where the size does not divide the rows', () => {
    using stored = store('csrk?superRowSize=3');
    expect(stored.superRowPtr).toEqual(Uint32Array.of(0, 3, 4));
  });

  it('has a header that begins with that of CSR', () => {
    using stored = store('csrk?k=3&superRowSize=2');
    const words = [...engine.heap.view(Uint32Array, stored.header, 14)];
    const arrays = [stored.rowPtr, stored.colIdx, stored.values, stored.superRowPtr, stored.superSuperRowPtr!];
    const [rowPtr, colIdx, values, superRowPtr, superSuperRowPtr] = arrays.map((array) => array.byteOffset);
    expect(words).toEqual([4, 3, 6, 9001, rowPtr, colIdx, values, 0, 0, 0, 1, superRowPtr, superSuperRowPtr, 0]);
  });

  it('costs what CSR costs and 4 bytes per group', () => {
    using csr = store('csr');
    using two = store('csrk?superRowSize=2');
    using three = store('csrk?k=3&superRowSize=2&superSuperRowSize=2');
    expect(two.cost()).toEqual({ bytes: csr.cost().bytes + 3 * 4, flops: 12 });
    expect(three.cost()).toEqual({ bytes: csr.cost().bytes + 3 * 4 + 2 * 4, flops: 12 });
  });

  it('names only the parameters that are not the defaults', () => {
    using stored = store('csrk?index=32&superRowSize=64&k=2');
    expect(stored.spec).toBe('csrk?superRowSize=64');
  });

  it('names given sizes even if they are the defaults: defaults may differ elsewhere', () => {
    using stored = store('csrk?k=3&superRowSize=96&superSuperRowSize=8');
    expect(stored.spec).toBe('csrk?k=3&superRowSize=96&superSuperRowSize=8');
  });

  it('in other groups has a header of its own over the same entries', () => {
    using stored = store('csrk?superRowSize=1');
    using scope = engine.heap.scope();
    const groups = { superRowPtr: Uint32Array.of(0, 3, 4), superSuperRowPtr: Uint32Array.of(0, 1, 2) };
    const [own, other] = [stored.header, stored.regrouped(scope, groups)].map((header) =>
      engine.heap.view(Uint32Array, header, 14),
    );
    expect(other!.slice(0, 10)).toEqual(own!.slice(0, 10));
    const [units, superRowPtr, superSuperRowPtr, superRowBase] = other!.slice(10);
    expect([units, superRowBase]).toEqual([2, 0]);
    expect(engine.heap.view(Uint32Array, superRowPtr!, 3)).toEqual(groups.superRowPtr);
    expect(engine.heap.view(Uint32Array, superSuperRowPtr!, 3)).toEqual(groups.superSuperRowPtr);
  });
});

/** The sizes of figure 1: nine rows in super-rows of 2 3 2 2, those in super-super-rows of 2 2. */
const FIGURE_1 = { superRows: Uint32Array.of(0, 2, 5, 7, 9), superSuperRows: Uint32Array.of(0, 2, 4) };

/** Nine rows of which row 0 … 6 begin where figure 1 says; the paper shows no more of the matrix. */
function nineRows(): CsrMatrix {
  const builder = new CsrBuilder(9, 9);
  const lengths = [2, 3, 4, 1, 3, 2, 4, 0, 5];
  lengths.forEach((length, row) => {
    for (let k = 0; k < length; k++) builder.add(row, (row + 2 * k) % 9, row - 3 * k + 1);
  });
  return builder.build();
}

describe('figure 1 of the paper', () => {
  it('follows the arrays: its uneven groups give the right products', () => {
    const matrix = nineRows();
    const { superRows, superSuperRows } = FIGURE_1;
    const values = encodeValues(matrix, 'f64', 'auto');
    const make = (superSuperRowPtr?: Uint32Array) => {
      const groups = { superRowPtr: superRows, superSuperRowPtr };
      return engine.heap.build((scope) => new StoredCsrk(scope, matrix, 'f64', { spec: 'csrk?k=3', groups, values }));
    };
    using two = make();
    using three = make(superSuperRows);
    expect(three.rowPtr.slice(0, 7)).toEqual(Uint32Array.of(0, 2, 5, 9, 10, 13, 15));
    expect([two.units, three.units]).toEqual([4, 2]);
    expect(three.workBefore(1)).toBe(three.rowPtr[5]! + 5);
    const findings = new Findings();
    for (const stored of [two, three]) checkStored(findings, engine, stored, matrix, 'threads', 'integer');
    expect(findings.failures).toEqual([]);
  });

  it('with the runs of equal length that are made here', () => {
    using stored = store('csrk?k=3&superRowSize=2&superSuperRowSize=2', nineRows());
    expect(stored.superRowPtr).toEqual(Uint32Array.of(0, 2, 4, 6, 8, 9));
    expect(stored.superSuperRowPtr).toEqual(Uint32Array.of(0, 2, 4, 5));
  });
});

describe('a CSR-k matrix is a CSR matrix, without conversion or copy', () => {
  const matrix = gallery('rmat', { scale: 7, edgeFactor: 5 });

  it.each(['csrk', 'csrk?k=3'])('%s holds the three arrays of CSR', (spec) => {
    using stored = store(spec, matrix);
    using csr = storeMatrix(engine.heap, matrix, 'csr', 'f64') as StoredCsr;
    expect(stored.rowPtr).toEqual(csr.rowPtr);
    expect(stored.colIdx).toEqual(csr.colIdx);
    expect(stored.values).toEqual(csr.values);
  });

  it.each(['csrk', 'csrk?k=3'])('%s is multiplied by the kernel of CSR over its own header', (spec) => {
    const { heap, context } = engine;
    const kernels = linkKernels(context.kernels.modules, heap.memory);
    const csrKernel = kernels[kernelIndex(context.kernels, 'csr_spmv_f64')]!;
    using operator = engine.operator(matrix, { format: spec });
    using x = engine.vector(matrix.cols).set(Float64Array.from({ length: matrix.cols }, (_, j) => 1 / (j + 1)));
    using y = engine.vector(matrix.rows);
    using yOfCsr = engine.vector(matrix.rows);
    operator.apply(x, y);
    using scope = heap.scope();
    const operands = new OperandBlock(heap.memory, scope.alloc(OPERANDS_BYTES));
    operands.write(x.block, yOfCsr.block, 1, 0);
    csrKernel((operator.matrix as StoredMatrix).stages.spmv[0]!.header, operands.address, 0, matrix.rows);
    expect(yOfCsr.data).toEqual(y.data);
    expect(y.data.some((value) => value !== 0)).toBe(true);
  });
});

describe('index=16', () => {
  /** Rows of given columns in 100 000; the entries are 1, 2, 3 … in order. */
  function wide(...rows: number[][]): CsrMatrix {
    const builder = new CsrBuilder(rows.length, 100_000);
    let value = 0;
    for (const [row, columns] of rows.entries()) for (const column of columns) builder.add(row, column, ++value);
    return builder.build();
  }

  it('counts columns from the least of their super-row, but from none of the last 65 536', () => {
    const rows = [[70, 90], [80], [], [], [34_463, 40_000], [99_998], [99_990], [99_999]];
    using stored = store('csrk?index=16&superRowSize=2', wide(...rows));
    expect(stored.spec).toBe('csrk?superRowSize=2&index=16');
    expect(kernelsOf(stored)).toEqual(['csrk16_spmv']);
    // From 34 464 on, every offset is a column: entries read past a super-row's end have columns inside x.
    expect(stored.superRowBase).toEqual(Uint32Array.of(70, 34_464, 34_463, 34_464));
    expect(stored.colIdx).toEqual(Uint16Array.of(0, 20, 10, 0, 5_537, 65_535, 65_526, 65_535));
    expect(rowsOf(stored)).toEqual(rows);
    expect(stored.warnings).toEqual([]);
  });

  it('counts from 0 where there are no more than 65 536 columns', () => {
    using stored = store('csrk?index=16&superRowSize=2');
    expect(stored.superRowBase).toEqual(Uint32Array.of(0, 0));
    expect(stored.colIdx).toEqual(Uint16Array.of(0, 2, 2, 0, 1, 2));
    using full = store('csrk?superRowSize=2');
    // Two bytes less per entry; a base more per super-row.
    expect(stored.cost().bytes).toBe(full.cost().bytes - 2 * 6 + 2 * 4);
  });

  it('reads x to its last element and no further', () => {
    const findings = new Findings();
    const matrix = wide([34_463, 40_000], [99_998], [99_990, 99_996], [99_999]);
    using stored = store('csrk?index=16&superRowSize=2', matrix);
    checkStored(findings, engine, stored, matrix, 'threads', 'integer');
    expect(findings.failures).toEqual([]);
  });

  it('has bases where every super-row spans up to 65 536 columns, or the first one that spans more', () => {
    const groups = Uint32Array.of(0, 1, 3);
    expect(basesOf(wide([5], [10], [65_545]), groups)).toEqual(Uint32Array.of(5, 10));
    expect(basesOf(wide([5], [10], [65_546]), groups)).toBe(1);
    expect(basesOf(wide([5], [65_546], [10]), groups)).toBe(1);
    expect(basesOf(wide([0, 99_999], [0], [99_999]), groups)).toBe(0);
  });

  it('keeps 32 bits where a super-row spans more, and the engine says why', async () => {
    const hints: Hint[] = [];
    await using own = await createEngine({ threads: 1, onHint: (hint) => hints.push(hint) });
    using operator = own.operator(wide([0], [1], [2, 65_538]), { format: 'csrk?index=16&superRowSize=2' });
    const stored = operator.matrix as StoredCsrk;
    const message =
      'index=16: expected at most 65536 columns from first to last, got more in super-row 1; kept 32 bits';
    expect(hints).toEqual([{ name: 'fell-back', message }]);
    expect([stored.spec, ...kernelsOf(stored), stored.superRowBase]).toEqual([
      'csrk?superRowSize=2',
      'csrk_spmv',
      undefined,
    ]);
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 1, 2, 65_538));
  });
});

/** The columns of every row, as returned by the matrix. */
function rowsOf(stored: StoredCsrk): number[][] {
  const rows: number[][] = Array.from({ length: stored.rows }, () => []);
  stored.forEachEntry((row, col) => rows[row]!.push(col));
  return rows;
}

describe('on a device', () => {
  const storeOnDevice = (spec: string, matrix: CsrMatrix) =>
    storeMatrix(engine.heap, matrix, spec, 'f64', { onDevice: true }) as StoredCsrk;

  const matrix = gallery('laplace3d27', { nx: 12, ny: 12, nz: 12 });

  it('k = 3 has the sizes of the closed formulas for its row density', () => {
    const { superRowSize, superSuperRowSize } = gpuSizes('hopper', matrix.nnz / matrix.rows);
    using stored = storeOnDevice('csrk?k=3', matrix);
    expect(stored.spec).toBe(`csrk?k=3&superRowSize=${superRowSize}&superSuperRowSize=${superSuperRowSize}`);
    expect(stored.superRowPtr[1]).toBe(superRowSize);
    expect(stored.superSuperRowPtr![1]).toBe(superSuperRowSize);
    // The spec means the same when it is parsed again.
    using again = store(stored.spec, matrix);
    expect(again.superRowPtr).toEqual(stored.superRowPtr);
  });

  it.each(['csrk', 'csrk?k=3&superRowSize=64', 'csrk?k=3&superSuperRowSize=16', 'csrk?k=3&index=16'])(
    '%s has the sizes that it has elsewhere',
    (spec) => {
      using stored = storeOnDevice(spec, matrix);
      using elsewhere = store(spec, matrix);
      expect(stored.spec).toBe(elsewhere.spec);
      expect(stored.superRowPtr).toEqual(elsewhere.superRowPtr);
      expect(stored.superSuperRowPtr).toEqual(elsewhere.superSuperRowPtr);
    },
  );

  it('a matrix without rows or entries has sizes too', () => {
    for (const empty of [new CsrBuilder(0, 3).build(), new CsrBuilder(7, 3).build()]) {
      using stored = storeOnDevice('csrk?k=3', empty);
      expect(stored.superRowPtr.at(-1)).toBe(empty.rows);
    }
  });
});

describe('sizes', () => {
  it('are by default 96 rows, and 8 super-rows for k = 3', () => {
    using stored = store('csrk?k=3', gallery('laplace1d3', { nx: 2000 }));
    expect(stored.superRowPtr.slice(0, 3)).toEqual(Uint32Array.of(0, 96, 192));
    expect(stored.superRowPtr.length).toBe(22);
    expect(stored.superSuperRowPtr).toEqual(Uint32Array.of(0, 8, 16, 21));
  });

  it.each(['csrk?superRowSize=1', 'csrk?superRowSize=5', 'csrk?k=3&superRowSize=3&superSuperRowSize=2'])(
    'conform: %s',
    (spec) => expectConformance(spec),
  );

  it.each([
    ['csrk?k=1', 'csrk k: expected an integer from 2 to 3'],
    ['csrk?superRowSize=0', 'csrk superRowSize: expected an integer from 1 to 16777216'],
    ['csrk?superRowSize=9.5', 'csrk superRowSize: expected an integer from 1 to 16777216'],
    ['csrk?k=3&superSuperRowSize=x', 'csrk superSuperRowSize: expected an integer from 1 to 16777216'],
    ['csrk?size=9', 'csrk: expected only the parameters k, superRowSize, superSuperRowSize'],
  ])('are checked: %s', (spec, message) => {
    expect(() => store(spec)).toThrowError(message);
  });
});
