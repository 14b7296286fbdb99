/** Conjugate gradients with Jacobi's preconditioner as a user writes them without a library: loops over typed arrays. */

export function jacobiCg({ rows, rowPtr, colIdx, values }, b, { rtol, maxIterations }) {
  const d = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (colIdx[k] === i) d[i] = 1 / values[k];
  }
  const [x, q] = [new Float64Array(rows), new Float64Array(rows)];
  const r = Float64Array.from(b);
  const z = r.map((value, i) => value * d[i]);
  const p = Float64Array.from(z);
  const limit = rtol * Math.sqrt(dot(b, b));
  let rz = dot(r, z);
  let iterations = 0;
  while (iterations < maxIterations && Math.sqrt(dot(r, r)) > limit) {
    iterations++;
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += values[k] * p[colIdx[k]];
      q[i] = sum;
    }
    const alpha = rz / dot(p, q);
    for (let i = 0; i < rows; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      z[i] = d[i] * r[i];
    }
    const next = dot(r, z);
    for (let i = 0; i < rows; i++) p[i] = z[i] + (next / rz) * p[i];
    rz = next;
  }
  return { x, iterations };
}

function dot(x, y) {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
