/**
 * The order in which single products add the entries of a row, for block products, which must add them in the same order. A row
 * is summed in branches: its first entries, the body, are dealt to them in turn, and the rest goes to some of them.
 */

/** The branches of a row's sum, 2 ** tree of them: from left to right; `sets` of `panel.ts`; those of `rowSum`. */
export const IN_ORDER: u32 = 0;
export const TWO_SETS: u32 = 1;
export const FOUR_SETS: u32 = 2;
export const ROW_SUM: u32 = 3;

/** log2 of the number of branches. */
@inline
export function branchShift<X>(tree: u32): u32 {
  return tree === ROW_SUM ? (sizeof<X>() === 8 ? 2 : 3) : tree;
}

/** The branch that is computed in a step: `rowSum` first adds branches that are half of all branches apart. */
@inline
export function branchOf<X>(tree: u32, step: u32): u32 {
  if (tree !== ROW_SUM) return step;
  return ((step & 1) << (sizeof<X>() === 8 ? 1 : 2)) | (step >> 1);
}

/** The entries of a row that `rowSum` deals to its branches in turn. */
@inline
export function rowSumBody<X>(width: u32): u32 {
  return sizeof<X>() === 8 ? width & ~1 : width & ~3;
}

/** The number of entries after the body that a branch adds. */
@inline
export function restOf<X>(tree: u32, branch: u32, width: u32, body: u32): u32 {
  if (tree !== ROW_SUM) return branch === 0 ? width - body : 0;
  if (sizeof<X>() === 8) return branch === 2 ? width & 1 : 0;
  if (branch === 0) return width & 1;
  return branch === 4 || branch === 5 ? (width >> 1) & 1 : 0;
}

/** The first one of them. */
@inline
export function restBegin<X>(tree: u32, branch: u32, width: u32, body: u32): u32 {
  if (tree !== ROW_SUM || sizeof<X>() === 8) return body;
  return branch === 0 ? width - 1 : body + branch - 4;
}
