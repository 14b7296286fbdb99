/**
 * A bridge of steel bars on two supports: its joints and bars, its stiffness K and its mass M. Bars are hinged, so each has a force along its axis only; their
 * masses are those of linear elements. Units: m, N, kg.
 *
 * Plain JavaScript, for the page and for Node.
 */

const BAYS = 100;
const LEVELS = 5;
/** The depth at the ends, and what the middle has more. */
const [DEPTH, BOW] = [3, 5];
const MODULUS = 210e9;
const DENSITY = 7850;
const AREA = 5e-3;

/**
 * @typedef {object} Bridge
 * @property {[number, number][]} joints places
 * @property {[number, number][]} bars the joints of each
 * @property {Int32Array} unknownOf of x and y of each joint; −1 where a support holds it
 * @property {number} unknowns
 * @property {number} loaded the joint in the middle of the roadway
 */

/** The number of a joint: columns from left to right, each from the roadway up. @param {number} bay @param {number} level */
const joint = (bay, level) => bay * (LEVELS + 1) + level;

/** Lines of joints from left to right, and columns of joints: the bars without diagonals. */
export const lines = [
  ...Array.from({ length: LEVELS + 1 }, (_, level) => Array.from({ length: BAYS + 1 }, (_, bay) => joint(bay, level))),
  ...Array.from({ length: BAYS + 1 }, (_, bay) => Array.from({ length: LEVELS + 1 }, (_, level) => joint(bay, level))),
];

/** @returns {Bridge} */
export function bridgeOf() {
  /** @type {[number, number][]} */
  const joints = [];
  /** @type {[number, number][]} */
  const bars = [];
  for (let bay = 0; bay <= BAYS; bay++)
    for (let level = 0; level <= LEVELS; level++) {
      const depth = DEPTH + (4 * BOW * bay * (BAYS - bay)) / BAYS ** 2;
      joints.push([bay, (depth * level) / LEVELS]);
      if (bay < BAYS) bars.push([joint(bay, level), joint(bay + 1, level)]);
      if (level < LEVELS) bars.push([joint(bay, level), joint(bay, level + 1)]);
      if (bay < BAYS && level < LEVELS) {
        bars.push([joint(bay, level), joint(bay + 1, level + 1)]);
        bars.push([joint(bay, level + 1), joint(bay + 1, level)]);
      }
    }
  // The left support holds a joint, the right one carries it, but lets it slide.
  const held = [2 * joint(0, 0), 2 * joint(0, 0) + 1, 2 * joint(BAYS, 0) + 1];
  const unknownOf = new Int32Array(2 * joints.length);
  let unknowns = 0;
  for (let k = 0; k < unknownOf.length; k++) unknownOf[k] = held.includes(k) ? -1 : unknowns++;
  return { joints, bars, unknownOf, unknowns, loaded: joint(BAYS / 2, 0) };
}

/**
 * K and M, in coordinates: entries at the same place add up.
 *
 * @param {Bridge} bridge
 * @param {number} load a mass at the middle of the roadway, in kg
 */
export function matricesOf({ joints, bars, unknownOf, unknowns, loaded }, load) {
  const K = coordinates(unknowns);
  const M = coordinates(unknowns);
  /** @param {ReturnType<typeof coordinates>} matrix @param {number} i @param {number} j @param {number} value */
  const add = (matrix, i, j, value) => {
    const [row, column] = [unknownOf[i], unknownOf[j]];
    if (row === undefined || column === undefined || row < 0 || column < 0) return;
    matrix.rowIdx.push(row);
    matrix.colIdx.push(column);
    matrix.values.push(value);
  };
  for (const [from, to] of bars) {
    const [[x0, y0], [x1, y1]] = /** @type {[[number, number], [number, number]]} */ ([joints[from], joints[to]]);
    const length = Math.hypot(x1 - x0, y1 - y0);
    const direction = [(x1 - x0) / length, (y1 - y0) / length];
    const spring = (MODULUS * AREA) / length;
    const mass = DENSITY * AREA * length;
    for (const i of [from, to])
      for (const j of [from, to]) {
        direction.forEach((a, p) => {
          direction.forEach((b, q) => {
            add(K, 2 * i + p, 2 * j + q, (i === j ? spring : -spring) * a * b);
          });
          add(M, 2 * i + p, 2 * j + p, i === j ? mass / 3 : mass / 6);
        });
      }
  }
  for (const axis of [0, 1]) add(M, 2 * loaded + axis, 2 * loaded + axis, load);
  return { K, M };
}

/** @param {number} size */
function coordinates(size) {
  return {
    rows: size,
    cols: size,
    rowIdx: /** @type {number[]} */ ([]),
    colIdx: /** @type {number[]} */ ([]),
    values: /** @type {number[]} */ ([]),
  };
}

/**
 * The joints of the bridge that swings in a mode, where the joint that moves most is at a distance from its place.
 *
 * @param {Bridge} bridge
 * @param {Float64Array} mode
 * @param {number} distance
 * @returns {[number, number][]}
 */
export function swung({ joints, unknownOf }, mode, distance) {
  /** @param {number} k */
  const at = (k) => mode[/** @type {number} */ (unknownOf[k])] ?? 0;
  let most = 0;
  joints.forEach((_, i) => {
    most = Math.max(most, Math.hypot(at(2 * i), at(2 * i + 1)));
  });
  const scale = distance / most;
  return joints.map(([x, y], i) => [x + scale * at(2 * i), y + scale * at(2 * i + 1)]);
}

/** The frequency in Hz that belongs to an eigenvalue ω². @param {number} value */
export const frequencyOf = (value) => Math.sqrt(value) / (2 * Math.PI);
