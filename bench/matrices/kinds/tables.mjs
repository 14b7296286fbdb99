/** Rectangles: documents and their words, ratings, categories, constraints, rays, interpolation. */
import { byRows } from '../patterns.mjs';
import { count, lengthsOf, zipf } from './draws.mjs';

/** Rows of a drawn length, whose columns come from a popularity. */
export function documents(entries, draws) {
  const mean = draws.logarithmic(5, 200);
  const rows = count(entries / mean, 8);
  const cols = count(Math.min(3e6, rows * draws.logarithmic(0.05, 8)), 64);
  const word = zipf(draws, cols, draws.real(0.6, 1.1));
  const byRank = draws.chance(0.3);
  const label = byRank ? undefined : draws.permutation(cols);
  const length = lengthsOf('lognormal', draws, mean);
  const pattern = byRows(rows, cols, (_, row) => {
    for (let k = Math.min(cols, count(length())); k > 0; k--) {
      const drawn = word();
      row.push(label === undefined ? drawn : label[drawn]);
    }
  });
  return [pattern, `words${byRank ? ' by rank' : ''}`];
}

/** Users with few and with very many ratings, of items known to few and to most. */
export function ratings(entries, draws) {
  const mean = draws.logarithmic(8, 120);
  const rows = count(entries / mean, 8);
  const cols = count(rows * draws.logarithmic(0.02, 2), 64);
  const item = zipf(draws, cols, draws.real(0.2, 0.9));
  const length = lengthsOf('powerlaw', draws, mean);
  const label = draws.permutation(cols);
  const pattern = byRows(rows, cols, (_, row) => {
    for (let k = Math.min(cols / 2, count(length())); k > 0; k--) row.push(label[item()]);
  });
  return [pattern, 'items'];
}

/** Each of a few fields has one of its categories: as many entries in every row. */
export function categories(entries, draws) {
  const fields = draws.integer(1, 24);
  const rows = count(entries / fields, 8);
  const sizes = Array.from({ length: fields }, () => count(draws.logarithmic(2, Math.max(4, rows / 4))));
  const starts = sizes.map((_, f) => sizes.slice(0, f).reduce((sum, size) => sum + size, 0));
  const cols = starts.at(-1) + sizes.at(-1);
  const pickOf = sizes.map((size) => zipf(draws, size, draws.real(0.1, 1)));
  const pattern = byRows(rows, cols, (_, row) => {
    for (let f = 0; f < fields; f++) row.push(starts[f] + pickOf[f]());
  });
  return [pattern, `${fields} fields`];
}

const MOST_COLUMNS = 5e6;

/** Many columns and few rows, or the other way round; long rows of scattered, regular or adjacent columns. */
export function rectangle(entries, draws) {
  const rows = count(draws.logarithmic(2, 3000));
  const mean = Math.max(2, entries / rows);
  const cols = count(Math.min(MOST_COLUMNS, mean * draws.logarithmic(1.05, 400)));
  const length = lengthsOf(draws.pick(['constant', 'uniform', 'lognormal']), draws, mean);
  const how = draws.pick(['scattered', 'regular', 'adjacent']);
  const pattern = byRows(rows, cols, (_, row) => {
    const wanted = Math.min(cols, count(length()));
    const step = cols / wanted;
    const first = draws.below(cols - wanted + 1);
    for (let k = 0; k < wanted; k++) {
      row.push(how === 'adjacent' ? first + k : Math.floor((k + (how === 'regular' ? 0 : draws.unit())) * step));
    }
  });
  return [pattern, how];
}

/** A linear program: stages that couple with the next one, rows that sum over all, and slack variables. */
export function constraints(entries, draws) {
  const stages = count(draws.logarithmic(3, 400));
  const perRow = draws.logarithmic(2, 12);
  const rowsOf = count(entries / (2 * perRow + 1) / stages, 4);
  const colsOf = count(rowsOf * draws.real(0.7, 3), 4);
  const coupling = draws.integer(0, 8);
  const slack = draws.chance(0.7);
  const inStages = stages * colsOf;
  const rows = stages * rowsOf + coupling;
  const cols = inStages + (slack ? rows : 0);
  const length = lengthsOf(draws.pick(['geometric', 'uniform', 'powerlaw']), draws, perRow);
  const share = draws.real(0.02, 0.5);
  const pattern = byRows(rows, cols, (i, row) => {
    if (slack) row.push(inStages + i);
    const stage = Math.floor(i / rowsOf);
    if (stage >= stages) {
      for (let j = 0; j < inStages; j++) if (draws.chance(share / stages)) row.push(j);
      return;
    }
    for (let k = Math.min(colsOf, count(length())); k > 0; k--) row.push(stage * colsOf + draws.below(colsOf));
    if (stage + 1 < stages && draws.chance(0.6)) row.push((stage + 1) * colsOf + (i % colsOf));
  });
  return [pattern, `${stages} stages, ${coupling} rows over all${slack ? ', slack' : ''}`];
}

/** Pixels on rays through a picture: rows of hundreds, their columns at almost equal distances. */
export function rays(entries, draws) {
  const edge = count(draws.logarithmic(40, 700));
  const perRay = edge * 0.9;
  const number = count(entries / perRay, 4);
  const angles = Math.max(2, Math.round(number / edge));
  const pattern = byRows(number, edge * edge, (i, row) => {
    const angle = (Math.PI * (i % angles)) / angles;
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const shift = (draws.unit() - 0.5) * edge * 0.8;
    for (let t = -edge / 2; t < edge / 2; t++) {
      const x = Math.floor(edge / 2 + t * dx - shift * dy);
      const y = Math.floor(edge / 2 + t * dy + shift * dx);
      if (x >= 0 && y >= 0 && x < edge && y < edge) row.push(x + edge * y);
    }
  });
  return [pattern, `picture of ${edge}²`];
}

/** From a coarse grid to a fine one, in one, two or three dimensions; or the ends of edges. */
export function interpolation(entries, draws) {
  const how = draws.pick([1, 2, 3, 'edges']);
  if (how === 'edges') {
    const rows = count(entries / 2, 8);
    const cols = count(rows / draws.logarithmic(1.2, 12), 4);
    const near = draws.chance(0.5) ? count(draws.logarithmic(4, 4000)) : cols;
    const pattern = byRows(rows, cols, (i, row) => {
      const first = Math.floor((i * cols) / rows);
      row.push(first);
      row.push((first + 1 + draws.below(near)) % cols);
    });
    return [pattern, 'ends of edges'];
  }
  const coarse = Math.max(2, Math.round((entries / [4, 9, 27][how - 1]) ** (1 / how)));
  const fine = 2 * coarse - 1;
  const at = (index, size, d) => (d < how ? Math.floor(index / size ** d) % size : 0);
  const pattern = byRows(fine ** how, coarse ** how, (i, row) => {
    for (let corner = 0; corner < 2 ** how; corner++) {
      let column = 0;
      let isNew = true;
      for (let d = 0; d < how; d++) {
        const place = at(i, fine, d);
        const up = (corner >> d) & 1;
        if (up === 1 && place % 2 === 0) isNew = false;
        column += (Math.floor(place / 2) + up) * coarse ** d;
      }
      if (isNew) row.push(column);
    }
  });
  return [pattern, `${how}D`];
}
