/** Files that SciPy's `hb_write` wrote. Its columns are one narrower than it declares, so that numbers stand across their borders. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '#dist/io/read.node.js';
import { temporaryFolder } from '../../cli/run-cli.js';
import { havePython, runPython, skipNote } from '../kinds/support.js';
import { bytesOf, entriesOf, failure } from '../support.js';

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', `${name}.rua`);

/** The matrix of all fixtures by columns, as `fixtures/write-scipy.py` has it. */
const ROWS = [0, 2, 1, 0, 2, 3, 1, 3];
const COLS = [0, 0, 1, 2, 2, 2, 3, 3];

describe('a file of SciPy', () => {
  it.each<[string, string, number[]]>([
    ['negative', 'real', [0.25, -0.1, 7.5, -1 / 3, -2, 1e5, -12.5, -1]],
    [
      'huge',
      'real',
      [-4.136957426619674e247, -7.884200798433164e216, 7.149413034806143e43, 1e300, -1e-300, -2.5, 1.5, 3],
    ],
    [
      'tiny',
      'real',
      [5.239233948745965e-243, 8.615793288939493e-148, -4.3263456071173195e-307, -2e-72, 1, -1, 0, 5e-324],
    ],
    ['single', 'real', [0.5, -0.25, -0.75, -1.5, 3.25, -1e10, -1e-10, 2]],
    ['integer', 'integer', [-43, 253, -999, 7, 0, -1, 12, -605]],
  ])('%s', async (name, field, values) => {
    const matrix = await read(fixture(name));
    expect([matrix.rows, matrix.cols, matrix.field]).toEqual([4, 4, field]);
    const byRows = values.map((value, k) => [ROWS[k]!, COLS[k]!, value]).sort(([a, b], [c, d]) => a! - c! || b! - d!);
    expect(entriesOf(matrix)).toEqual(byRows);
  });

  it('with a number too many or too few is one clear error', async () => {
    const text = readFileSync(fixture('negative'), 'latin1');
    const line = ' -3.3333333333333331E-01 -2.0000000000000000E+00';
    expect(text).toContain(line);
    const error = await failure(read(bytesOf(text.replace(line, `${line} 1.0`)), { name: 'x' }));
    expect(error.message).toMatch(/^x:8: expected 3 values on a line, got ' ?-3\.3.*'$/);
    expect((await failure(read(bytesOf(text.replace(line, line.slice(0, 24))), { name: 'x' }))).message).toMatch(
      /^x:8: expected a value, got /,
    );
  });
});

/** Prints the arrays of random matrices, which it also writes into the folder `args[0]`. */
const PROGRAM = `
import json
rng = np.random.default_rng(7)
matrices = []
for k in range(200):
    rows, cols = (int(n) for n in rng.integers(1, 25, 2))
    kind = k % 5
    A = sp.random(rows, rows if kind == 4 else cols, density=rng.choice([0.1, 0.3, 0.7]), format="csc", random_state=rng)
    if A.nnz == 0:
        continue
    values = A.data * rng.choice([-1, 1], size=A.nnz)
    if kind == 1:
        values = rng.integers(-10 ** rng.integers(1, 15), 10 ** rng.integers(1, 15), A.nnz)
    if kind == 2:
        values = values * 10.0 ** rng.integers(-300, 300, A.nnz)
    if kind == 3:
        values = np.round(values * 10.0 ** rng.integers(-3, 6, A.nnz), 2)
    A = sp.csc_matrix((values, A.indices, A.indptr), shape=A.shape)
    if kind == 4:
        A = (A + A.T).tocsc()
    io.hb_write(f"{args[0]}/{k}.rua", A)
    A = A.tocsr()
    A.sort_indices()
    matrices.append([k, A.shape[0], A.shape[1], A.indptr.tolist(), A.indices.tolist(), A.data.tolist()])
print(json.dumps(matrices))
`;

describe.skipIf(!havePython)(`SciPy${skipNote}`, () => {
  it('writes what is read', async () => {
    const at = temporaryFolder();
    const matrices = JSON.parse(runPython(PROGRAM, at('.')));
    expect(matrices.length).toBeGreaterThan(150);
    for (const [k, rows, cols, rowPtr, colIdx, values] of matrices) {
      const matrix = await read(at(`${k}.rua`));
      expect([matrix.rows, matrix.cols, [...matrix.rowPtr], [...matrix.colIdx], [...matrix.values]]).toEqual([
        ...[rows, cols, rowPtr, colIdx, values],
      ]);
    }
  });
});
