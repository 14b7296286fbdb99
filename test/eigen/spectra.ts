/** Matrices whose eigenvalues are known, with all of them, ascending. */
import { CsrBuilder, type CsrMatrix, gallery } from '#dist/index.node.js';

export interface KnownSpectrum {
  readonly matrix: CsrMatrix;
  readonly values: readonly number[];
}

const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b);

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** 2 − 2 cos(iπ / (n + 1)) */
const line = (n: number) => range(n).map((i) => 2 - 2 * Math.cos(((i + 1) * Math.PI) / (n + 1)));

/** The 5-point grid; a square one has pairs of equal eigenvalues. */
export function grid(nx: number, ny: number): KnownSpectrum {
  const values = line(nx).flatMap((a) => line(ny).map((b) => a + b));
  return { matrix: gallery('laplace2d5', { nx, ny }), values: ascending(values) };
}

/** The 7-point grid on a cube, with eigenvalues of multiplicity 3 and 6. */
export function cube(n: number): KnownSpectrum {
  const values = line(n).flatMap((a) => line(n).flatMap((b) => line(n).map((c) => a + b + c)));
  return { matrix: gallery('laplace3d7', { nx: n, ny: n, nz: n }), values: ascending(values) };
}

/** The Laplacian of a graph. */
export function laplacian(vertices: number, edges: readonly (readonly [number, number])[]): CsrMatrix {
  const builder = new CsrBuilder(vertices, vertices);
  for (const [i, j] of edges) {
    builder.add(i, j, -1);
    builder.add(j, i, -1);
    builder.add(i, i, 1);
    builder.add(j, j, 1);
  }
  return builder.build();
}

const ring = (first: number, n: number) => range(n).map((i) => [first + i, first + ((i + 1) % n)] as const);
const valuesOfRing = (n: number) => range(n).map((i) => 2 - 2 * Math.cos((2 * Math.PI * i) / n));

/** A cycle: 0 once, all others twice. */
export function cycle(n: number): KnownSpectrum {
  return { matrix: laplacian(n, ring(0, n)), values: ascending(valuesOfRing(n)) };
}

/** Cycles, and vertices without edges: 0 as often as there are parts, and the eigenvalues of each cycle. */
export function parts(cycles: number, n: number, alone: number): KnownSpectrum {
  const edges = range(cycles).flatMap((c) => ring(c * n, n));
  const values = [...range(cycles).flatMap(() => valuesOfRing(n)), ...range(alone).map(() => 0)];
  return { matrix: laplacian(cycles * n + alone, edges), values: ascending(values) };
}

/** The hypercube: 2 b, as often as there are vertices with b ones. */
export function hypercube(dimensions: number): KnownSpectrum {
  const vertices = range(2 ** dimensions);
  const edges = vertices.flatMap((i) =>
    range(dimensions).flatMap((b) => (i & (1 << b) ? [] : [[i, i | (1 << b)] as const])),
  );
  const ones = (i: number) => range(dimensions).filter((b) => i & (1 << b)).length;
  return { matrix: laplacian(vertices.length, edges), values: ascending(vertices.map((i) => 2 * ones(i))) };
}

/** Blocks [c, ε; ε, c] for the centres c: pairs c ± ε. */
export function clusters(centres: readonly number[], epsilon: number): KnownSpectrum {
  const builder = new CsrBuilder(2 * centres.length, 2 * centres.length);
  for (const [b, centre] of centres.entries())
    for (const [i, j, value] of [
      [0, 0, centre],
      [1, 1, centre],
      [0, 1, epsilon],
      [1, 0, epsilon],
    ] as const)
      builder.add(2 * b + i, 2 * b + j, value);
  return { matrix: builder.build(), values: ascending(centres.flatMap((c) => [c - epsilon, c + epsilon])) };
}

export function diagonal(numbers: readonly number[]): KnownSpectrum {
  const builder = new CsrBuilder(numbers.length, numbers.length);
  for (const [i, value] of numbers.entries()) builder.add(i, i, value);
  return { matrix: builder.build(), values: ascending(numbers) };
}

/** Linear elements on n inner points of [0, 1]: stiffness, mass, and λ = 6 / h² (1 − cos iπh) / (2 + cos iπh). */
export function elements(n: number): KnownSpectrum & { readonly mass: CsrMatrix } {
  const h = 1 / (n + 1);
  const [K, M] = [new CsrBuilder(n, n), new CsrBuilder(n, n)];
  for (const i of range(n))
    for (const j of [i - 1, i, i + 1].filter((place) => place >= 0 && place < n)) {
      K.add(i, j, i === j ? 2 / h : -1 / h);
      M.add(i, j, (i === j ? 4 : 1) * (h / 6));
    }
  const values = range(n).map((i) => {
    const cosine = Math.cos((i + 1) * Math.PI * h);
    return ((6 / h / h) * (1 - cosine)) / (2 + cosine);
  });
  return { matrix: K.build(), mass: M.build(), values: ascending(values) };
}

/** Springs between the nodes of a cubic lattice, its face and space diagonals: free, so that 6 motions have no energy; in a plane 3. */
export function truss(nx: number, ny: number, nz = 1): CsrMatrix {
  const dimensions = nz === 1 ? 2 : 3;
  const nodes = range(nx * ny * nz).map((i) => [i % nx, Math.floor(i / nx) % ny, Math.floor(i / nx / ny)] as const);
  const builder = new CsrBuilder(dimensions * nodes.length, dimensions * nodes.length);
  for (const [i, p] of nodes.entries())
    for (const [j, q] of nodes.entries()) {
      const way = [0, 1, 2].map((axis) => q[axis]! - p[axis]!);
      if (j <= i || way.some((step) => Math.abs(step) > 1)) continue;
      const length = Math.hypot(...way);
      for (const a of range(dimensions))
        for (const b of range(dimensions)) {
          const stiffness = (way[a]! * way[b]!) / length ** 3;
          for (const [row, col, sign] of [
            [i, i, 1],
            [j, j, 1],
            [i, j, -1],
            [j, i, -1],
          ] as const)
            builder.add(dimensions * row + a, dimensions * col + b, sign * stiffness);
        }
    }
  return builder.build();
}
