/**
 * Rows grouped into super-rows, and super-rows into super-super-rows. CSR-k stores these groups; Band-k computes them.
 */
import { mismatch } from './errors.js';

/** Consecutive rows in super-rows, as CSR-k has them. */
export interface Groups {
  /** Super-rows + 1 row numbers: super-row s is the rows `superRowPtr[s]` … `superRowPtr[s + 1] − 1`. */
  readonly superRowPtr: Uint32Array;
  /** The same in super-rows. Only for k = 3. */
  readonly superSuperRowPtr: Uint32Array | undefined;
}

/** Rows per super-row: "good enough" for all matrices on CPUs (Lane & Booth 2022, §4.2). */
export const SUPER_ROW_SIZE = 96;

/**
 * Super-rows per super-super-row. The paper gives no value for CPUs. About 800 rows are a suitable part for a thread to
 * claim, and their x and y fit into L1.
 */
export const SUPER_SUPER_ROW_SIZE = 8;

/** Checks that groups hold every row once, in order. @throws SparlaneError `argument` or `structure` if they do not */
export function checkGroups(groups: Groups, rows: number): Groups {
  if (typeof groups !== 'object' || groups === null) {
    throw mismatch('argument', 'groups', '{ superRowPtr, superSuperRowPtr }', groups);
  }
  const { superRowPtr, superSuperRowPtr } = groups;
  checkPtr('superRowPtr', superRowPtr, 'rows', rows);
  if (superSuperRowPtr !== undefined) {
    checkPtr('superSuperRowPtr', superSuperRowPtr, 'super-rows', superRowPtr.length - 1);
  }
  return groups;
}

function checkPtr(name: string, ptr: Uint32Array, what: string, count: number): void {
  if (!(ptr instanceof Uint32Array)) throw mismatch('argument', name, 'a Uint32Array', ptr);
  if (ptr[0] !== 0) throw mismatch('structure', `${name}[0]`, '0', ptr[0]);
  for (let g = 1; g < ptr.length; g++) {
    if (ptr[g]! < ptr[g - 1]!) throw mismatch('structure', `${name}[${g}]`, `at least ${ptr[g - 1]}`, ptr[g]);
  }
  const last = ptr.length - 1;
  if (ptr[last] !== count)
    throw mismatch('structure', `${name}[${last}]`, `the number of ${what} = ${count}`, ptr[last]);
}
