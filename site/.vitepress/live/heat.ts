/**
 * Heat on a mesh: ∂u/∂t = Δu in a disc with a hole, linear triangles, implicit Euler: (M + Δt K) u₊ = M u. The rim is held at 0, the hole at 1; each step
 * is one product and one solve in the reader's browser.
 */
import Delaunator from 'delaunator';
import type { AsyncEngine } from './engine.js';

/** Rings of points between the hole and the rim. */
const RINGS = 40;
const HOLE = 0.25;
/** The time of a step. */
export const DT = 0.002;

export interface Mesh {
  /** In the disc of radius 1: x and y of each node in turn. */
  readonly points: Float64Array;
  /** The corners of each triangle. */
  readonly triangles: Uint32Array;
  /** Nodes of the hole and of the rim, and their temperatures. */
  readonly fixed: number[];
  readonly given: number[];
}

export function meshOfDisc(): Mesh {
  const points: number[] = [];
  const fixed: number[] = [];
  const given: number[] = [];
  for (let ring = 0; ring <= RINGS; ring++) {
    const radius = HOLE + ((1 - HOLE) * ring) / RINGS;
    const nodes = Math.round((2 * Math.PI * radius * RINGS) / (1 - HOLE));
    for (let k = 0; k < nodes; k++) {
      const angle = (2 * Math.PI * (k + (ring % 2) / 2)) / nodes;
      if (ring === 0 || ring === RINGS) {
        fixed.push(points.length / 2);
        given.push(ring === 0 ? 1 : 0);
      }
      points.push(radius * Math.cos(angle), radius * Math.sin(angle));
    }
  }
  const all = new Delaunator(points).triangles;
  const isHole = (corner: number) => Math.hypot(points[2 * corner]!, points[2 * corner + 1]!) < HOLE + 1e-9;
  const triangles: number[] = [];
  for (let e = 0; e < all.length; e += 3) {
    const corners = Array.from(all.subarray(e, e + 3));
    if (!corners.every(isHole)) triangles.push(...corners);
  }
  return { points: Float64Array.from(points), triangles: Uint32Array.from(triangles), fixed, given };
}

export interface Heat extends Disposable {
  readonly unknowns: number;
  /** The temperatures of all nodes. */
  readonly u: Float64Array;
  /** One step. @returns the iterations of its solve */
  step(): Promise<number>;
}

export async function heatOn(engine: AsyncEngine, mesh: Mesh): Promise<Heat> {
  const { addMatrices, applyDirichlet, Assembly, scaleMatrix } = await import('sparlane');
  const assembly = new Assembly(mesh.triangles, { perElement: 3, symmetry: 'symmetric' });
  const { mass, stiffness } = elementMatrices(mesh);
  const M = assembly.matrix(mass);
  const n = M.rows;
  const K = scaleMatrix(assembly.matrix(stiffness), { rows: new Float64Array(n).fill(DT) });
  const lhs = { ...addMatrices(M, K), symmetry: 'symmetric' as const };
  // The conditions eliminate columns of the matrix; what that adds to the right-hand side does not depend on time.
  const { matrix, b: boundary } = applyDirichlet(lhs, new Float64Array(n), mesh.fixed, mesh.given);
  const isFixed = new Uint8Array(n);
  for (const node of mesh.fixed) isFixed[node] = 1;
  const massOperator = await engine.operator(M);
  const step = await engine.operator(matrix, { products: 'many', tune: false });
  let u: Float64Array = new Float64Array(n);
  for (const [k, node] of mesh.fixed.entries()) u[node] = mesh.given[k]!;
  return {
    unknowns: n - mesh.fixed.length,
    get u() {
      return u;
    },
    async step() {
      const b = (await massOperator.apply(u)).map((value, i) => (isFixed[i] ? 0 : value) + boundary[i]!);
      const { x, iterations } = await engine.solve(step, b, {
        method: 'cg',
        preconditioner: 'jacobi',
        x0: u,
        rtol: 1e-8,
      });
      u = x;
      return iterations;
    },
    [Symbol.dispose]() {
      massOperator.dispose();
      step.dispose();
    },
  };
}

/** ∫ φᵢ φⱼ and ∫ ∇φᵢ · ∇φⱼ, 9 numbers for each triangle. */
function elementMatrices({ points, triangles }: Mesh): { mass: Float64Array; stiffness: Float64Array } {
  const mass = new Float64Array(3 * triangles.length);
  const stiffness = new Float64Array(3 * triangles.length);
  for (let e = 0; 3 * e < triangles.length; e++) {
    const corners = triangles.subarray(3 * e, 3 * e + 3);
    const [x, y] = [0, 1].map((axis) => Array.from(corners, (corner) => points[2 * corner + axis]!)) as [
      number[],
      number[],
    ];
    // The gradient of φᵢ is the side opposite of corner i, turned, over twice the area.
    const turned = [0, 1, 2].map(
      (i) => [y[(i + 1) % 3]! - y[(i + 2) % 3]!, x[(i + 2) % 3]! - x[(i + 1) % 3]!] as const,
    );
    const area = Math.abs((x[1]! - x[0]!) * (y[2]! - y[0]!) - (x[2]! - x[0]!) * (y[1]! - y[0]!)) / 2;
    for (const [i, [a, b]] of turned.entries()) {
      for (const [j, [c, d]] of turned.entries()) {
        mass[9 * e + 3 * i + j] = (area / 12) * (i === j ? 2 : 1);
        stiffness[9 * e + 3 * i + j] = (a * c + b * d) / (4 * area);
      }
    }
  }
  return { mass, stiffness };
}

/** Draws a mesh on a canvas, each triangle in the colour of its mean temperature, from 0 (blue) to 1 (yellow). */
export class HeatPicture {
  private readonly triangles: Uint32Array;
  private readonly context: CanvasRenderingContext2D;
  private readonly image: ImageData;
  private readonly pixels: Uint32Array;
  /** By pixel: k + 1 in triangle k, 0 outside the mesh. */
  private readonly triangleOf: Uint16Array;
  /** By the numbers of `triangleOf`; a pixel outside the mesh is transparent. */
  private readonly colourOf: Uint32Array;

  constructor(canvas: HTMLCanvasElement, mesh: Mesh) {
    this.triangles = mesh.triangles;
    this.context = canvas.getContext('2d')!;
    this.image = this.context.createImageData(canvas.width, canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.triangleOf = trianglesOfPixels(mesh, canvas.width);
    this.colourOf = new Uint32Array(mesh.triangles.length / 3 + 1);
  }

  draw(u: Float64Array): void {
    const { triangles } = this;
    for (let k = 0; 3 * k < triangles.length; k++) {
      const sum = u[triangles[3 * k]!]! + u[triangles[3 * k + 1]!]! + u[triangles[3 * k + 2]!]!;
      this.colourOf[k + 1] = COLOURS[Math.round(Math.min(Math.max(sum / 3, 0), 1) * (COLOURS.length - 1))]!;
    }
    for (let p = 0; p < this.pixels.length; p++) this.pixels[p] = this.colourOf[this.triangleOf[p]!]!;
    this.context.putImageData(this.image, 0, 0);
  }
}

/** Finds the triangle that holds the centre of each pixel of a square image of [−1, 1]². @returns k + 1 for triangle k, 0 for none */
function trianglesOfPixels({ points, triangles }: Mesh, width: number): Uint16Array {
  const found = new Uint16Array(width * width);
  for (let k = 0; 3 * k < triangles.length; k++) {
    const corners = triangles.subarray(3 * k, 3 * k + 3);
    const columns = Array.from(corners, (corner) => ((1 + points[2 * corner]!) * width) / 2 - 0.5);
    const rows = Array.from(corners, (corner) => ((1 - points[2 * corner + 1]!) * width) / 2 - 0.5);
    for (let row = Math.ceil(Math.min(...rows)); row <= Math.max(...rows); row++) {
      // The line of this row's centres enters the triangle at `first`, and leaves it at `last`.
      let [first, last] = [Infinity, -Infinity];
      for (let side = 0; side < 3; side++) {
        const [from, to] = [side, (side + 1) % 3];
        const along = (row - rows[from]!) / (rows[to]! - rows[from]!);
        if (!(along >= 0 && along <= 1)) continue;
        const column = columns[from]! + along * (columns[to]! - columns[from]!);
        first = Math.min(first, column);
        last = Math.max(last, column);
      }
      for (let column = Math.ceil(first); column <= last; column++) found[row * width + column] = k + 1;
    }
  }
  return found;
}

/** Cividis at five places (Nuñez, Anderton & Renslow 2018): as readable without red or green. */
const CIVIDIS = [
  [0, 34, 78],
  [65, 77, 107],
  [124, 123, 120],
  [187, 173, 109],
  [254, 232, 56],
] as const;

/** The colours from 0 to 1 as a background. */
export const GRADIENT = `linear-gradient(to right, ${CIVIDIS.map((channels) => `rgb(${channels.join(' ')})`).join()})`;

/** Element k is the colour of k / 255, as a pixel of an `ImageData`. */
const COLOURS = Uint32Array.from({ length: 256 }, (_, step) => {
  const place = (step / 255) * (CIVIDIS.length - 1);
  const k = Math.min(Math.floor(place), CIVIDIS.length - 2);
  const channels = CIVIDIS[k]!.map((low, c) => Math.round(low + (place - k) * (CIVIDIS[k + 1]![c]! - low)));
  return new Uint32Array(Uint8Array.of(...channels, 255).buffer)[0]!;
});
