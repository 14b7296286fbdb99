/**
 * Orders the functions of a WebAssembly module so that those that are alike follow each other: gzip finds repetitions in the last 32 KiB only. Of the
 * kernels, most of which are instances of a few generic functions, 13 of 132 kB go.
 */
import { gzipSync } from 'node:zlib';
import binaryen from 'assemblyscript/binaryen';

const WINDOW_BYTES = 32_768;

/** A function is compared by the least hashes of its strings of `STRING` bytes, in so many classes (MinHash: Broder 1997). */
const CLASSES = 256;
const STRING = 5;
const NONE = 0xffffffff;

/** So many orders are compared. Each takes 0.3 s for 1,100 functions. Chosen. */
const ORDERS = 8;

const CODE_SECTION = 10;

/** @param bytes of a module @returns those of the same module in another order */
export function orderFunctions(bytes) {
  const bodies = bodiesOf(bytes);
  const module = binaryen.readBinary(bytes);
  try {
    module.setFeatures(binaryen.Features.All);
    const functions = Array.from({ length: module.getNumFunctions() }, (_, i) =>
      binaryen.getFunctionInfo(module.getFunctionByIndex(i)),
    ).filter(({ base }) => base === '');
    if (functions.length !== bodies.length)
      throw new Error(`functions: expected ${bodies.length}, as in the code section, got ${functions.length}`);
    for (const place of orderOf(bodies)) {
      const { name, params, results, vars, body } = functions[place];
      module.removeFunction(name);
      module.addFunction(name, params, results, vars, body);
    }
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

/** The bytes of each function, from the code section. */
export function bodiesOf(bytes) {
  let at = 8;
  const number = () => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
      shift += 7;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const length = number();
    if (section !== CODE_SECTION) {
      at += length;
      continue;
    }
    return Array.from({ length: number() }, () => {
      const size = number();
      at += size;
      return bytes.subarray(at - size, at);
    });
  }
  return [];
}

/** Returns the order that gzip packs best, of several that begin with other functions: their sizes differ by 1 % (kernels, November 2026). */
function orderOf(bodies) {
  const alike = likenesses(bodies.map(sketchOf));
  const orders = Array.from({ length: ORDERS }, (_, k) =>
    orderFrom(Math.floor((k * bodies.length) / ORDERS), bodies, alike),
  );
  const sizes = orders.map((order) => gzipSync(Buffer.concat(order.map((place) => bodies[place]))).length);
  return orders[sizes.indexOf(Math.min(...sizes))];
}

/** Each function is followed by the one that is most like one of those in the window before it, the nearer ones first. */
function orderFrom(first, bodies, alike) {
  const left = new Set(bodies.keys());
  left.delete(first);
  const order = [first];
  while (left.size > 0) {
    const window = windowOf(order, bodies);
    let [next, most] = [-1, -1];
    for (const candidate of left) {
      const value = window.reduce((sum, [place, weight]) => Math.max(sum, weight * alike(place, candidate)), 0);
      if (value > most) [next, most] = [candidate, value];
    }
    left.delete(next);
    order.push(next);
  }
  return order;
}

/** The functions in the window, each with the share of the window that is behind it. */
function windowOf(order, bodies) {
  const window = [];
  for (let k = order.length - 1, bytes = 0; k >= 0 && bytes < WINDOW_BYTES; k--) {
    window.push([order[k], 1 - bytes / WINDOW_BYTES]);
    bytes += bodies[order[k]].length;
  }
  return window;
}

function sketchOf(body) {
  const least = new Uint32Array(CLASSES).fill(NONE);
  for (let i = 0; i + STRING <= body.length; i++) {
    const hash = hashOf(body, i);
    const place = hash % CLASSES;
    least[place] = Math.min(least[place], (hash / CLASSES) >>> 0);
  }
  return least;
}

/** FNV-1a, and the mixing of MurmurHash3. */
function hashOf(body, begin) {
  let hash = 2166136261;
  for (let i = begin; i < begin + STRING; i++) hash = Math.imul(hash ^ body[i], 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
}

/** The share of equal classes of two sketches, of those that one of them has. */
function likenesses(sketches) {
  const { length } = sketches;
  const known = new Float32Array(length ** 2);
  for (let a = 0; a < length; a++) {
    for (let b = 0; b < a; b++) {
      let [same, all] = [0, 0];
      for (let k = 0; k < CLASSES; k++) {
        if (sketches[a][k] === NONE && sketches[b][k] === NONE) continue;
        all++;
        if (sketches[a][k] === sketches[b][k]) same++;
      }
      known[a * length + b] = known[b * length + a] = all === 0 ? 0 : same / all;
    }
  }
  return (a, b) => known[a * length + b];
}
