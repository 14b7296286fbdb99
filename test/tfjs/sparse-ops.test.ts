/** `SparseTensorDenseMatMul` in graph models, beside dense products, on integers: every order of summation gives the same sums. */
import { type OpNode, registerSparseOps } from '@sparlane/tfjs';
import * as converter from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import { createEngine, type Engine } from 'sparlane';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type GraphNode,
  matMul,
  modelFiles,
  partsOf,
  placeholder,
  type SparseArrays,
  sparseTimesDense,
  sparseWeights,
  unary,
  type Weight,
} from './graph-model.js';

const OP = 'SparseTensorDenseMatMul';

/** 4 × 3, not in order, with a duplicate at (1, 2) and an empty row. */
const MATRIX: SparseArrays = {
  rows: 4,
  cols: 3,
  indices: Int32Array.of(3, 0, 0, 1, 1, 2, 0, 0, 1, 2),
  values: Float32Array.of(5, 2, 3, 1, 4),
};
const DENSE = [
  [1, 2, 0],
  [0, 0, 7],
  [0, 0, 0],
  [5, 0, 0],
];

let engine: Engine;
beforeAll(async () => {
  tf.env().set('IS_TEST', true); // without the advice to install tfjs-node
  await tf.setBackend('cpu');
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

/** Loads a model from its files, as from a server. */
function load(weights: readonly Weight[], nodes: readonly GraphNode[]): Promise<converter.GraphModel> {
  const files = modelFiles(weights, nodes);
  const fetchFunc = async (path: RequestInfo | URL) => new Response(files[`${path}`.split('/').at(-1)!] as BodyInit);
  return converter.loadGraphModel(tf.io.http('http://localhost/model.json', { fetchFunc }));
}

/** The model of one product with a constant matrix. */
const constantModel = (matrix: SparseArrays, adjointA = false, adjointB = false) =>
  load(sparseWeights('A', matrix), [
    placeholder('b', [-1, -1]),
    sparseTimesDense('product', [...partsOf('A'), 'b'], adjointA, adjointB),
  ]);

/** The model of one product whose matrix is an input, of any size. */
const inputModel = () =>
  load(
    [],
    [
      placeholder('indices', [-1, 2], { type: 'DT_INT64' }),
      placeholder('values', [-1]),
      placeholder('dense_shape', [2], { type: 'DT_INT64' }),
      placeholder('b', [-1, -1]),
      sparseTimesDense('product', ['indices', 'values', 'dense_shape', 'b']),
    ],
  );

const tensorsOf = ({ rows, cols, indices, values }: SparseArrays) => ({
  indices: tf.tensor2d(indices, [values.length, 2], 'int32'),
  values: tf.tensor1d(values),
  dense_shape: tf.tensor1d([rows, cols], 'int32'),
});

const integers = (rows: number, cols: number) =>
  tf.tensor2d(
    Float32Array.from({ length: rows * cols }, (_, k) => ((k * 7) % 13) - 6),
    [rows, cols],
  );
const numbers = (tensor: tf.Tensor) => [tensor.shape, ...tensor.dataSync()];
const predict = (model: converter.GraphModel, inputs: tf.Tensor | tf.NamedTensorMap) =>
  model.predict(inputs) as tf.Tensor;

it('is not there without a registration', async () => {
  const model = await constantModel(MATRIX);
  expect(() => model.predict(integers(3, 2))).toThrow(`Unknown op '${OP}'`);
});

describe('registerSparseOps', () => {
  let ops: Disposable;
  beforeEach(() => {
    ops = registerSparseOps(engine, converter);
  });
  afterEach(() => ops[Symbol.dispose]());

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('is the dense product: adjoint_a %s, adjoint_b %s', async (adjointA, adjointB) => {
    const model = await constantModel(MATRIX, adjointA, adjointB);
    const inner = adjointA ? 4 : 3;
    const b = adjointB ? integers(5, inner) : integers(inner, 5);
    const expected = tf.matMul(tf.tensor2d(DENSE), b, adjointA, adjointB);
    expect(numbers(predict(model, b))).toEqual(numbers(expected));
  });

  it('computes a graph network of two layers', async () => {
    const graph = { ...MATRIX, rows: 4, cols: 4 };
    const weight = (name: string, rows: number, cols: number) => ({
      name,
      shape: [rows, cols],
      numbers: integers(rows, cols).dataSync<'float32'>(),
    });
    const model = await load(
      [...sparseWeights('A', graph), weight('W1', 3, 5), weight('W2', 5, 2)],
      [
        placeholder('x', [4, 3]),
        matMul('xW', ['x', 'W1']),
        sparseTimesDense('layer1', [...partsOf('A'), 'xW']),
        unary('relu', 'Relu', 'layer1'),
        matMul('hW', ['relu', 'W2']),
        sparseTimesDense('layer2', [...partsOf('A'), 'hW']),
        unary('output', 'Identity', 'layer2'),
      ],
    );
    const A = tf.tensor2d(DENSE.map((row) => [...row, 0]));
    const hidden = tf.relu(tf.matMul(A, tf.matMul(integers(4, 3), integers(3, 5))));
    const expected = tf.matMul(A, tf.matMul(hidden, integers(5, 2)));
    const before = engine.heap.bytesInUse;
    expect(numbers(predict(model, integers(4, 3)))).toEqual(numbers(expected));
    const [tensors, bytes] = [tf.memory().numTensors, engine.heap.bytesInUse];
    expect(bytes).toBeGreaterThan(before);
    predict(model, integers(4, 3)).dispose();
    expect(tf.memory().numTensors - tensors).toBe(1); // the input
    expect(engine.heap.bytesInUse).toBe(bytes); // the matrix of both layers and predictions is laid out once
    model.dispose();
  });

  it('takes matrices and factors without entries', async () => {
    const empty = (rows: number, cols: number) => ({
      rows,
      cols,
      indices: new Int32Array(0),
      values: new Float32Array(0),
    });
    const model = await inputModel();
    for (const [rows, cols, columns] of [
      [2, 3, 0],
      [2, 3, 2],
      [0, 3, 2],
      [2, 0, 2],
    ] as const)
      expect(numbers(predict(model, { ...tensorsOf(empty(rows, cols)), b: tf.ones([cols, columns]) }))).toEqual(
        numbers(tf.zeros([rows, columns])),
      );
  });

  it('multiplies by the matrix that came, also where its numbers changed in place', async () => {
    const model = await inputModel();
    const values = MATRIX.values.slice();
    const indices = MATRIX.indices.slice();
    const inputs = { ...tensorsOf({ ...MATRIX, values, indices }), b: integers(3, 2) };
    const product = () => numbers(predict(model, inputs));
    const first = product();
    values[0] = -5; // tensors of the backend `cpu` share the arrays of their callers
    const second = product();
    expect(second).not.toEqual(first);
    indices[1] = 1;
    const dense = [...DENSE.slice(0, 3), [0, -5, 0]];
    expect(product()).toEqual(numbers(tf.matMul(tf.tensor2d(dense), inputs.b)));
    values[0] = Number.NaN;
    expect(product().some(Number.isNaN)).toBe(true);
    const bytes = engine.heap.bytesInUse;
    product();
    expect(engine.heap.bytesInUse).toBe(bytes);
  });

  it('keeps as many matrices as it may', async () => {
    using _ = registerSparseOps(engine, converter, { matrices: 2 });
    const model = await inputModel();
    const bytesAfter = (factor: number) => {
      const matrix = { ...MATRIX, values: MATRIX.values.map((value) => factor * value) };
      const y = predict(model, { ...tensorsOf(matrix), b: integers(3, 2) });
      const expected = tf.mul(tf.matMul(tf.tensor2d(DENSE), integers(3, 2)), factor);
      expect(numbers(y)).toEqual(numbers(expected));
      return engine.heap.bytesInUse;
    };
    const [first, second, third, ...again] = [1, 2, 3, 3, 2, 1, 2].map(bytesAfter);
    expect(second).toBeGreaterThan(first!);
    expect([third, ...again]).toEqual(Array(5).fill(second));
  });

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('has the gradients of the factor and of the values: adjoint_a %s, adjoint_b %s', async (adjointA, adjointB) => {
    const nodes = [
      placeholder('values', [-1]),
      placeholder('b', [-1, -1]),
      sparseTimesDense('product', ['A/indices', 'values', 'A/dense_shape', 'b'], adjointA, adjointB),
    ];
    const model = await load(sparseWeights('A', MATRIX), nodes);
    const [rows, inner] = adjointA ? [3, 4] : [4, 3];
    const b = adjointB ? integers(5, inner) : integers(inner, 5);
    const dy = tf.add(integers(rows, 5), 1);
    const f = (values: tf.Tensor, b: tf.Tensor) => predict(model, { values, b });
    const [dValues, dB] = tf.grads(f)([tf.tensor1d(MATRIX.values), b], dy) as [tf.Tensor, tf.Tensor];
    const dX = tf.matMul(tf.tensor2d(DENSE), dy, !adjointA);
    expect(numbers(dB)).toEqual(numbers(adjointB ? tf.transpose(dX) : dX));
    const dA = tf.matMul(dy, b, false, !adjointB).arraySync() as number[][];
    const expected = Array.from(MATRIX.values, (_, k) => {
      const [i, j] = MATRIX.indices.subarray(2 * k, 2 * k + 2) as unknown as [number, number];
      return adjointA ? dA[j]![i] : dA[i]![j];
    });
    expect([...dValues.dataSync()]).toEqual(expected);
  });

  it('has a gradient after its matrix was removed from the engine', async () => {
    using _ = registerSparseOps(engine, converter, { matrices: 1 });
    const model = await inputModel();
    const other = { ...MATRIX, values: MATRIX.values.map((value) => 2 * value) };
    const f = (b: tf.Tensor) => {
      const y = predict(model, { ...tensorsOf(MATRIX), b });
      predict(model, { ...tensorsOf(other), b });
      return y;
    };
    const dy = integers(4, 2);
    expect(numbers(tf.grad(f)(integers(3, 2), dy))).toEqual(numbers(tf.matMul(tf.tensor2d(DENSE), dy, true)));
  });

  it('leaves neither tensors nor blocks behind', async () => {
    const model = await constantModel(MATRIX, false, true);
    const [b, dy] = [integers(2, 3), integers(4, 2)];
    const step = () => {
      predict(model, b).dispose();
      tf.grad((b) => predict(model, b))(b, dy).dispose();
    };
    step();
    const before = [tf.memory().numTensors, tf.memory().numBytes, engine.heap.bytesInUse];
    step();
    expect([tf.memory().numTensors, tf.memory().numBytes, engine.heap.bytesInUse]).toEqual(before);
  });

  it('has no gradient after its disposal', async () => {
    const model = await constantModel(MATRIX);
    const f = (b: tf.Tensor) => {
      const y = predict(model, b);
      ops[Symbol.dispose]();
      return y;
    };
    const bytes = engine.heap.bytesInUse;
    expect(() => tf.grad(f)(integers(3, 2), integers(4, 2))).toThrow(`${OP}: expected a registered operation`);
    expect(engine.heap.bytesInUse).toBe(bytes);
  });

  it('refuses tensors that do not fit', async () => {
    const model = await inputModel();
    const good = { ...tensorsOf(MATRIX), b: integers(3, 2) };
    const message = (changed: tf.NamedTensorMap) => {
      try {
        model.predict({ ...good, ...changed });
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message({})).toBe('none');
    expect(message({ b: integers(4, 2) })).toBe('b: expected a tensor of shape [3, k], got [4, 2]');
    expect(message({ values: tf.ones([4]) })).toBe('indices: expected a tensor of shape [4, 2], got [5, 2]');
    expect(message({ dense_shape: tf.tensor1d([3, 3], 'int32') })).toContain('rowIdx');
  });

  it('refuses other types and ranks', () => {
    const registered: ((node: OpNode) => tf.Tensor)[] = [];
    using _ = registerSparseOps(engine, { registerOp: (_, op) => registered.push(op), deregisterOp: () => {} });
    const good = { ...tensorsOf(MATRIX), b: integers(3, 2) };
    const run = (changed: Partial<typeof good>) => {
      const { indices, values, dense_shape, b } = { ...good, ...changed };
      return registered[0]!({ inputs: [indices, values, dense_shape, b], attrs: {} });
    };
    expect(numbers(run({}))).toEqual(numbers(tf.matMul(tf.tensor2d(DENSE), good.b)));
    expect(() => run({ dense_shape: tf.tensor1d([4, 3, 1], 'int32') })).toThrow(
      'dense_shape: expected a tensor of shape [2], got [3]',
    );
    expect(() => run({ b: tf.zeros([3, 2], 'int32') })).toThrow('b: expected a tensor of float32, got int32');
    expect(() => run({ values: tf.zeros([5], 'int32') })).toThrow('values: expected a tensor of float32, got int32');
    expect(() => run({ indices: tf.zeros([5, 2]) })).toThrow('indices: expected a tensor of int32, got float32');
  });

  it('refuses a wrong number of matrices', () => {
    expect(() => registerSparseOps(engine, converter, { matrices: 0 })).toThrow(
      'matrices: expected an integer from 1, got 0',
    );
  });

  it('ends with its disposal, and takes its matrices from the engine', async () => {
    const bytes = engine.heap.bytesInUse;
    const model = await constantModel(MATRIX);
    predict(model, integers(3, 2));
    const later = registerSparseOps(engine, converter);
    ops[Symbol.dispose]();
    expect(engine.heap.bytesInUse).toBe(bytes);
    predict(model, integers(3, 2)); // by the later registration, which the disposal of the former has not removed
    later.dispose();
    expect(() => model.predict(integers(3, 2))).toThrow(`Custom op ${OP} is not registered`);
    expect(engine.heap.bytesInUse).toBe(bytes);
  });
});
