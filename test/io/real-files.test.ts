/** Real files, good and bad. They are not part of the repository; if they are missing, the suites say so. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { readMatrixMarket } from '#dist/io/matrix-market/matrix-market.js';
import { entriesOf, failure, haveMatrices, MATRICES, skipNote } from './support.js';

// Here, since a run has this file once; `support.ts` is loaded by every worker.
if (!haveMatrices) process.emitWarning(`tests with real matrices are skipped: ${MATRICES} is not there`);

const listed = (folder: string): string[] => (haveMatrices ? readdirSync(join(MATRICES, folder)) : []);
const bytesOfFile = (folder: string, file: string): Uint8Array<ArrayBuffer> =>
  readFileSync(join(MATRICES, folder, file));

describe.skipIf(!haveMatrices)(`awkward files${skipNote}`, () => {
  interface Good {
    shape: [rows: number, cols: number, nnz: number];
    /** `[row, col, value]`, from 1 as in the file. */
    entry: [number, number, number];
  }
  interface Bad {
    line: number;
    message: string;
  }
  const noBanner = (got: string): Bad => ({
    line: 1,
    message: `expected a banner '%%MatrixMarket matrix <format> <field> <symmetry>', got '${got}'`,
  });
  const complex: Bad = { line: 1, message: "(readComplex reads complex matrices), got 'complex'" };
  const fromZero = (line: number, what: string): Bad => ({
    line,
    message: `expected a ${what} (Matrix Market counts from 1, this file from 0), got '0'`,
  });

  const TABLE: Record<string, Good | Bad> = {
    'CHOLMOD__Demo__Matrix__c.mtx': complex,
    'CHOLMOD__Demo__Matrix__mangle1.mtx': { line: 1, message: "expected the object 'matrix', got 'junk'" },
    'CHOLMOD__Demo__Matrix__mangle3.mtx': {
      line: 1,
      message: "expected a field real | double | integer | unsigned-integer | pattern, got 'junk'",
    },
    // a grid of spacing 1/8: 4/h² on the diagonal, −1/h² beside it
    'CHOLMOD__Demo__Matrix__pts5ldd03.mtx': { shape: [161, 161, 745], entry: [161, 161, 256] },
    'CHOLMOD__Tcov__Matrix__cha.mtx': complex,
    'CHOLMOD__Tcov__Matrix__fullcrud1.mtx': noBanner('2 2'),
    'CHOLMOD__Tcov__Matrix__fullcsa.mtx': complex,
    // one value below the diagonal, and its mirror image
    'CHOLMOD__Tcov__Matrix__fullrza.mtx': { shape: [2, 2, 2], entry: [1, 2, -3.4] },
    // a directed graph with the wrong banner: 13 pairs are there both ways
    'EVA.mtx': {
      line: 493,
      message: 'expected an entry or its mirror image, not both (symmetric), got (6, 471) after (471, 6) on line 5',
    },
    'GraphBLAS__GraphBLAS__test__matrix__cover.mtx': { shape: [7, 7, 12], entry: [2, 7, 1] },
    'LAGraph__data__complex.mtx': complex,
    'LAGraph__data__full_noheader.mtx': noBanner('3 3'),
    'LAGraph__data__mangled1.mtx': { line: 1, message: "expected the object 'matrix', got 'mangled'" },
    'LAGraph__data__mangled11.mtx': { line: 5, message: "expected a column from 1 to 4, got 'zero'" },
    'LAGraph__data__mangled13.mtx': { line: 7, message: "expected a column from 1 to 4, got '9999'" },
    // complex values with a real banner: twice the number
    'LAGraph__data__mangled15.mtx': {
      line: 9,
      message: "expected the end of the file after 9 entries, got '.679 .751'",
    },
    'LAGraph__data__mangled2.mtx': { line: 1, message: "expected a format coordinate | array, got 'mangled'" },
    'LAGraph__data__mangled4.mtx': {
      line: 1,
      message: "expected a symmetry general | symmetric | skew-symmetric | hermitian, got 'mangled'",
    },
    // without complex values hermitian is symmetric; this file is wrong all the same
    'LAGraph__data__mangled6.mtx': { line: 5, message: "expected row, column, value on a line (real), got '2 2 1 1'" },
    'LAGraph__data__mangled8.mtx': { line: 4, message: "expected a line with rows, columns, entries, got '3'" },
    // a comment declares a type that a value does not fit; Matrix Market ignores comments, so the file is valid
    'LAGraph__data__mangled_bool.mtx': { shape: [7, 7, 12], entry: [4, 3, 2] },
    'LAGraph__data__mangled_int16.mtx': { shape: [7, 7, 12], entry: [4, 1, -32769] },
    'LAGraph__data__mangled_int8.mtx': { shape: [7, 7, 12], entry: [4, 1, -129] },
    'LAGraph__data__mangled_uint16.mtx': { shape: [7, 7, 12], entry: [1, 2, 65536] },
    'LAGraph__data__mangled_uint8.mtx': { shape: [7, 7, 12], entry: [1, 2, 256] },
    'Mongoose__Tests__Matrix__Trec4.mtx': { shape: [2, 3, 3], entry: [2, 3, 1] },
    'Mongoose__Tests__Matrix__bad_header.mtx': {
      line: 1,
      message: "expected a symmetry general | symmetric | skew-symmetric | hermitian, got 'bogus'",
    },
    'ParU__Matrix__row0.mtx': fromZero(12, 'row from 1 to 4'),
    'Tina_AskCal_perm.mtx': { line: 6, message: "expected row, column on a line (pattern), got '1 1 1'" },
    'a1.mtx': { line: 11, message: "expected row, column on a line (pattern), got '0 0 1.1'" },
    'a4.mtx': fromZero(11, 'row from 1 to 4'),
    'bfw398b.mtx.txt': noBanner('398'),
    'c32.mtx': complex,
    'r2.mtx': fromZero(9, 'row from 1 to 2'),
    'visbrazil.mtx': fromZero(3, 'column from 1 to 222'),
  };

  it('are all in the table', () => {
    expect(Object.keys(TABLE).sort()).toEqual(listed('awkward').sort());
  });

  it.each(Object.entries(TABLE))('%s', async (file, row) => {
    const result = readMatrixMarket(bytesOfFile('awkward', file), { name: file });
    if ('line' in row) {
      const { code, message, detail } = await failure(result);
      expect([code, detail.line]).toEqual(['parse', row.line]);
      expect(message).toContain(`${file}:${row.line}: expected `);
      expect(message).toContain(row.message);
    } else {
      const matrix = await result;
      expect([matrix.rows, matrix.cols, matrix.nnz]).toEqual(row.shape);
      const [i, j, value] = row.entry;
      expect(entriesOf(matrix)).toContainEqual([i - 1, j - 1, value]);
    }
  });
});

/** From the README of the folder: folder, name, field, symmetry, rows, cols, entries with both triangles. */
const README: readonly [string, string, string, string, number, number, number][] = [
  ['large', 'cnr-2000', 'pattern', 'general', 325557, 325557, 3216152],
  ['large', 'hyper_tags-math-sx', 'pattern', 'general', 1629, 822059, 1801637],
  ['large', 'mdual', 'pattern', 'symmetric', 258569, 258569, 1026264],
  ['large', 'soc-Slashdot0902', 'pattern', 'general', 82168, 82168, 948464],
  ['large', 'copter2', 'pattern', 'symmetric', 55476, 55476, 704476],
  ['large', 'bcsstk29', 'pattern', 'symmetric', 13992, 13992, 619488],
  ['large', 'mps_fast0507', 'pattern', 'general', 507, 63009, 409349],
  ['large', 'rgg_n_2_15_s0', 'pattern', 'symmetric', 32768, 32768, 320480],
  ['large', 'luxembourg', 'pattern', 'symmetric', 114599, 114599, 239332],
  ['large', 'delaunay_n15', 'pattern', 'symmetric', 32768, 32768, 196548],
  ['large', 'mps_maros_r7', 'real', 'general', 3136, 9408, 144848],
  ['large', 'arrow_ParU', 'integer', 'general', 46500, 46500, 139498],
  ['large', 'mps_fit2d', 'real', 'general', 25, 10500, 129018],
  ['large', 'memplus', 'real', 'general', 17758, 17758, 126150],
  ['large', 'bayer10', 'real', 'general', 13436, 13436, 94926],
  ['small', 'Groebner_id2003_aug', 'integer', 'general', 4967, 2456, 173670],
  ['small', 'wiki-Vote', 'pattern', 'general', 7115, 7115, 103689],
  ['small', '4elt', 'pattern', 'symmetric', 15606, 15606, 91756],
  ['small', 'bcsstk13', 'real', 'symmetric', 2003, 2003, 83883],
  ['small', 'fidapex6', 'real', 'general', 1651, 1651, 49533],
  ['small', 'qc324', 'complex', 'symmetric', 324, 324, 26730],
  ['small', 'add32', 'real', 'general', 4960, 4960, 23884],
  ['small', 'mhd1280b', 'complex', 'hermitian', 1280, 1280, 22778],
  ['small', 'Ybus_case6515rte', 'complex', 'general', 6515, 6515, 22723],
  ['small', 'cage8', 'real', 'general', 1015, 1015, 11003],
  ['small', 'rajat19', 'real', 'general', 1157, 1157, 5399],
  ['small', '1138_bus', 'real', 'symmetric', 1138, 1138, 4054],
  ['small', 'dwg961a', 'complex', 'symmetric', 961, 961, 3405],
  ['small', 'lp_e226', 'real', 'general', 223, 472, 2768],
  ['small', 'lp_e226_transposed', 'real', 'general', 472, 223, 2768],
  ['small', 'plskz362', 'real', 'skew-symmetric', 362, 362, 1760],
  ['small', 'rajat11', 'real', 'general', 135, 135, 812],
  ['small', 'ash219', 'pattern', 'general', 219, 85, 438],
  ['small', 'west0067', 'real', 'general', 67, 67, 294],
  ['small', 'karate', 'pattern', 'symmetric', 34, 34, 156],
  ['small', 'bcspwr01', 'pattern', 'symmetric', 39, 39, 131],
  ['small', 'LFAT5', 'real', 'symmetric', 14, 14, 46],
  ['small', 'skew_fp64', 'real', 'skew-symmetric', 6, 6, 20],
  ['small', 'skew_int32', 'integer', 'skew-symmetric', 6, 6, 20],
  ['small', 'b1_ss', 'real', 'general', 7, 7, 15],
];

describe.skipIf(!haveMatrices)(`files of the README${skipNote}`, () => {
  it('are all in the table', () => {
    for (const folder of ['large', 'small']) {
      const names = README.filter((row) => row[0] === folder).map((row) => `${row[1]}.mtx.gz`);
      expect(names.sort()).toEqual(listed(folder).sort());
    }
  });

  it.each(README)('%s/%s: %s %s', async (folder, name, field, symmetry, rows, cols, nnz) => {
    const file = `${name}.mtx.gz`;
    const bytes = bytesOfFile(folder, file);
    const result = readMatrixMarket(new Blob([bytes]), { name: file });
    if (field === 'complex') {
      expect((await failure(result)).message).toContain(`${file}:1: `);
      return;
    }
    const matrix = await result;
    expect(matrix).toMatchObject({ field, symmetry, rows, cols, nnz });
    if (folder === 'small') expect(sameEntries(matrix, gunzipSync(bytes).toString())).toBe(true);
  });
});

/** Against a reader of a few lines that splits text. */
function sameEntries(matrix: CsrMatrix, text: string): boolean {
  const [, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('%'));
  const sign = matrix.symmetry === 'skew-symmetric' ? -1 : 1;
  const expected = new Map<number, number>();
  for (const line of lines) {
    const [row, col, token = '1'] = line.trim().split(/\s+/);
    const [i, j, value] = [Number(row) - 1, Number(col) - 1, Number(token.replace('inf', 'Infinity'))];
    expected.set(i * matrix.cols + j, value);
    if (matrix.symmetry !== 'general' && i !== j) expected.set(j * matrix.cols + i, sign * value);
  }
  const found = entriesOf(matrix);
  return found.length === expected.size && found.every(([i, j, v]) => Object.is(v, expected.get(i * matrix.cols + j)));
}
