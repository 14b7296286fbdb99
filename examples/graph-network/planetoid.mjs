/**
 * Citation graphs as Planetoid has them (Yang, Cohen and Salakhutdinov 2016): Cora, CiteSeer and PubMed, with the split that published accuracies
 * refer to. The files `ind.cora.*` are in the folder `data` of https://github.com/kimiyoung/planetoid; the data has no licence of its own. They are Python
 * pickles of lists, NumPy arrays and SciPy matrices; the reader knows the instructions that these files contain, and no others.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CsrBuilder } from 'sparlane';

/** Nodes after the labelled ones that are for validation. */
const VALIDATION = 500;

/**
 * @param folder that contains `ind.${name}.x`, `.y`, `.tx`, `.ty`, `.allx`, `.ally`, `.graph` and `.test.index`
 * @returns graph: the neighbours, symmetric, all 1; features: words of each paper; labels; nodes of the three sets
 */
export function readPlanetoid(folder, name) {
  const path = (part) => join(folder, `ind.${name}.${part}`);
  const read = (part) => unpickled(readFileSync(path(part)));
  const testNodes = readFileSync(path('test.index'), 'utf8').trim().split('\n').map(Number);
  const known = labelsOf(read('ally'));
  const nodes = Math.max(...testNodes) + 1;

  const labels = new Int32Array(nodes);
  labels.set(known);
  for (const [i, label] of labelsOf(read('ty')).entries()) labels[testNodes[i]] = label;

  const words = matrixOf(read('allx'));
  const features = new CsrBuilder(nodes, words.cols);
  addRows(features, words, (i) => i);
  addRows(features, matrixOf(read('tx')), (i) => testNodes[i]);

  const graph = new CsrBuilder(nodes, nodes, { field: 'pattern' });
  for (const [i, neighbours] of read('graph').items) {
    for (const j of neighbours) {
      graph.add(i, j);
      graph.add(j, i);
    }
  }
  const labelled = labelsOf(read('y')).length;
  const range = (begin, end) => Array.from({ length: end - begin }, (_, k) => begin + k);
  return {
    graph: graph.build(),
    features: features.build(),
    labels,
    train: range(0, labelled),
    validation: range(labelled, labelled + VALIDATION),
    test: testNodes,
  };
}

/** The classes of a NumPy array with a 1 in each row. */
function labelsOf(array) {
  const { shape, numbers } = arrayOf(array);
  const [rows, classes] = shape;
  return Array.from({ length: rows }, (_, i) => numbers.subarray(i * classes, (i + 1) * classes).indexOf(1));
}

function matrixOf({ state }) {
  const [rows, cols] = state.get('_shape');
  const [rowPtr, colIdx, values] = ['indptr', 'indices', 'data'].map((key) => arrayOf(state.get(key)).numbers);
  return { rows, cols, rowPtr, colIdx, values };
}

function addRows(builder, { rows, rowPtr, colIdx, values }, nodeOf) {
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) builder.add(nodeOf(i), colIdx[k], values[k]);
}

const TYPES = { f4: Float32Array, f8: Float64Array, i4: Int32Array };

/** A NumPy array, whose state is: version, shape, type, whether columns come first, bytes. */
function arrayOf({ state: [, shape, type, , bytes] }) {
  const { buffer, byteOffset, byteLength } = Buffer.from(bytes, 'latin1');
  return { shape, numbers: new TYPES[type.args[0]](buffer.slice(byteOffset, byteOffset + byteLength)) };
}

/** An object of a class of Python: `args` of its making, `state` that was set afterwards, `items` of a dictionary. */
const made = (name, args) => ({ name, args, state: undefined, items: new Map() });

/** What a pickle describes: numbers, strings (a byte is a character), arrays, maps, and objects as `made` returns them. */
function unpickled(bytes) {
  const stack = [];
  const marks = [];
  const memo = [];
  let at = 0;
  const skip = (size) => {
    at += size;
    return at - size;
  };
  const byte = () => bytes[skip(1)];
  const int = (read, size) => bytes[read](skip(size));
  const text = (length) => bytes.toString('latin1', skip(length), at);
  const line = () => text(bytes.indexOf(10, at) + 1 - at).trimEnd();
  const pop = (count) => stack.splice(stack.length - count);
  const sinceMark = () => stack.splice(marks.pop());
  const target = () => stack.at(-1);
  const instructions = {
    '\x80': () => byte(), // the version
    '(': () => marks.push(stack.length),
    '}': () => stack.push(new Map()),
    ']': () => stack.push([]),
    ')': () => stack.push([]),
    t: () => stack.push(sinceMark()),
    '\x85': () => stack.push(pop(1)),
    '\x86': () => stack.push(pop(2)),
    '\x87': () => stack.push(pop(3)),
    N: () => stack.push(null),
    '\x88': () => stack.push(true),
    '\x89': () => stack.push(false),
    K: () => stack.push(byte()),
    M: () => stack.push(int('readUInt16LE', 2)),
    J: () => stack.push(int('readInt32LE', 4)),
    U: () => stack.push(text(byte())),
    T: () => stack.push(text(int('readInt32LE', 4))),
    q: () => remember(byte()),
    r: () => remember(int('readUInt32LE', 4)),
    h: () => stack.push(memo[byte()]),
    j: () => stack.push(memo[int('readUInt32LE', 4)]),
    c: () => stack.push(`${line()}.${line()}`),
    R: () => stack.push(made(...pop(2))),
    '\x81': () => stack.push(made(...pop(2))),
    b: () => {
      const state = stack.pop();
      target().state = state;
    },
    a: () => {
      const item = stack.pop();
      target().push(item);
    },
    e: () => {
      const items = sinceMark();
      target().push(...items);
    },
    s: () => setItems(pop(2)),
    u: () => setItems(sinceMark()),
  };
  function remember(place) {
    memo[place] = target();
  }
  function setItems(items) {
    const map = target().items ?? target();
    for (let k = 0; k < items.length; k += 2) map.set(items[k], items[k + 1]);
  }
  for (;;) {
    const name = String.fromCharCode(byte());
    if (name === '.') return stack.pop();
    if (!(name in instructions)) throw new Error(`a pickle: expected a known instruction, got ${JSON.stringify(name)}`);
    instructions[name]();
  }
}
