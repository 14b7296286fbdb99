/**
 * The order in which `rowSum` adds the entries of a row, for block products, which must add them in the same order. A row is summed in
 * branches: its first entries, the body, are dealt to them in turn, and the rest goes to some of them.
 */

/** log2 of the number of branches. */
@inline
export function branchShift<X>(): u32 {
  return sizeof<X>() === 8 ? 2 : 3;
}

/** The branch that is computed in a step: branches that are half of all branches apart are added first. */
@inline
export function branchOf<X>(step: u32): u32 {
  return ((step & 1) << (sizeof<X>() === 8 ? 1 : 2)) | (step >> 1);
}

/** The entries of a row that are dealt to the branches in turn. */
@inline
export function bodyOf<X>(width: u32): u32 {
  return sizeof<X>() === 8 ? width & ~1 : width & ~3;
}

/** The number of entries after the body that a branch adds. */
@inline
export function restOf<X>(branch: u32, width: u32): u32 {
  if (sizeof<X>() === 8) return branch === 2 ? width & 1 : 0;
  if (branch === 0) return width & 1;
  return branch === 4 || branch === 5 ? (width >> 1) & 1 : 0;
}

/** The first one of them. */
@inline
export function restBegin<X>(branch: u32, width: u32): u32 {
  if (sizeof<X>() === 8 || branch === 0) return width - 1;
  return bodyOf<X>(width) + branch - 4;
}
