/** Conjugate gradients with Jacobi's preconditioner on the vectors of an engine: a step is recorded once and launched. */

/** The engine's part: all that a solver asks of it. */
export function spaceOf(engine) {
  return {
    vector: (source) => engine.vector(source),
    scalar: () => engine.scalar(),
    record: (step) => engine.record(step),
  };
}

/**
 * A solver of A x = b by a fixed number of iterations from x = 0. `d`: the inverse of A's diagonal.
 *
 * @returns `{ solve, step, solution, residual }`: `solve` runs all iterations, `step` one more; `residual` is ‖r‖₂, as the
 *   recurrence has it
 */
export function conjugateGradients({ vector, scalar, record }, A, { b: right, d: diagonal, iterations }) {
  const [b, d] = [vector(right), vector(diagonal)];
  const [x, r, z, p, q] = Array.from({ length: 5 }, () => vector(right.length));
  const [rz, rzBefore, pq, alpha, beta] = Array.from({ length: 5 }, () => scalar());
  const recording = record(() => {
    A.apply(p, q);
    p.dot(q, pq);
    alpha.setQuotient(rz, pq);
    x.axpy(alpha, p);
    r.axpy(alpha.times(-1), q);
    z.multiply(d, r);
    rzBefore.setSum(rz, 0);
    z.dot(r, rz);
    beta.setQuotient(rz, rzBefore);
    p.axpby(1, z, beta);
  });
  return {
    solve() {
      x.fill(0);
      r.copyFrom(b);
      p.multiply(d, r).dot(r, rz);
      for (let k = 0; k < iterations; k++) recording.launch();
    },
    step: () => recording.launch(),
    solution: () => x.toArray(),
    residual: () => r.norm(pq).value,
  };
}

/** ‖b − A x‖₂, computed here. */
export function residualNorm({ rows, rowPtr, colIdx, values }, b, x) {
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let r = b[i];
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) r -= values[k] * x[colIdx[k]];
    sum += r * r;
  }
  return Math.sqrt(sum);
}
