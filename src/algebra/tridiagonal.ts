/** Eigenvalues of small symmetric tridiagonal matrices, such as those of Lanczos. */

/** The smallest and the greatest eigenvalue of a symmetric tridiagonal matrix, by bisection of the count below (Sturm). */
export function extremeEigenvalues(
  diagonal: readonly number[],
  beside: readonly number[],
): { readonly smallest: number; readonly greatest: number } {
  const n = diagonal.length;
  const greatest = diagonal.reduce((most, d) => Math.max(most, Math.abs(d)), 0);
  // Squares of elements near 1e±160 overflow, or vanish; a power of two changes no bits.
  const unit = greatest > 0 ? 2 ** Math.floor(Math.log2(greatest)) : 1;
  const [main, side] = [diagonal.map((d) => d / unit), beside.map((e) => e / unit)];
  const reach = Math.max(...main.map((d, k) => Math.abs(d) + (side[k - 1] ?? 0) + (k + 1 < n ? side[k]! : 0)));
  const isAbove = (x: number, count: number) => countBelow(main, side, x) < count;
  const kth = (count: number) => {
    let [low, high] = [-reach, reach];
    for (let turn = 0; turn < 60; turn++) {
      const middle = (low + high) / 2;
      if (isAbove(middle, count)) low = middle;
      else high = middle;
    }
    return high * unit;
  };
  return { smallest: kth(1), greatest: kth(n) };
}

function countBelow(diagonal: readonly number[], beside: readonly number[], x: number): number {
  let count = 0;
  let pivot = 1;
  for (let k = 0; k < diagonal.length; k++) {
    pivot = diagonal[k]! - x - (k === 0 ? 0 : beside[k - 1]! ** 2 / pivot);
    if (pivot === 0) pivot = Number.MIN_VALUE;
    if (pivot < 0) count++;
  }
  return count;
}
