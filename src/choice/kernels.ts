/**
 * The work of every kernel, from that of its family (`csr` for `csrk16_table`), which a fit gives (`constants.ts`), and of the ways to store columns and values.
 */
import { COMMON, FAMILIES } from './constants.js';
import type { KernelCost } from './model.js';

/** The work of a family of kernels for f64 in times of an entry of `csr`, as in `KernelCost`, with all columns and values stored in full. */
export interface FamilyCost {
  readonly entry: number;
  readonly row: number;
  readonly step: number;
  readonly conversion: number;
}

/** Numbers that all families have in common. */
export interface CommonCosts {
  /** An entry with a column of 16 bits, and with a value that is not stored or looked up in a table, relative to one in full. */
  readonly index16: number;
  readonly pattern: number;
  readonly table: number;
  /** An entry of f32 relative to one of f64, where elements of x are gathered one by one, and where several adjacent ones are loaded at once. */
  readonly f32Gathered: number;
  readonly f32Adjacent: number;
  /** The work of the end of a row that is mispredicted, and of a row that is not in the order of y. */
  readonly misprediction: number;
  readonly permutedRow: number;
  /** As in `KernelCost`. */
  readonly stall: number;
  /** What a table adds to the conversion of an entry. */
  readonly tableConversion: number;
}

/** These kernels load several adjacent elements of x at once. */
const ADJACENT = new Set(['bsr', 'bsr2', 'bsr_unrolled', 'bsr_wide', 'inode', 'dia']);

/** The kernels of these layouts are those of another family. */
const SAME: Readonly<Record<string, string>> = { csrk: 'csr' };

const COLUMNS = ['', '16'] as const;
const VALUES = ['', '_pattern', '_table'] as const;

/** What the names of kernels append for columns and values that are not stored in full. */
const STORAGE = new RegExp(`(${COLUMNS.join('|')})(${VALUES.join('|')})$`);

/** Returns the family of a kernel: `csr` for `csrk16_table`. */
export function familyOf(kernel: string): string {
  const base = kernel.replace(STORAGE, '');
  return SAME[base] ?? base;
}

/** Returns the work of the kernels of all families, by `Prospect.kernel`. */
export function kernelCosts(
  families: Readonly<Record<string, FamilyCost>>,
  common: CommonCosts,
): Readonly<Record<string, KernelCost>> {
  const named = { ...families };
  for (const [name, family] of Object.entries(SAME)) named[name] = families[family]!;
  const costs = Object.entries(named).flatMap(([base, family]) =>
    COLUMNS.flatMap((columns) =>
      VALUES.map((values) => [`${base}${columns}${values}`, costOf(base, family, columns, values, common)] as const),
    ),
  );
  return Object.fromEntries(costs);
}

function costOf(
  base: string,
  { entry, row, step, conversion }: FamilyCost,
  columns: (typeof COLUMNS)[number],
  values: (typeof VALUES)[number],
  common: CommonCosts,
): KernelCost {
  const ofValues = { '': 1, _pattern: common.pattern, _table: common.table }[values];
  const f64Entry = entry * ofValues * (columns === '' ? 1 : common.index16);
  return {
    f64Entry,
    f32Entry: f64Entry * (ADJACENT.has(base) ? common.f32Adjacent : common.f32Gathered),
    ...{ row, step },
    permutedRow: common.permutedRow,
    misprediction: common.misprediction,
    stall: common.stall,
    conversion: conversion + (values === '_table' ? common.tableConversion : 0),
  };
}

export const KERNEL_COSTS: Readonly<Record<string, KernelCost>> = kernelCosts(FAMILIES, COMMON);
