/**
 * One layer of a graph convolution (Kipf & Welling 2017, §2), trained: logits = Â X W with Â = D^(−1/2) (A + I) D^(−1/2), cross entropy of the
 * softmax, gradient descent on W and on the features X of the nodes. Nodes of a square lattice are to tell the left half from the right one, by
 * noisy features. The same steps are computed with a dense Â by TensorFlow.js alone, and the losses compared.
 *
 * usage: node examples/graph-convolution/graph-convolution.mjs [cpu | wasm]     (in a program: import from 'sparlane')
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-wasm';
import { sparseMatMul } from '@sparlane/tfjs';
import { addMatrices, CsrBuilder, createEngine, gallery, scaleMatrix, sumsOf } from '#dist/index.node.js';

const SIDE = 32;
const FEATURES = 16;
const CLASSES = 2;
const STEPS = 30;
const LEARNING_RATE = 2;

const print = (line) => void process.stdout.write(`${line}\n`);

/** D^(−1/2) (A + I) D^(−1/2) for a symmetric pattern A without diagonal, D the row sums of A + I. */
function normalized(adjacency) {
  const identity = new CsrBuilder(adjacency.rows, adjacency.cols);
  for (let i = 0; i < adjacency.rows; i++) identity.add(i, i, 1);
  const withLoops = addMatrices(adjacency, identity.build());
  const factors = sumsOf(withLoops, 'rows').map((degree) => 1 / Math.sqrt(degree));
  return scaleMatrix(withLoops, { rows: factors, cols: factors });
}

/** The neighbours of a lattice: the entries of its Laplacian off the diagonal, all 1. */
function lattice(side) {
  const { rows, rowPtr, colIdx } = gallery('laplace2d5', { nx: side, ny: side });
  const builder = new CsrBuilder(rows, rows);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (colIdx[k] !== i) builder.add(i, colIdx[k], 1);
  return builder.build();
}

function dense({ rows, cols, rowPtr, colIdx, values }) {
  const full = new Float32Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) full[i * cols + colIdx[k]] = values[k];
  return tf.tensor2d(full, [rows, cols]);
}

// In Node the core registers no gradients of its own operations; `@tensorflow/tfjs` and bundlers do. This is the one that a layer needs.
tf.registerGradient({
  kernelName: tf.BatchMatMul,
  inputsToSave: ['a', 'b'],
  gradFunc: (dy, [a, b]) => ({ a: () => tf.matMul(dy, b, false, true), b: () => tf.matMul(a, dy, true, false) }),
});

/** −Σ labels · log softmax(logits) / nodes */
const crossEntropy = (labels) =>
  tf.customGrad((logits, save) => {
    save([logits]);
    return {
      value: tf.neg(tf.mean(tf.sum(tf.mul(labels, tf.logSoftmax(logits)), 1))),
      gradFunc: (dy, [saved]) => tf.mul(dy, tf.div(tf.sub(tf.softmax(saved), labels), labels.shape[0])),
    };
  });

/** The losses of all steps. @param propagate X ↦ Â X */
function train(propagate, features, labels) {
  const weights = tf.variable(tf.tidy(() => tf.mul(tf.randomNormal([FEATURES, CLASSES], 0, 1, 'float32', 7), 0.1)));
  const inputs = tf.variable(features);
  const optimizer = tf.train.sgd(LEARNING_RATE);
  const losses = Array.from({ length: STEPS }, () => {
    const loss = optimizer.minimize(() => crossEntropy(labels)(propagate(tf.matMul(inputs, weights))), true, [
      weights,
      inputs,
    ]);
    return loss.dataSync()[0];
  });
  tf.dispose([weights, inputs]);
  return losses;
}

await tf.setBackend(process.argv[2] ?? 'cpu');
const graph = normalized(lattice(SIDE));
const isRight = Int32Array.from({ length: graph.rows }, (_, i) => (i % SIDE < SIDE / 2 ? 0 : 1));
const labels = tf.cast(tf.oneHot(tf.tensor1d(isRight, 'int32'), CLASSES), 'float32');
const side = tf.tensor2d(
  Float32Array.from(isRight, (right) => right - 0.5),
  [graph.rows, 1],
);
const features = tf.add(tf.randomNormal([graph.rows, FEATURES], 0, 1, 'float32', 3), side);

const engine = await createEngine();
const A = engine.operator(graph, { dtype: 'f32', columns: CLASSES });
const full = dense(graph);

let start = performance.now();
const sparse = train((x) => sparseMatMul(engine, A, x), features, labels);
const sparseMs = performance.now() - start;
start = performance.now();
const reference = train((x) => tf.matMul(full, x), features, labels);
const denseMs = performance.now() - start;
const difference = sparse.reduce((most, loss, step) => Math.max(most, Math.abs(loss - reference[step])), 0);

print(`${tf.getBackend()}, ${graph.rows} nodes, ${A}`);
print(`loss: ${sparse[0].toFixed(4)} at first, ${sparse.at(-1).toFixed(4)} after ${STEPS} steps`);
print(`a step: ${(sparseMs / STEPS).toFixed(2)} ms, dense ${(denseMs / STEPS).toFixed(2)} ms`);
print(`greatest difference to the dense computation: ${difference.toExponential(1)}`);
if (!(difference < 1e-5 && sparse.at(-1) < 0.5 * sparse[0]))
  throw new Error('the layer was not trained as the dense one');
await engine.dispose();
