/** Structures on grids: stencils, upwind convection, staggered flow, chains of spins, hypercubes. Each gets the wanted entries. */
import { structureOf } from '../../../dist/gallery/family.js';
import { gallery } from '../../../dist/gallery/registry.js';
import { byRows } from '../patterns.mjs';
import { count } from './draws.mjs';

/** The offset of so many steps along one dimension. */
const along = (dimension, steps) => [0, 1, 2].map((d) => (d === dimension ? steps : 0));

/** Offsets [dx, dy, dz] of a stencil. */
const cross = (dimensions, reach = 1) => {
  const found = [[0, 0, 0]];
  for (let d = 0; d < dimensions; d++) {
    for (let step = 1; step <= reach; step++) found.push(along(d, -step), along(d, step));
  }
  return found;
};
const box = (dimensions, reach = 1) => {
  const found = [];
  const [ry, rz] = [dimensions > 1 ? reach : 0, dimensions > 2 ? reach : 0];
  for (let dz = -rz; dz <= rz; dz++) {
    for (let dy = -ry; dy <= ry; dy++) for (let dx = -reach; dx <= reach; dx++) found.push([dx, dy, dz]);
  }
  return found;
};
/** A customer moves from one station of a queueing network to another. */
const moves = (dimensions) => {
  const found = cross(dimensions);
  for (let a = 0; a < dimensions; a++) {
    for (let b = 0; b < dimensions; b++) {
      if (a !== b) found.push([0, 1, 2].map((d) => (d === a ? 1 : d === b ? -1 : 0)));
    }
  }
  return found;
};

const STENCILS = [
  ['3-point', 1, cross(1)],
  ['9-point in a line', 1, cross(1, 4)],
  ['5-point', 2, cross(2)],
  ['9-point', 2, box(2)],
  ['13-point', 2, cross(2, 3)],
  ['25-point', 2, box(2, 2)],
  ['7-point', 3, cross(3)],
  ['13-point in space', 3, cross(3, 2)],
  ['27-point', 3, box(3)],
  ['125-point', 3, box(3, 2)],
  ['queues', 2, moves(2)],
  ['three queues', 3, moves(3)],
];

/** Points along each dimension, of unequal length. */
export function extentsOf(points, dimensions, draws) {
  const stretch = [1, draws.logarithmic(0.3, 3), draws.logarithmic(0.3, 3)];
  const edge = (points / stretch.slice(0, dimensions).reduce((a, b) => a * b)) ** (1 / dimensions);
  return [0, 1, 2].map((d) => (d < dimensions ? count(edge * stretch[d], 2) : 1));
}

/** `visit(x, y, z)` for every point of a grid, x fastest. */
export function eachPoint([nx, ny, nz], visit) {
  for (let z = 0; z < nz; z++) for (let y = 0; y < ny; y++) for (let x = 0; x < nx; x++) visit(x, y, z);
}

/** A grid, perhaps periodic, perhaps with round holes. */
export function stencil(entries, draws) {
  const [name, dimensions, offsets] = draws.pick(STENCILS);
  const extents = extentsOf(entries / offsets.length, dimensions, draws);
  const periodic = draws.chance(0.15);
  const holes = !periodic && draws.chance(0.25);
  const number = holes ? numbering(extents, draws) : undefined;
  const ordered = offsets.toSorted(([a, b, c], [d, e, f]) => c - f || b - e || a - d);
  const pattern = overGrid(extents, number, (x, y, z, row) => {
    for (const [dx, dy, dz] of ordered) {
      const node = nodeAt(extents, x + dx, y + dy, z + dz, periodic);
      if (node >= 0 && (number === undefined || number.of[node] >= 0)) row.push(number?.of[node] ?? node);
    }
  });
  const words = `${name}${periodic ? ', periodic' : ''}${holes ? ', with holes' : ''}`;
  return [{ ...pattern, symmetric: true }, words];
}

function nodeAt([nx, ny, nz], x, y, z, periodic) {
  if (periodic) return ((x + nx) % nx) + nx * (((y + ny) % ny) + ny * ((z + nz) % nz));
  if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) return -1;
  return x + nx * (y + ny * z);
}

function placeOf([nx, ny], node) {
  return [node % nx, Math.floor(node / nx) % ny, Math.floor(node / (nx * ny))];
}

/** Numbers of the points outside of some discs; −1 inside. */
function numbering([nx, ny, nz], draws) {
  const discs = Array.from({ length: draws.integer(1, 12) }, () => ({
    ...{ x: draws.unit() * nx, y: draws.unit() * ny, z: draws.unit() * nz },
    radius: draws.real(0.05, 0.2) * Math.max(nx, ny, nz),
  }));
  const of = new Int32Array(nx * ny * nz);
  let points = 0;
  let node = 0;
  eachPoint([nx, ny, nz], (x, y, z) => {
    const inside = discs.some((d) => (x - d.x) ** 2 + (y - d.y) ** 2 + (z - d.z) ** 2 < d.radius ** 2);
    of[node++] = inside ? -1 : points++;
  });
  return { of, points };
}

/** `fill(x, y, z, row)` for every point that has a number. */
function overGrid(extents, number, fill) {
  const points = number?.points ?? extents[0] * extents[1] * extents[2];
  let node = 0;
  return byRows(points, points, (_, row) => {
    while (number !== undefined && number.of[node] < 0) node++;
    fill(...placeOf(extents, node++), row);
  });
}

/** First or second order upwind in a field of vortices: which neighbours a point has depends on the wind. */
export function convection(entries, draws) {
  const dimensions = draws.pick([2, 2, 3]);
  const order = draws.pick([1, 2]);
  const diffuses = draws.chance(0.4);
  const perRow = 1 + dimensions * (order + (diffuses ? 1 : 0));
  const extents = extentsOf(entries / perRow, dimensions, draws);
  const waves = draws.integer(1, 9);
  const wind = (d, x, y, z) =>
    Math.sin((waves * (x + 2 * y * d + z)) / extents[0]) + Math.cos((waves * y) / extents[1]) * d;
  const pattern = overGrid(extents, undefined, (x, y, z, row) => {
    row.push(nodeAt(extents, x, y, z));
    for (let d = 0; d < dimensions; d++) {
      const sign = wind(d, x, y, z) < 0 ? 1 : -1;
      for (let step = diffuses ? -1 : 1; step <= order; step++) {
        const at = [x, y, z];
        at[d] += sign * step;
        const node = step === 0 ? -1 : nodeAt(extents, ...at);
        if (node >= 0) row.push(node);
      }
    }
  });
  return [pattern, `${dimensions}D, order ${order}${diffuses ? ', with diffusion' : ''}`];
}

/** Velocities and a pressure on a grid: a saddle point, its unknowns field by field or point by point. */
export function stokes(entries, draws) {
  const dimensions = draws.pick([2, 3]);
  const fields = dimensions + 1;
  const stabilised = draws.chance(0.3);
  const perPoint = dimensions * (2 * dimensions + 3) + 2 * dimensions + (stabilised ? 2 * dimensions + 1 : 0);
  const extents = extentsOf(entries / perPoint, dimensions, draws);
  const points = extents[0] * extents[1] * extents[2];
  const together = draws.chance(0.35);
  const offsets = cross(dimensions);
  const place = (field, node) => (together ? node * fields + field : field * points + node);
  const pattern = byRows(fields * points, fields * points, (i, row) => {
    const [field, node] = together ? [i % fields, Math.floor(i / fields)] : [Math.floor(i / points), i % points];
    const [x, y, z] = placeOf(extents, node);
    const put = (other, [dx, dy, dz]) => {
      const found = nodeAt(extents, x + dx, y + dy, z + dz);
      if (found >= 0) row.push(place(other, found));
    };
    if (field < dimensions) {
      for (const offset of offsets) put(field, offset);
      put(dimensions, [0, 0, 0]);
      put(dimensions, along(field, -1));
      return;
    }
    for (let d = 0; d < dimensions; d++) {
      put(d, [0, 0, 0]);
      put(d, along(d, 1));
    }
    if (stabilised) for (const offset of offsets) put(dimensions, offset);
  });
  const words = `${dimensions}D, ${together ? 'point by point' : 'field by field'}${stabilised ? ', stabilised' : ''}`;
  return [{ ...pattern, symmetric: true }, words];
}

/** Spins ½ in a ring or a ladder: each state with those in which two unequal neighbours have changed places. */
export function heisenberg(entries, draws) {
  const far = draws.pick([[1], [1, 2], [1, 3]]);
  const halfFilled = draws.chance(0.5);
  let spins = 6;
  const size = (n) => (halfFilled ? binomial(n, n >> 1) : 2 ** n) * (1 + (far.length * n) / 2);
  while (spins < 22 && size(spins + 1) < entries) spins++;
  const up = spins >> 1;
  const states = halfFilled ? statesWith(spins, up) : Uint32Array.from({ length: 2 ** spins }, (_, s) => s);
  const place = new Uint32Array(2 ** spins);
  for (let i = 0; i < states.length; i++) place[states[i]] = i;
  const pattern = byRows(states.length, states.length, (i, row) => {
    const state = states[i];
    row.push(i);
    for (const distance of far) {
      for (let a = 0; a < spins; a++) {
        const b = (a + distance) % spins;
        if (((state >>> a) & 1) !== ((state >>> b) & 1)) row.push(place[state ^ (1 << a) ^ (1 << b)]);
      }
    }
  });
  return [{ ...pattern, symmetric: true }, `${spins} spins, bonds ${far}${halfFilled ? ', half of them up' : ''}`];
}

function binomial(n, k) {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}

function statesWith(spins, up) {
  const found = [];
  for (let state = 0; state < 2 ** spins; state++) {
    let ones = 0;
    for (let rest = state; rest > 0; rest &= rest - 1) ones++;
    if (ones === up) found.push(state);
  }
  return Uint32Array.from(found);
}

/** Neighbours in a hypercube, of a butterfly, or of overlapping words: fixed row lengths, and columns far apart. */
export function network(entries, draws) {
  const how = draws.pick(['hypercube', 'butterfly', 'de Bruijn']);
  const perRow = (bits) => (how === 'hypercube' ? bits + 1 : how === 'butterfly' ? 3 : 4);
  let bits = 8;
  while (bits < 22 && 2 ** (bits + 1) * perRow(bits + 1) < entries) bits++;
  const name = `${how} of ${bits} bits`;
  if (how === 'de Bruijn') return [structureOf(gallery('debruijn', { order: bits, values: 'ones' })), name];
  const nodes = 2 ** bits;
  const pattern = byRows(nodes, nodes, (i, row) => {
    row.push(i);
    if (how === 'hypercube') {
      for (let bit = 0; bit < bits; bit++) row.push((i ^ (1 << bit)) >>> 0);
    } else {
      row.push((i ^ (1 << (i % bits))) >>> 0);
      row.push((i + 1) % nodes);
    }
  });
  return [{ ...pattern, symmetric: how === 'hypercube' }, name];
}
