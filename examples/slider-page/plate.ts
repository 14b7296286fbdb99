/**
 * Heat in a square plate with a round inclusion of another conductivity: −∇·(κ ∇u) = 0, u = 1 on the left side, 0 on the right one, the other two
 * insulated. Cells of finite volumes; between two of them the conductivity is the harmonic mean.
 *
 * There are three kinds of faces between cells: outside of the inclusion κ = 1, inside κ, across its edge 2 κ / (1 + κ). So the matrix is a sum of three
 * with the same pattern: A(κ) = A₀ + κ A₁ + 2 κ / (1 + κ) A₂.
 */

export interface Plate {
  /** Cells along a side. */
  readonly side: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** Numbers of A₀, A₁ and A₂. */
  readonly parts: readonly [Float64Array, Float64Array, Float64Array];
  readonly b: Float64Array;
}

/** The centre and the radius of the inclusion; the plate is the unit square. */
const [X, Y, RADIUS] = [0.55, 0.5, 0.28];

export function plateOf(side: number): Plate {
  const rows = side * side;
  const isInside = (col: number, row: number) => Math.hypot((col + 0.5) / side - X, (row + 0.5) / side - Y) < RADIUS;
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(5 * rows);
  const parts = [new Float64Array(5 * rows), new Float64Array(5 * rows), new Float64Array(5 * rows)] as const;
  const b = new Float64Array(rows);
  let nnz = 0;
  for (let row = 0; row < side; row++) {
    for (let col = 0; col < side; col++) {
      const cell = row * side + col;
      const diagonal = [0, 0, 0];
      let place = 0;
      for (const [dx, dy] of NEIGHBOURS) {
        if (dx === 0 && dy === 0) {
          place = nnz++;
          continue;
        }
        const [x, y] = [col + dx, row + dy];
        if (y < 0 || y === side) continue;
        if (x < 0 || x === side) {
          // Half a cell to the side of the plate, whose temperature is given.
          diagonal[0]! += 2;
          if (x < 0) b[cell]! += 2;
          continue;
        }
        const [here, there] = [isInside(col, row), isInside(x, y)];
        const kind = here !== there ? 2 : here ? 1 : 0;
        diagonal[kind]! += 1;
        colIdx[nnz] = y * side + x;
        parts[kind][nnz++] = -1;
      }
      colIdx[place] = cell;
      for (const [kind, part] of parts.entries()) part[place] = diagonal[kind]!;
      rowPtr[cell + 1] = nnz;
    }
  }
  const [A0, A1, A2] = parts.map((part) => part.subarray(0, nnz)) as [Float64Array, Float64Array, Float64Array];
  return { side, rowPtr, colIdx: colIdx.subarray(0, nnz), parts: [A0, A1, A2], b };
}

/** In the order of their columns. */
const NEIGHBOURS = [
  [0, -1],
  [-1, 0],
  [0, 0],
  [1, 0],
  [0, 1],
] as const;

/** The numbers of A(κ). */
export function valuesOf({ parts: [A0, A1, A2] }: Plate, kappa: number): Float64Array {
  const across = (2 * kappa) / (1 + kappa);
  const values = new Float64Array(A0.length);
  for (let k = 0; k < values.length; k++) values[k] = A0[k]! + kappa * A1[k]! + across * A2[k]!;
  return values;
}

/** A(κ). */
export function matrixOf(plate: Plate, kappa: number) {
  const { rowPtr, colIdx, b } = plate;
  return { rows: b.length, cols: b.length, rowPtr, colIdx, values: valuesOf(plate, kappa) };
}

/** The heat that leaves the plate on the right in a unit of time: 1 without an inclusion. */
export function flowOf({ side }: Plate, u: ArrayLike<number>): number {
  let flow = 0;
  for (let row = 1; row <= side; row++) flow += 2 * u[row * side - 1]!;
  return flow;
}
