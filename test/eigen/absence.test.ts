/** The greatest part of a random vector in what Lanczos has not found: against the part that is there. */
import { describe, expect, test } from 'vitest';
import { Projected } from '#dist/eigen/lanczos/projected.js';

const N = 60;
const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);

/** Lanczos with full orthogonalization on a diagonal matrix, thick restarts of the `kept` greatest Ritz values included. */
function lanczos(diagonal: Float64Array, first: Float64Array, steps: number, capacity: number, kept: number) {
  const T = new Projected(capacity);
  let V: Float64Array[] = [];
  let next = first;
  for (let step = 0; step < steps; step++) {
    if (V.length === capacity) {
      const ritz = T.ritz(capacity);
      const columns = Array.from({ length: kept }, (_, at) => capacity - 1 - at);
      V = columns.map((j) =>
        next.map((_, i) => V.reduce((sum, v, row) => sum + v[i]! * ritz.vectors[row * capacity + j]!, 0)),
      );
      T.keep(ritz, columns);
    }
    V.push(next);
    const w = next.map((value, i) => value * diagonal[i]!);
    const coefficients = new Float64Array(V.length);
    for (let pass = 0; pass < 3; pass++)
      for (const [j, v] of V.entries()) {
        const part = dot(v, w);
        coefficients[j]! += part;
        for (let i = 0; i < N; i++) w[i]! -= part * v[i]!;
      }
    const norm = Math.sqrt(dot(w, w));
    T.addColumn(coefficients, V.length, norm);
    next = w.map((value) => value / norm);
  }
  return { T, active: V.length, next };
}

/** A vector of norm 1 whose last element is `part`. */
function vectorWith(part: number): Float64Array {
  const rest = Math.sqrt((1 - part * part) / (N - 1));
  return Float64Array.from({ length: N }, (_, i) => (i === N - 1 ? part : i % 2 === 0 ? rest : -rest));
}

const DIAGONAL = Float64Array.from({ length: N }, (_, i) => (i === N - 1 ? 1.2 : Math.sin(i)));

describe.each([
  ['without a restart', 12, 20],
  ['with restarts', 30, 8],
])('%s', (_, steps, capacity) => {
  test('the bound is the part of the first vector over that of the next one, exactly', () => {
    const first = vectorWith(1e-14);
    const { T, active, next } = lanczos(DIAGONAL, first, steps, capacity, 3);
    const part = T.partBefore(active, -1.2, (nu) => -nu)!;
    expect(part + Math.log(Math.abs(next[N - 1]!))).toBeCloseTo(Math.log(1e-14), 3);
  });

  test('the greater the distance of the limit, the smaller the part', () => {
    const { T, active } = lanczos(DIAGONAL, vectorWith(0), steps, capacity, 3);
    const parts = [-1.1, -1.2, -1.5, -3].map((limit) => T.partBefore(active, limit, (nu) => -nu)!);
    expect(parts).toEqual(parts.toSorted((a, b) => b - a));
    expect(parts[0]).toBeLessThan(-1);
  });

  test('a Ritz value before the limit is something that is found', () => {
    const { T, active } = lanczos(DIAGONAL, vectorWith(0.1), steps, capacity, 3);
    expect(T.partBefore(active, -1, (nu) => -nu)).toBeUndefined();
    expect(T.partBefore(active, -1.3, (nu) => -nu)).toBeLessThan(0);
  });
});
