/** What happens to any pattern: unknowns per node, entries that are missing, empty rows, hubs, orders, shapes. */
import { inverted } from '../../../dist/reorder/permutation.js';
import {
  byRows,
  copies,
  filtered,
  leadingPart,
  promoted,
  reordered,
  shuffledWithin,
  symmetrised,
  transposed,
} from '../patterns.mjs';
import { count } from './draws.mjs';

/** In this order: name, probability, and the function, which returns [pattern, words] or undefined if it does not apply. */
export const TRANSFORMS = [
  { name: 'unknowns', probability: 0.18, apply: unknowns },
  { name: 'symmetrised', probability: 0.06, apply: undirected },
  { name: 'triangle', probability: 0.07, apply: triangle },
  { name: 'thinned', probability: 0.1, apply: thinned },
  { name: 'hubs', probability: 0.08, apply: hubs },
  { name: 'order', probability: 0.42, apply: otherOrder },
  { name: 'empty', probability: 0.1, apply: emptied },
  { name: 'slice', probability: 0.06, apply: sliced },
  { name: 'transposed', probability: 0.12, apply: mirrored },
];

function unknowns(pattern, draws) {
  if (pattern.blocked) return undefined;
  const size = draws.weighted([
    [2, 3],
    [3, 4],
    [4, 2],
    [5, 1],
    [6, 1],
    [7, 1],
    [8, 1],
    [12, 0.5],
  ]);
  const together = draws.chance(0.8);
  const how = together ? `blocks of ${size}` : `${size} fields one after the other`;
  return [together ? promoted(pattern, size) : copies(pattern, size), how];
}

function undirected(pattern) {
  if (pattern.rows !== pattern.cols || pattern.symmetric) return undefined;
  return [symmetrised(pattern), 'A + Aᵀ'];
}

function triangle(pattern, draws) {
  if (pattern.rows !== pattern.cols) return undefined;
  const lower = draws.chance(0.5);
  return [filtered(pattern, (i, j) => (lower ? j <= i : j >= i)), `${lower ? 'lower' : 'upper'} triangle`];
}

function thinned(pattern, draws) {
  const share = draws.real(0.02, 0.6);
  const kept = filtered(pattern, (i, j) => i === j || !draws.chance(share));
  return [kept, `${Math.round(100 * share)} % of the entries missing`];
}

/** A few rows, columns or both with entries in a large part of the matrix. */
function hubs(pattern, draws) {
  const { rows, cols, colIdx } = pattern;
  if (rows < 200 || cols < 200) return undefined;
  const where = draws.pick(['rows', 'columns', 'rows and columns']);
  const number = draws.integer(1, 6);
  const share = draws.real(0.02, 0.7);
  const most = (0.5 * colIdx.length) / number;
  const chosen = (length, other) => ({
    nodes: new Set(Array.from({ length: number }, () => draws.below(length))),
    share: Math.min(share, most / other),
  });
  const long = where === 'columns' ? undefined : chosen(rows, cols);
  const wide = where === 'rows' ? undefined : chosen(cols, rows);
  const made = byRows(rows, cols, (i, row) => {
    row.pushRow(pattern, i);
    if (wide !== undefined) for (const j of wide.nodes) if (draws.chance(wide.share)) row.push(j);
    if (!long?.nodes.has(i)) return;
    for (let j = 0; j < cols; j++) if (draws.chance(long.share)) row.push(j);
  });
  return [made, `${number} ${where} with ${Math.round(100 * share)} %`];
}

const SHUFFLES = [
  ['random', 4],
  ['random rows', 1],
  ['pieces', 2],
  ['windows', 3],
  ['strided', 1],
  ['swapped', 2],
];

function otherOrder(pattern, draws) {
  const { rows, cols } = pattern;
  const how = draws.weighted(SHUFFLES);
  const rowOf = orderOf(how, rows, draws);
  if (how === 'random rows' || rows !== cols)
    return [reordered(pattern, rowOf), how === 'random' ? 'random rows' : how];
  return [reordered(pattern, rowOf, inverted(rowOf)), how];
}

/** Which row comes at a place: at random; whole pieces at random; at random within windows; every k-th; some pairs swapped. */
function orderOf(how, rows, draws) {
  const order = Uint32Array.from({ length: rows }, (_, i) => i);
  const window = Math.min(rows, count(draws.logarithmic(8, 4096)));
  switch (how) {
    case 'pieces': {
      const pieces = draws.permutation(Math.ceil(rows / window));
      let place = 0;
      for (const piece of pieces) {
        for (let i = piece * window; i < Math.min(rows, (piece + 1) * window); i++) order[place++] = i;
      }
      return order;
    }
    case 'windows':
      return shuffledWithin(window, rows, draws.stream);
    case 'strided': {
      const step = draws.integer(2, 8);
      for (let color = 0, place = 0; color < step; color++) for (let i = color; i < rows; i += step) order[place++] = i;
      return order;
    }
    case 'swapped':
      for (let k = count(rows * draws.logarithmic(0.002, 0.3)); k > 0; k--) {
        const [a, b] = [draws.below(rows), draws.below(rows)];
        [order[a], order[b]] = [order[b], order[a]];
      }
      return order;
    default:
      return draws.permutation(rows);
  }
}

/** Rows without entries: here and there, or in stretches. */
function emptied(pattern, draws) {
  const { rows } = pattern;
  const share = draws.pick([draws.real(0.02, 0.3), draws.real(0.3, 0.97)]);
  const stretch = draws.chance(0.5) ? 1 : count(draws.logarithmic(2, 2000));
  const isEmpty = new Uint8Array(rows);
  for (let begin = 0; begin < rows; begin += stretch) if (draws.chance(share)) isEmpty.fill(1, begin, begin + stretch);
  const kept = filtered(pattern, (i) => isEmpty[i] === 0);
  return [kept, `${Math.round(100 * share)} % of the rows empty${stretch > 1 ? `, ${stretch} at a time` : ''}`];
}

/** Some of the rows or of the columns: a rectangle. */
function sliced(pattern, draws) {
  const { rows, cols } = pattern;
  const share = draws.logarithmic(0.02, 0.8);
  if (draws.chance(0.5)) return [leadingPart(pattern, count(rows * share), cols), 'first rows'];
  return [leadingPart(pattern, rows, count(cols * share)), 'first columns'];
}

function mirrored(pattern) {
  return pattern.symmetric ? undefined : [transposed(pattern), 'transposed'];
}
