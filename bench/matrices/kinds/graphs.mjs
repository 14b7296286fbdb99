/** Structures of graphs: entry (i, j) is an edge from i to j. */
import { drawRmat, drawRoads } from '../../../dist/gallery/graphs.js';
import { byPairs, byRows, rowsByColumn, symmetrised } from '../patterns.mjs';
import { count, lengthsOf, zipf } from './draws.mjs';

/** The nearest neighbours of points in a square or a cube: of each point as many, or mutual. */
export function nearest(entries, draws) {
  const dimensions = draws.pick([2, 3]);
  const k = count(draws.logarithmic(3, 32));
  const mutual = draws.chance(0.4);
  const points = Math.min(150_000, count(entries / (k + (mutual ? 0.3 * k : 0)), 4 * k));
  const sorted = draws.chance(0.6);
  const cloud = cellsOf(points, dimensions, k, sorted, draws);
  const pattern = byRows(points, points, (p, row) => nearestOf(cloud, p, k, row), points * k);
  const words = `${k} neighbours in ${dimensions}D, ${sorted ? 'cell by cell' : 'as drawn'}${mutual ? ', mutual' : ''}`;
  return [mutual ? symmetrised(pattern) : pattern, words];
}

/** Points in cells of about k / 3, numbered as drawn or cell by cell. */
function cellsOf(points, dimensions, k, sorted, draws) {
  const side = Math.max(1, Math.floor((points / Math.max(2, k / 3)) ** (1 / dimensions)));
  const at = Float64Array.from({ length: 3 * points }, (_, i) => (i % 3 < dimensions ? draws.unit() : 0));
  const cells = dimensions === 2 ? side ** 2 : side ** 3;
  const cellOf = (p) => {
    const [x, y, z] = [0, 1, 2].map((d) => Math.floor(at[3 * p + d] * side));
    return x + side * (y + side * z);
  };
  const cell = Uint32Array.from({ length: points }, (_, p) => cellOf(p));
  const { ptr, idx: members } = rowsByColumn(cell, 1, cells);
  if (!sorted) return { at, cell, ptr, members, side, dimensions };
  const moved = new Float64Array(at.length);
  for (let place = 0; place < points; place++) {
    for (let d = 0; d < 3; d++) moved[3 * place + d] = at[3 * members[place] + d];
  }
  const inOrder = Uint32Array.from(members, (p) => cell[p]);
  return { at: moved, cell: inOrder, ptr, members: members.map((_, place) => place), side, dimensions };
}

const candidates = new Uint32Array(4096);
const distances = new Float64Array(4096);

function nearestOf({ at, cell, ptr, members, side, dimensions }, p, k, row) {
  const deep = dimensions === 3 ? 1 : 0;
  const [x, y, z] = [cell[p] % side, Math.floor(cell[p] / side) % side, Math.floor(cell[p] / (side * side))];
  let found = 0;
  for (let reach = 1; reach < side + 1 && found < k; reach++) {
    found = 0;
    for (let c = Math.max(0, z - deep * reach); c <= Math.min(side - 1, z + deep * reach); c++) {
      for (let b = Math.max(0, y - reach); b <= Math.min(side - 1, y + reach); b++) {
        const first = Math.max(0, x - reach) + side * (b + side * c);
        const last = Math.min(side - 1, x + reach) + side * (b + side * c);
        for (let m = ptr[first]; m < ptr[last + 1] && found < candidates.length; m++) {
          const q = members[m];
          if (q === p) continue;
          candidates[found] = q;
          let square = 0;
          for (let d = 0; d < dimensions; d++) square += (at[3 * p + d] - at[3 * q + d]) ** 2;
          distances[found++] = square;
        }
      }
    }
  }
  selectNearest(found, k, row);
}

/** The k smallest of the first `found` distances, by a list that stays sorted. */
function selectNearest(found, k, row) {
  const kept = Math.min(k, found);
  for (let m = 1; m < found; m++) {
    if (m >= kept && distances[m] >= distances[kept - 1]) continue;
    const [distance, candidate] = [distances[m], candidates[m]];
    let place = Math.min(m, kept - 1);
    for (; place > 0 && distances[place - 1] > distance; place--) {
      distances[place] = distances[place - 1];
      candidates[place] = candidates[place - 1];
    }
    distances[place] = distance;
    candidates[place] = candidate;
  }
  for (let m = 0; m < kept; m++) row.push(candidates[m]);
}

/** Edges drawn one by one, mirrored or not. */
function drawn(nodes, edges, mirrored, edge) {
  return byPairs(nodes, mirrored, (pairs) => {
    for (let k = 0; k < edges; k++) pairs.add(...edge(k));
  });
}

/** A node's edges stay in its community, most of them; communities are stretches of numbers, or mixed. */
export function blockModel(entries, draws) {
  const degree = draws.logarithmic(4, 60);
  const nodes = count(entries / degree, 64);
  const community = Math.min(nodes, count(draws.logarithmic(16, Math.max(32, nodes / 3))));
  const inside = draws.real(0.5, 0.99);
  const mixed = draws.chance(0.3);
  const label = mixed ? draws.permutation(nodes) : undefined;
  const directed = draws.chance(0.4);
  const edges = count((nodes * degree) / (directed ? 1 : 2));
  const pattern = drawn(nodes, edges, !directed, () => {
    const i = draws.below(nodes);
    const begin = i - (i % community);
    const j = draws.chance(inside) ? begin + draws.below(Math.min(community, nodes - begin)) : draws.below(nodes);
    return label === undefined ? [i, j] : [label[i], label[j]];
  });
  return [pattern, `communities of ${community}, ${Math.round(100 * inside)} % inside${mixed ? ', mixed' : ''}`];
}

/** Degrees like a power law: R-MAT, independent ends, or each new node attached to old ones. */
export function social(entries, draws) {
  const how = draws.pick(['R-MAT', 'independent', 'attached']);
  const degree = draws.logarithmic(3, 40);
  const directed = draws.chance(0.5);
  const nodes = count(entries / degree, 64);
  const edges = Math.min(4e6, count((nodes * degree) / (directed ? 1 : 2)));
  if (how === 'R-MAT') {
    const scale = Math.max(6, Math.round(Math.log2(nodes)));
    const a = draws.real(0.4, 0.6);
    const b = draws.real(0.1, (0.95 - a) / 2);
    const pattern = byPairs(2 ** scale, !directed, (pairs) =>
      drawRmat(scale, edges, [a, a + b, a + 2 * b], draws.stream, (i, j) => pairs.add(i, j)),
    );
    return [pattern, how];
  }
  if (how === 'independent') {
    const [out, into] = [draws.real(0.3, 1), draws.real(0.3, 1)].map((exponent) => zipf(draws, nodes, exponent));
    const label = draws.chance(0.5) ? draws.permutation(nodes) : undefined;
    const edge = () => (label === undefined ? [out(), into()] : [label[out()], label[into()]]);
    return [drawn(nodes, edges, !directed, edge), `${how}${label === undefined ? ', by degree' : ''}`];
  }
  const targets = new Uint32Array(2 * edges);
  const per = Math.max(1, Math.round(edges / nodes));
  const edge = (k) => {
    const i = Math.min(nodes - 1, 1 + Math.floor(k / per));
    const j = k === 0 || draws.chance(0.5) ? draws.below(i) : targets[draws.below(2 * k)];
    targets[2 * k] = i;
    targets[2 * k + 1] = j;
    return [i, j];
  };
  return [drawn(nodes, edges, !directed, edge), how];
}

/** A ring in which each node knows the next few, some edges redirected. */
export function smallWorld(entries, draws) {
  const near = draws.integer(1, 12);
  const nodes = count(entries / (2 * near + 1), 64);
  const far = draws.logarithmic(0.001, 0.5);
  const pattern = drawn(nodes, nodes * near, true, (k) => {
    const i = Math.floor(k / near);
    return [i, draws.chance(far) ? draws.below(nodes) : (i + 1 + (k % near)) % nodes];
  });
  return [pattern, `ring of ${near} each way, ${(100 * far).toPrecision(2)} % far`];
}

/** Roads: a maze on a grid with some loops; or a random tree. */
export function sparse(entries, draws) {
  const how = draws.pick(['road', 'road', 'tree', 'stars']);
  const nodes = count(entries / 2.4, 64);
  const across = Math.max(2, Math.round(Math.sqrt(nodes) * draws.real(0.5, 2)));
  const loops = draws.real(0, 0.5);
  const hubs = Math.max(1, Math.round(nodes / draws.logarithmic(5, 500)));
  const parentOf =
    how === 'tree' ? (i) => Math.max(0, i - 1 - Math.floor(draws.logarithmic(1, i + 1))) : () => draws.below(hubs);
  const pattern = byPairs(nodes, true, (pairs) => {
    if (how === 'road') drawRoads(nodes, across, loops, draws.stream, (i, j) => pairs.add(i, j));
    else for (let i = 1; i < nodes; i++) pairs.add(i, parentOf(i));
  });
  return [pattern, how];
}

/** Pages that copy links from their neighbour, in runs: rows that repeat in part. */
export function web(entries, draws) {
  const mean = draws.logarithmic(4, 40);
  const nodes = count(entries / mean, 64);
  const copied = draws.real(0.2, 0.9);
  const length = lengthsOf(draws.pick(['geometric', 'powerlaw', 'lognormal']), draws, mean);
  const reach = draws.logarithmic(20, 5000);
  const favourite = zipf(draws, nodes, draws.real(0.5, 1));
  let before = { begin: 0, end: 0 };
  const pattern = byRows(nodes, nodes, (i, row) => {
    const begin = row.length;
    const wanted = Math.min(nodes, count(length(), 0));
    for (let k = before.begin; k < before.end && row.length - begin < wanted; k++) {
      if (draws.chance(copied)) row.push(row.data[k]);
    }
    while (row.length - begin < wanted) {
      const j = draws.chance(0.7) ? Math.floor(i + reach * (draws.unit() - 0.5)) : favourite();
      row.push(Math.max(0, Math.min(nodes - 1, j)));
    }
    before = { begin, end: row.length };
  });
  return [pattern, `${Math.round(100 * copied)} % copied`];
}
