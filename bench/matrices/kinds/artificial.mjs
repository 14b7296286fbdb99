/** Structures without a meaning: row lengths of a distribution × places of the columns; diagonals; blocks; arrows; profiles. */
import { byRows } from '../patterns.mjs';
import { count, DISTRIBUTIONS, lengthsOf, zipf } from './draws.mjs';

/** Where the columns of a row are. Each returns a function (i, wanted, row). */
const PLACES = {
  anywhere: (draws, _rows, cols) => (_, wanted, row) => {
    const step = cols / wanted;
    for (let k = 0; k < wanted; k++) row.push(Math.floor((k + draws.unit()) * step));
  },
  band: (draws, rows, cols) => {
    const half = draws.logarithmic(4, cols / 2 + 4);
    return (i, wanted, row) => {
      const begin = Math.max(0, Math.min(cols - 1, (i * cols) / rows - half));
      const width = Math.min(cols - begin, 2 * half + 1);
      const number = Math.min(wanted, Math.floor(width));
      for (let k = 0; k < number; k++) row.push(Math.floor(begin + ((k + draws.unit()) * width) / number));
    };
  },
  near: (draws, rows, cols) => {
    const scale = draws.logarithmic(3, cols / 8 + 4);
    return (i, wanted, row) => {
      for (let k = 0; k < wanted; k++) {
        const away = scale * Math.log(draws.unit()) * (draws.chance(0.5) ? 1 : -1);
        row.push(Math.max(0, Math.min(cols - 1, Math.round((i * cols) / rows + away))));
      }
    };
  },
  popular: (draws, _rows, cols) => {
    const drawn = zipf(draws, cols, draws.real(0.4, 1.2));
    return (_, wanted, row) => {
      for (let k = 0; k < wanted; k++) row.push(drawn());
    };
  },
  runs: (draws, _rows, cols) => {
    const mean = draws.logarithmic(2, 20);
    return (_, wanted, row) => {
      for (let left = wanted; left > 0; ) {
        const run = Math.min(left, cols, count(2 * mean * draws.unit()));
        const first = draws.below(cols - run + 1);
        for (let k = 0; k < run; k++) row.push(first + k);
        left -= run;
      }
    };
  },
};

export function lengths(entries, draws) {
  const distribution = draws.pick(DISTRIBUTIONS);
  const place = draws.pick(Object.keys(PLACES));
  const mean = draws.logarithmic(1.2, 120);
  const rows = count(entries / mean, 8);
  const cols = draws.chance(0.75) ? rows : count(rows * draws.logarithmic(0.05, 20), 8);
  const length = lengthsOf(distribution, draws, mean);
  const put = PLACES[place](draws, rows, cols);
  const sorted = draws.chance(0.1);
  const round = () => Math.min(cols, Math.floor(length() + draws.unit()));
  const wanted = sorted ? Uint32Array.from({ length: rows }, round).sort() : undefined;
  const pattern = byRows(rows, cols, (i, row) => {
    const number = wanted === undefined ? round() : wanted[i];
    if (number > 0) put(i, number, row);
  });
  return [pattern, `${distribution} lengths, columns ${place}${sorted ? ', by length' : ''}`];
}

/** Some diagonals, in part. */
export function diagonals(entries, draws) {
  const number = draws.integer(1, 40);
  const filled = draws.chance(0.5) ? 1 : draws.real(0.3, 1);
  const rows = count(entries / (number * filled * 0.85), 64);
  const near = draws.chance(0.5) ? Math.min(rows, 200) : rows;
  const offsets = new Set(Array.from({ length: number }, () => Math.round((draws.unit() - 0.5) * near)));
  const pattern = byRows(rows, rows, (i, row) => {
    for (const offset of offsets) {
      const j = i + offset;
      if (j >= 0 && j < rows && (filled === 1 || draws.chance(filled))) row.push(j);
    }
  });
  return [pattern, `${offsets.size} diagonals, ${Math.round(100 * filled)} % filled`];
}

/** Dense blocks along the diagonal, of one size or of many. */
export function blockDiagonal(entries, draws) {
  const { begins, rows } = blocksFor(entries, draws);
  return [{ ...inBlocks(begins, rows), symmetric: true }, `${begins.length - 1} blocks`];
}

function blocksFor(entries, draws) {
  const mean = draws.logarithmic(2, 120);
  const length = lengthsOf(draws.pick(['constant', 'uniform', 'geometric']), draws, mean);
  const begins = [0];
  for (let made = 0; made < entries; ) {
    const size = count(length());
    made += size * size;
    begins.push(begins.at(-1) + size);
  }
  return { begins, rows: begins.at(-1) };
}

function inBlocks(begins, rows, more = () => {}) {
  let block = 0;
  const inside = begins.at(-1);
  return byRows(rows, rows, (i, row) => {
    if (i < inside) {
      while (begins[block + 1] <= i) block++;
      for (let j = begins[block]; j < begins[block + 1]; j++) row.push(j);
    }
    more(i, row);
  });
}

/** Blocks along the diagonal, and a border of full or nearly full rows and columns. */
export function arrow(entries, draws) {
  const { begins, rows: inside } = blocksFor(entries * draws.real(0.2, 0.8), draws);
  const border = Math.max(1, Math.min(count(draws.logarithmic(1, 60)), Math.floor((0.6 * entries) / inside)));
  const rows = inside + border;
  const filled = draws.chance(0.5) ? 1 : draws.real(0.1, 1);
  const pattern = inBlocks(begins, rows, (i, row) => {
    if (i < inside) {
      for (let j = inside; j < rows; j++) if (filled === 1 || draws.chance(filled)) row.push(j);
    } else for (let j = 0; j < rows; j++) if (filled === 1 || draws.chance(filled)) row.push(j);
  });
  return [pattern, `${begins.length - 1} blocks, border of ${border}`];
}

/** A factor of a matrix: each row from its first column to the diagonal, and groups of rows that begin together. */
export function profile(entries, draws) {
  const mean = draws.logarithmic(4, 300);
  const rows = count(entries / mean, 16);
  const group = draws.chance(0.5) ? 1 : draws.integer(2, 16);
  const length = lengthsOf(draws.pick(['uniform', 'lognormal', 'geometric']), draws, mean);
  let first = 0;
  const pattern = byRows(rows, rows, (i, row) => {
    if (i % group === 0) first = Math.max(0, i - Math.round(length()));
    for (let j = first; j <= i; j++) row.push(j);
  });
  return [pattern, `profile${group > 1 ? `, ${group} rows together` : ''}`];
}

/** One entry in a row, or none. */
export function selection(entries, draws) {
  const rows = count(entries, 16);
  const cols = count(rows * draws.logarithmic(0.1, 10), 16);
  const how = draws.pick(['ascending', 'permuted', 'drawn']);
  const order = how === 'permuted' ? draws.permutation(cols) : undefined;
  const pattern = byRows(rows, cols, (i, row) => {
    const near = Math.floor((i * cols) / rows);
    row.push(how === 'drawn' ? draws.below(cols) : how === 'permuted' ? order[near] : near);
  });
  return [pattern, `one entry a row, ${how}`];
}
