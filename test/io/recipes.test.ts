/** The programs of docs/files.md for files of other libraries, run as they are written there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import h5wasm from 'h5wasm/node';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CsrMatrix,
  createEngine,
  csrMatrix,
  gallery,
  type MatrixInput,
  transposeMatrix,
} from '#dist/index.node.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sparlane-recipes-'));
const path = (name: string) => join(folder, name);
const matrix = gallery('rmat', { scale: 7 });

type MatrixOf = (path: string, ...more: unknown[]) => MatrixInput | Promise<MatrixInput>;

async function recipe(name: string): Promise<MatrixOf> {
  const document = readFileSync(join(ROOT, 'docs/files.md'), 'utf8');
  const text = new RegExp(`^\`\`\`js ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(document)![1]!;
  writeFileSync(path(name), text);
  return (await import(pathToFileURL(path(name)).href)).matrixOf;
}

beforeAll(() => {
  mkdirSync(path('node_modules'));
  for (const name of ['h5wasm', 'hyparquet', 'apache-arrow'])
    symlinkSync(join(ROOT, 'node_modules', name), path(`node_modules/${name}`));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The matrix, except that a file of edges does not say how many nodes have none. */
function expectSame(read: MatrixInput): void {
  const { rows, cols, ...found } = csrMatrix(read);
  expect([...found.colIdx]).toEqual([...matrix.colIdx]);
  expect([...found.values]).toEqual([...matrix.values]);
  expect([...found.rowPtr]).toEqual([...matrix.rowPtr.slice(0, rows + 1)]);
  expect(cols).toBeLessThanOrEqual(matrix.cols);
}

/** As `anndata` 0.8 and later write a sparse matrix: a group with attributes and three arrays. */
function addSparse(file: InstanceType<typeof h5wasm.File>, name: string, encoding: string, arrays: CsrMatrix): void {
  const group = file.create_group(name);
  group.create_attribute('encoding-type', encoding);
  group.create_attribute('encoding-version', '0.1.0');
  group.create_attribute('shape', new BigInt64Array([BigInt(matrix.rows), BigInt(matrix.cols)]));
  group.create_dataset({ name: 'data', data: Float32Array.from(arrays.values) });
  group.create_dataset({ name: 'indices', data: Int32Array.from(arrays.colIdx) });
  group.create_dataset({ name: 'indptr', data: Int32Array.from(arrays.rowPtr) });
}

test('AnnData by h5wasm: X by rows, a layer by columns', async () => {
  await h5wasm.ready;
  const file = new h5wasm.File(path('cells.h5ad'), 'w');
  addSparse(file, 'X', 'csr_matrix', matrix);
  file.create_group('layers');
  addSparse(file, 'layers/counts', 'csc_matrix', transposeMatrix(matrix));
  file.close();
  const matrixOf = await recipe('h5ad.mjs');
  const single = { ...matrix, values: Float32Array.from(matrix.values) };
  for (const group of ['X', 'layers/counts']) {
    const read = csrMatrix(await matrixOf(path('cells.h5ad'), group));
    expect([...read.colIdx]).toEqual([...matrix.colIdx]);
    expect(read.values).toEqual(single.values);
    expect([...read.rowPtr]).toEqual([...matrix.rowPtr]);
  }
  await using engine = await createEngine({ threads: 1 });
  expect(engine.operator(await matrixOf(path('cells.h5ad')), { dtype: 'f32' }).rows).toBe(matrix.rows);
});

const source = Int32Array.from({ length: matrix.nnz }, (_, k) => matrix.rowPtr.findIndex((begin) => begin > k) - 1);

test.each(['INT32', 'INT64'] as const)('Parquet by hyparquet: %s', async (type) => {
  const ids = (array: ArrayLike<number>) => Array.from(array, (id) => (type === 'INT64' ? BigInt(id) : id));
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'source', data: ids(source), type },
      { name: 'date', data: Array.from(source, () => 'x'), type: 'STRING' },
      { name: 'target', data: ids(matrix.colIdx), type },
      { name: 'weight', data: [...matrix.values], type: 'DOUBLE' },
    ],
    rowGroupSize: 500,
  });
  writeFileSync(path('edges.parquet'), Buffer.from(buffer));
  expectSame(await (await recipe('parquet.mjs'))(path('edges.parquet')));
});

test.each([
  ['32-bit', (indices: Int32Array) => indices],
  ['64-bit', (indices: Int32Array) => BigInt64Array.from(indices, BigInt)],
])('Arrow by apache-arrow: %s integers', async (_, as) => {
  const target = Int32Array.from(matrix.colIdx);
  const table = tableFromArrays({ source: as(source), target: as(target), weight: Float64Array.from(matrix.values) });
  writeFileSync(path('edges.arrow'), tableToIPC(table, 'file'));
  expectSame(await (await recipe('arrow.mjs'))(path('edges.arrow')));
});
