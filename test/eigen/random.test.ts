/** eigs on random small matrices: whatever it claims is right, and nothing is missed, against all eigenvalues by a dense method. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { symmetricEigen } from '#dist/eigen/dense/symmetric.js';
import type { Engine } from '#dist/engine/engine.js';
import { CsrBuilder, createEngine, type EigsOptions, eigs } from '#dist/index.node.js';
import { drawFrom } from '../../bench/draw.mjs';
import { fewOrAll } from '../soak.js';

/** A generator of whole numbers below n, and of numbers in [0, 1). */
function drawing(seed: number) {
  const draw = drawFrom(seed);
  return { draw, below: (n: number) => Math.floor(draw() * n) };
}

type Draws = ReturnType<typeof drawing>;
type Put = (i: number, j: number, value: number) => void;

const KINDS: Readonly<Record<string, (n: number, draws: Draws, put: Put) => void>> = {
  sparse(n, { draw, below }, put) {
    for (let e = 0; e < 3 * n; e++) put(below(n), below(n), draw() - 0.5);
  },
  'four values'(n, { below }, put) {
    for (let i = 0; i < n; i++) put(i, i, 1 + below(4));
  },
  'paths of one length'(n, { below }, put) {
    const length = 1 + below(6);
    for (let i = 0; i < n; i++) {
      put(i, i, 2);
      if (i % length !== 0) put(i, i - 1, -1);
    }
  },
  'a graph in parts'(n, { below }, put) {
    const degrees = new Float64Array(n);
    const edges = new Set<number>();
    for (let e = 0; e < n; e++) {
      const [i, j] = [below(n), below(n)].sort((a, b) => b - a) as [number, number];
      if (i === j || edges.has(i * n + j)) continue;
      edges.add(i * n + j);
      put(i, j, -1);
      degrees[i]!++;
      degrees[j]!++;
    }
    for (const [i, degree] of degrees.entries()) put(i, i, degree);
  },
  'numbers of many sizes'(n, { below }, put) {
    for (let i = 0; i < n; i++) {
      put(i, i, 10 ** -below(12));
      if (i > 0) put(i, i - 1, 10 ** -below(14));
    }
  },
  'equal blocks'(n, { below }, put) {
    const size = 1 + below(5);
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) if (Math.floor(i / size) === Math.floor(j / size)) put(i, j, i === j ? 3 : 1);
  },
};

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

const counts = { all: 0, arrived: 0 };

test.each(Object.entries(KINDS))('%s', (_, make) => {
  for (let seed = 1; seed <= fewOrAll(15, 300); seed++) {
    const draws = drawing(seed);
    const { draw, below } = draws;
    const n = 2 + below(110);
    const entries = new Map<number, number>();
    make(n, draws, (i, j, value) => {
      entries.set(i * n + j, value);
      entries.set(j * n + i, value);
    });
    const builder = new CsrBuilder(n, n);
    const dense = new Float64Array(n * n);
    for (const [key, value] of entries) {
      builder.add(Math.floor(key / n), key % n, value);
      dense[key] = value;
    }
    // A x = λ B x with a diagonal B, in every other case: B^−½ A B^−½ has the same λ.
    const masses = Float64Array.from({ length: n }, () => (seed % 2 === 0 ? 0.2 + 3 * draw() : 1));
    const mass = new CsrBuilder(n, n);
    for (const [i, value] of masses.entries()) mass.add(i, i, value);
    const scaled = dense.map((value, at) => value / Math.sqrt(masses[Math.floor(at / n)]! * masses[at % n]!));
    const all = Array.from(symmetricEigen(scaled, n).values);
    const scale = Math.max(...all.map(Math.abs));
    const k = 1 + below(Math.min(n, 12));
    const which = (['smallest', 'largest', 'nearest'] as const)[below(3)]!;
    const shift = below(2) === 0 ? all[below(n)]! : (draw() - 0.5) * 2 * scale;
    const options: EigsOptions = {
      which,
      ...(which === 'nearest' && { shift }),
      ...(which === 'smallest' && { method: ['auto', 'lanczos', 'shift-invert'][below(3)]! }),
      basisSize: Math.min(n, k + 10 + below(20)),
      ...(seed % 2 === 0 && { B: mass.build() }),
    };
    const { values, vectors, converged, reason } = eigs(engine, builder.build(), k, options);
    vectors.dispose();
    counts.all++;
    // Every pair may be as good as rounding allows, and yet not as good as it should: then it is said.
    if (reason !== 'tolerance') continue;
    counts.arrived++;
    const keyOf = (value: number) =>
      which === 'nearest' ? Math.abs(value - shift) : which === 'largest' ? -value : value;
    const keys = all.map(keyOf).sort((a, b) => a - b);
    const what = JSON.stringify({ seed, n, k, which, shift });
    expect([what, values.length, converged]).toEqual([what, k, k]);
    const worst = Math.max(...Array.from(values, (value, j) => Math.abs(keyOf(value) - keys[j]!)));
    expect([what, worst <= 1e-9 * scale]).toEqual([what, true]);
  }
});

test('nearly all searches arrive', () => {
  expect(counts.all).toBeGreaterThanOrEqual(90);
  expect(counts.arrived / counts.all).toBeGreaterThan(0.97);
});
