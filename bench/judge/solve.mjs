/** Linear equations of a fit. */

/** (A + damping · diag A) x = b by Cholesky's L Lᵀ; A is positive definite. */
export function solve(matrix, b, damping) {
  const n = b.length;
  const l = matrix.map((row, i) => Float64Array.from(row, (a, j) => (i === j ? a * (1 + damping) : a)));
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = l[i][j];
      for (let k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      l[i][j] = i === j ? Math.sqrt(sum) : sum / l[j][j];
    }
    for (let k = 0; k < i; k++) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}
