/** What the kernels are compiled from: classes, structs and exports, made from descriptions. */
import { describe, expect, test } from 'vitest';
import { baseOfHeader, extendHeader } from '#dist/memory/header.js';
import {
  exportsOf,
  headersOfAssembly,
  headersOfCuda,
  kernelsOf,
  layoutsOf,
  operandsOfAssembly,
} from '../../scripts/describe-kernels.mjs';

const ROWS = { rows: 'u32', rowPtr: 'usize' } as const;
const LAYOUTS = layoutsOf(
  { TALL_ROWS_HEADER: extendHeader(ROWS, { sign: 'i32' }), ROWS_HEADER: ROWS, OTHER_HEADER: { rows: 'u32' } },
  baseOfHeader,
);

const GENERIC = [
  'export function rows_spmv<V, I, X>(header: RowsHeader, operands: Operands, begin: u32, end: u32): void {',
  'export function rowsN_sum<X>(size: u32, header: RowsHeader, operands: Operands, begin: u32, end: u32): void {',
  'export function allPasses<V>(header: RowsHeader, operands: Operands, begin: u32, end: u32): void {',
  'export function helper(row: u32): u32 {',
  'export function rows_count(\n  header: RowsHeader,\n  operands: Operands,\n  begin: u32,\n  end: u32,\n): void {',
].join('\n');
const KERNELS = kernelsOf('rows-all.ts', GENERIC);
const SUMS = { layout: 'rowsN', verbs: ['sum'], types: 'single', sizes: [2, 3] };
const PRODUCTS = { layout: 'rows', verbs: ['spmv'], types: 'product', columns: [16], values: ['full', 'table'] };

/** The exports, without their types. */
async function exported(...instances: readonly object[]): Promise<readonly string[]> {
  const text: string = await exportsOf(KERNELS, instances, LAYOUTS);
  return text
    .split('\n')
    .filter((line) => /^(export| {2})/.test(line))
    .map((line) => line.replace(/\(header: .*/, '').trim());
}

describe('headers', () => {
  test('are classes; a layout that extends another one is one that does, and not one that begins alike', () => {
    expect(headersOfAssembly(LAYOUTS)).toContain(
      [
        '@unmanaged\nexport class OtherHeader {\n  rows!: u32;\n}\n',
        '@unmanaged\nexport class RowsHeader {\n  rows!: u32;\n  rowPtr!: usize;\n}\n',
        '@unmanaged\nexport class TallRowsHeader extends RowsHeader {\n  sign!: i32;\n}\n',
      ].join('\n'),
    );
  });

  test('are structs of 32-bit words, whose size the compiler checks', () => {
    const text = headersOfCuda(LAYOUTS);
    expect(text).toContain(
      'struct RowsHeader {\n  uint32_t rows;\n  uint32_t rowPtr;\n};\nstatic_assert(sizeof(RowsHeader) == 8);',
    );
    expect(text).toContain(
      'struct TallRowsHeader : RowsHeader {\n  int32_t sign;\n};\nstatic_assert(sizeof(TallRowsHeader) == 12);',
    );
  });
});

test('operands are a class, if they lie where AssemblyScript puts them', () => {
  const operands = { x: { type: 'usize', offset: 0 }, alpha: { type: 'f64', offset: 8 } };
  expect(operandsOfAssembly(operands)).toContain(
    '@unmanaged\nexport class Operands {\n  x!: usize;\n  alpha!: f64;\n}\n',
  );
  expect(() => operandsOfAssembly({ ...operands, alpha: { type: 'f64', offset: 4 } })).toThrow(
    'OPERANDS.alpha: expected offset 8, got 4',
  );
});

describe('exports', () => {
  test('are the instances of a generic kernel, and kernels that are not generic', async () => {
    expect(await exported(PRODUCTS, SUMS)).toEqual([
      "export { rows_count } from '../assembly/rows-all';",
      'export function rows16_spmv_f64',
      'rows_all_.rows_spmv<f64, u16, f64>(header, operands, begin, end);',
      'export function rows16_spmv_f32',
      'rows_all_.rows_spmv<f32, u16, f32>(header, operands, begin, end);',
      'export function rows16_spmv_mixed',
      'rows_all_.rows_spmv<f32, u16, f64>(header, operands, begin, end);',
      'export function rows16_table_spmv_f64',
      'rows_all_.rows_spmv<lanes_.Coded, u16, f64>(header, operands, begin, end);',
      'export function rows16_table_spmv_f32',
      'rows_all_.rows_spmv<lanes_.Coded, u16, f32>(header, operands, begin, end);',
      'export { rows16_table_spmv_f64 as rows16_table_spmv_mixed };',
      'export function rows2_sum_f64',
      'rows_all_.rowsN_sum<f64>(2, header, operands, begin, end);',
      'export function rows2_sum_f32',
      'rows_all_.rowsN_sum<f32>(2, header, operands, begin, end);',
      'export function rows3_sum_f64',
      'rows_all_.rowsN_sum<f64>(3, header, operands, begin, end);',
      'export function rows3_sum_f32',
      'rows_all_.rowsN_sum<f32>(3, header, operands, begin, end);',
    ]);
  });

  test('a generic kernel without instances, and instances without a kernel, are errors that name it', async () => {
    await expect(exported(PRODUCTS)).rejects.toThrow(/^rowsN_sum: expected its instances/);
    await expect(exported(PRODUCTS, SUMS, { ...SUMS, layout: 'cols' })).rejects.toThrow(/^cols_sum: assembly\/ has no/);
  });
});
