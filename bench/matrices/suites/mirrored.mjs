/**
 * A symmetric pattern with given row lengths, for stand-ins. Every row needs as many links as it has entries off the
 * diagonal.
 *
 * 1. *Hubs* are rows that need more links than random draws would give without repetition. They take partners all over
 *    the matrix: a row with probability proportional to the links that it needs, and other hubs as often as chance
 *    would.
 * 2. Of the other links, a share `far` joins rows anywhere: rows are cut into short segments, which are shuffled and
 *    paired, so neighbouring rows have neighbouring partners.
 * 3. The rest joins rows at most about `width` apart. A sweep over the rows links each with earlier rows that still
 *    need links: the one that has waited longest, those right before the row, and others between, in runs, at distances
 *    that stay the same for some rows.
 *
 * Links that the sweep leaves become far links. Duplicate links are lost. If many are lost, rows that lack links split
 * those of others (a–b becomes a–c and b–d).
 */
import { lowerBound } from '../../../dist/core/search.js';
import { below, permutation, roundRandomly, unit } from '../../../dist/gallery/draw.js';
import { Links, OpenRows } from './links.mjs';

const GOLDEN = 0.618_033_988_749_894_8;
/** Cells of the table from which hubs draw their partners. */
const CELLS = 2 ** 22;
/** Share of the entries that may be lost. */
const LOST = 2e-4;
/** With a smaller mean length of runs, entries mostly stand alone. */
const SINGLE = 1.3;

/**
 * @param lengths entries of each row
 * @param shape `diagonal`: whether rows with entries have the diagonal; `width` in rows; `far`, `similarity`: 0 … 1;
 *   `run`: mean length of a run of adjacent columns
 */
export function mirroredPattern(lengths, { diagonal, width, far, run, similarity }, random) {
  const rows = lengths.length;
  const rest = Int32Array.from(lengths, (length) => (diagonal && length > 0 ? length - 1 : length));
  const links = new Links(rest.reduce((sum, wanted) => sum + wanted, 0));
  const segment = Math.round(Math.min(64, 1 / (1.02 - similarity)));
  joinHubs(rest, links, segment, random);
  const farRest = new Int32Array(rows);
  const most = Math.max(1, Math.floor((3 * width) / 4));
  for (let i = 0; i < rows; i++) {
    farRest[i] = Math.max(rest[i] - most, roundRandomly(random, rest[i] * far));
    rest[i] -= farRest[i];
  }
  sweep(rest, links, { width, run, similarity, diagonal }, random);
  for (let i = 0; i < rows; i++) farRest[i] += rest[i];
  for (let turn = 0; turn < 4; turn++) joinFar(farRest, links, turn === 0 ? segment : 1, random);
  const onDiagonal = (i) => diagonal && lengths[i] > 0;
  let pattern = links.pattern(rows, onDiagonal);
  for (let turn = 0; turn < 4; turn++) {
    const lacking = lackingRows(lengths, pattern);
    if (lacking.length <= LOST * pattern.colIdx.length) break;
    splitLinks(lacking, pattern, links, random);
    pattern = links.pattern(rows, onDiagonal);
  }
  return pattern;
}

function joinHubs(rest, links, segment, random) {
  const rows = rest.length;
  const total = rest.reduce((sum, wanted) => sum + wanted, 0);
  const limit = Math.max(16, (4 * total) / rows, Math.min(rows / 4, Math.sqrt(total) / 4));
  const hubs = [];
  for (let i = 0; i < rows; i++) if (rest[i] > limit) hubs.push(i);
  if (hubs.length === 0) return;
  hubs.sort((a, b) => rest[b] - rest[a]);
  const wanted = hubs.map((hub) => rest[hub]);
  for (let a = 0; a < hubs.length; a++) {
    for (let b = a + 1; b < hubs.length; b++) {
      const isLinked = unit(random) * total < wanted[a] * wanted[b];
      if (isLinked && rest[hubs[a]] > 0 && rest[hubs[b]] > 0) link(rest, links, hubs[a], hubs[b]);
    }
  }
  const open = new OpenRows(rows);
  for (const hub of hubs) open.close(hub);
  for (let i = 0; i < rows; i++) if (rest[i] <= 0) open.close(i);
  const isHub = new Set(hubs);
  const cells = rowsByWeight(rest, (i) => !isHub.has(i));
  const seenBy = new Uint32Array(rows);
  for (const [k, hub] of hubs.entries()) joinHub(hub, k + 1, { rest, links, open, cells, seenBy, segment }, random);
}

/** Each row as often as it needs links, in order, thinned out to the number of cells. */
function rowsByWeight(rest, counts) {
  let total = 0;
  for (let i = 0; i < rest.length; i++) if (counts(i)) total += rest[i];
  const cells = new Uint32Array(Math.min(total, CELLS));
  let cell = 0;
  let sum = 0;
  for (let i = 0; i < rest.length; i++) {
    if (!counts(i)) continue;
    sum += rest[i];
    while (cell < cells.length && (cell + 0.5) * total < sum * cells.length) cells[cell++] = i;
  }
  return cells;
}

/** Draws a segment of rows from each of as many strata as the hub needs, or the next open ones; then any open rows. */
function joinHub(hub, mark, { rest, links, open, cells, seenBy, segment }, random) {
  const rows = rest.length;
  const stride = cells.length / rest[hub];
  let least = 0;
  const wanted = rest[hub];
  for (let k = 0; k < wanted; k++) {
    const cell = Math.min(cells.length - 1, Math.floor((k + segment * unit(random)) * stride));
    const row = open.next(k % segment === 0 ? Math.max(least, cells[cell] ?? 0) : least);
    if (row === rows) break;
    seenBy[row] = mark;
    if (link(rest, links, hub, row)) open.close(row);
    least = row + 1;
  }
  for (let row = open.next(0); row < rows && rest[hub] > 0; row = open.next(row + 1)) {
    if (seenBy[row] === mark) continue;
    if (link(rest, links, hub, row)) open.close(row);
  }
  // A hub that needs more links than there are rows stops here.
  rest[hub] = 0;
}

/** Whether b needs no more links. */
function link(rest, links, a, b) {
  links.add(a, b);
  rest[a]--;
  return --rest[b] <= 0;
}

/** See the header; `rest` gets the links that could not be made. */
function sweep(rest, links, { width, run, similarity, diagonal }, random) {
  const rows = rest.length;
  const mean = rest.reduce((sum, wanted) => sum + wanted, 0) / Math.max(rows, 1);
  const slots = slotsOf(Math.ceil(Math.max(2, mean / 2 / run)), { width, run, diagonal }, random);
  const open = new OpenRows(rows);
  const seenBy = new Uint32Array(rows);
  // Little's law: the number of waiting rows is the rate of arrivals times the waiting time.
  const waitingThen = Math.min(slots.meanDistance, rows / 4) * (mean / 2);
  const horizon = 1 + width / 4;
  let waiting = 0;
  for (let i = 0; i < rows; i++) {
    const target = waitingThen * Math.min(1, (rows - 1 - i) / width);
    const share = rest[i] / 2 + (waiting - target) / (2 * horizon);
    const wanted = Math.min(rest[i], Math.max(0, roundRandomly(random, share)));
    const runLength = Math.max(1, roundRandomly(random, run));
    let taken = 0;
    slots.advance(similarity);
    for (let s = 0; taken < wanted && s <= slots.count; s++) {
      let row = open.next(s === slots.count ? 0 : slots.start(s, i));
      const until = s === slots.count ? wanted : Math.min(wanted, taken + runLength);
      for (; row < i && taken < until; row = open.next(row + 1)) {
        if (seenBy[row] === i) continue;
        seenBy[row] = i;
        if (link(rest, links, i, row)) open.close(row);
        taken++;
      }
    }
    waiting += rest[i] - taken;
    if (rest[i] <= 0) open.close(i);
  }
}

/** Distances back to where the runs of a row begin: the oldest waiting row, those right before, and others evenly between. */
function slotsOf(count, { width, run, diagonal }, random) {
  // Adjacent to the diagonal only if runs are longer than one.
  const near = diagonal && run < SINGLE ? 3 : Math.max(1, Math.round((run + 1) / 2));
  const draw = (s) => Math.max(1, Math.round(width * ((s * GOLDEN + 0.5 * unit(random)) % 1)));
  const back = Array.from({ length: count }, (_, s) => (s === 1 ? near : draw(s)));
  let first = 0;
  return {
    count,
    meanDistance: (width + near + (count - 2) * 0.5 * width) / count,
    advance(similarity) {
      if (unit(random) >= similarity) first = below(random, count);
      for (let s = 2; s < count; s++) if (unit(random) >= similarity) back[s] = draw(s);
    },
    start(s, row) {
      const slot = (first + s) % count;
      return slot === 0 ? 0 : Math.max(0, row - back[slot]);
    },
  };
}

/** Rows in rounds, each row once in as many rounds as it needs links, in segments that are paired at random. */
function joinFar(rest, links, segment, random) {
  const order = byRounds(rest);
  const count = Math.floor(order.length / segment);
  const shuffled = permutation(random, count);
  for (let k = 0; k + 1 < count; k += 2) {
    const a = shuffled[k] * segment;
    const b = shuffled[k + 1] * segment;
    for (let place = 0; place < segment; place++) {
      const [one, other] = [order[a + place], order[b + place]];
      if (one !== other) link(rest, links, one, other);
    }
  }
}

function byRounds(rest) {
  const order = new Uint32Array(rest.reduce((sum, wanted) => sum + wanted, 0));
  let rows = Uint32Array.from(rest.keys()).filter((i) => rest[i] > 0);
  let write = 0;
  for (let round = 1; rows.length > 0; round++) {
    order.set(rows, write);
    write += rows.length;
    rows = rows.filter((i) => rest[i] > round);
  }
  return order;
}

/** Each row as often as it lacks an entry. */
function lackingRows(lengths, { rowPtr }) {
  const lacking = [];
  for (let i = 0; i < lengths.length; i++) {
    for (let length = rowPtr[i + 1] - rowPtr[i]; length < lengths[i]; length++) lacking.push(i);
  }
  return lacking;
}

function splitLinks(lacking, pattern, links, random) {
  const order = permutation(random, lacking.length);
  const count = links.count;
  for (let k = 0; k + 1 < order.length; k += 2) {
    const [c, d] = [lacking[order[k]], lacking[order[k + 1]]];
    for (let attempt = 0; attempt < 50; attempt++) {
      const chosen = below(random, count);
      const [a, b] = links.ends(chosen);
      if (isEntry(pattern, c, a) || isEntry(pattern, d, b)) continue;
      links.split(chosen, c, d);
      break;
    }
  }
}

/** The diagonal is always included. */
function isEntry({ rowPtr, colIdx }, row, column) {
  const end = rowPtr[row + 1];
  const place = lowerBound(colIdx, column, rowPtr[row], end);
  return row === column || (place < end && colIdx[place] === column);
}
