/**
 * A graph network of two layers (Kipf and Welling 2017, §3.1), trained on a citation graph: logits = Â max(0, Â X W₁) W₂ with
 * Â = D^(−1/2) (A + I) D^(−1/2). Its classes are those of papers, of which 20 in each class are labelled. Hyperparameters are those of the paper: 16
 * hidden units, dropout 0.5, weight decay 5e-4 of W₁, Adam with a rate of 0.01, 200 epochs, features scaled to sums of 1. The published accuracy on
 * Cora is 81.5 %.
 *
 * Differs: dropout of X drops words of all papers at once, as rows of W₁, so that X stays laid out in the engine.
 *
 * The first epochs are computed in each of the ways of TensorFlow.js, too, in turn; the losses are compared and the times printed.
 *
 * usage: node examples/graph-network/graph-network.mjs [cpu | wasm] [folder of ind.cora.*] [seed]     (without a folder: a generated stand-in)
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-wasm';
import { addMatrices, CsrBuilder, createEngine, sumsOf } from 'sparlane';
import { readPlanetoid } from './planetoid.mjs';
import { randomNumbers } from './random.mjs';
import { standIn } from './stand-in.mjs';
import { byDense, byScatter, bySparlane, bySparseSegmentSum } from './ways.mjs';

const HIDDEN = 16;
const DROPOUT = 0.5;
const WEIGHT_DECAY = 5e-4;
const LEARNING_RATE = 0.01;
const EPOCHS = 200;
/** Epochs that are computed in all ways. The first ones compile the kernels, and are not timed. */
const COMPARED = 13;
const UNTIMED = 3;

const print = (line) => void process.stdout.write(`${line}\n`);
const inverse = (sums, power) => Float32Array.from(sums, (sum) => (sum === 0 ? 0 : sum ** -power));

/** Â and the scaled features, as patterns of ones with factors of their rows and columns. */
function matricesOf({ graph, features }) {
  const identity = new CsrBuilder(graph.rows, graph.rows, { field: 'pattern' });
  for (let i = 0; i < graph.rows; i++) identity.add(i, i);
  const withLoops = addMatrices(graph, identity.build());
  const factors = inverse(sumsOf(withLoops, 'rows'), 0.5);
  return {
    propagation: { pattern: withLoops, rowFactors: factors, colFactors: factors },
    words: {
      pattern: features,
      rowFactors: inverse(sumsOf(features, 'rows'), 1),
      colFactors: new Float32Array(features.cols).fill(1),
    },
  };
}

// In Node the core registers no gradients of its own operations; `@tensorflow/tfjs` and bundlers do. This is the one that the network needs.
tf.registerGradient({
  kernelName: tf.BatchMatMul,
  inputsToSave: ['a', 'b'],
  gradFunc: (dy, [a, b]) => ({ a: () => tf.matMul(dy, b, false, true), b: () => tf.matMul(a, dy, true, false) }),
});

/** x ∘ mask */
const drop = (mask) => tf.customGrad((x) => ({ value: tf.mul(x, mask), gradFunc: (dy) => tf.mul(dy, mask) }));

const relu = tf.customGrad((x, save) => {
  save([x]);
  return { value: tf.relu(x), gradFunc: (dy, [x]) => tf.mul(dy, tf.step(x)) };
});

/** The cross entropy of the softmax, averaged over the nodes whose rows of `labels` are not zero, and λ/2 ‖W₁‖². */
const lossOf = (labels, count) =>
  tf.customGrad((logits, W1, save) => {
    save([logits, W1]);
    const entropy = tf.div(tf.neg(tf.sum(tf.mul(labels, tf.logSoftmax(logits)))), count);
    return {
      value: tf.add(entropy, tf.mul(tf.sum(tf.square(W1)), WEIGHT_DECAY / 2)),
      gradFunc: (dy, [logits, W1]) => {
        const rows = tf.sum(labels, 1, true);
        const dLogits = tf.div(tf.sub(tf.mul(rows, tf.softmax(logits)), labels), count);
        return [tf.mul(dy, dLogits), tf.mul(dy, tf.mul(W1, WEIGHT_DECAY))];
      },
    };
  });

/** Uniform numbers of a variance for layers of these sizes (Glorot and Bengio 2010). */
function glorot(rows, cols, random) {
  const bound = Math.sqrt(6 / (rows + cols));
  return tf.variable(
    tf.tensor2d(
      Float32Array.from({ length: rows * cols }, () => bound * (2 * random() - 1)),
      [rows, cols],
    ),
  );
}

/** The network with products in one of the ways. It draws the same random numbers in all ways. */
function networkOf(way, { propagation, words }, data, classes, seed) {
  const random = randomNumbers(seed);
  const W1 = glorot(words.pattern.cols, HIDDEN, random);
  const W2 = glorot(HIDDEN, classes, random);
  const scaledWords = way(words, HIDDEN);
  const propagate = way(propagation, HIDDEN);
  const isTrained = new Float32Array(data.labels.length * classes);
  for (const i of data.train) isTrained[i * classes + data.labels[i]] = 1;
  const loss = lossOf(tf.tensor2d(isTrained, [data.labels.length, classes]), data.train.length);
  const optimizer = tf.train.adam(LEARNING_RATE);

  const mask = (rows, cols) => {
    const factors = new Float32Array(rows * cols);
    for (let k = 0; k < factors.length; k++) factors[k] = random() < DROPOUT ? 0 : 1 / (1 - DROPOUT);
    return tf.tensor2d(factors, [rows, cols]);
  };
  const ones = tf.scalar(1);
  const logits = (wordMask, hiddenMask) => {
    const hidden = relu(propagate(scaledWords(drop(wordMask)(W1))));
    return propagate(tf.matMul(drop(hiddenMask)(hidden), W2));
  };
  return {
    /** The loss of a step of training, on the nodes of `train`. */
    epoch: () =>
      tf.tidy(() => {
        const wordMask = mask(words.pattern.cols, 1);
        const hiddenMask = mask(data.labels.length, HIDDEN);
        return optimizer.minimize(() => loss(logits(wordMask, hiddenMask), W1), true, [W1, W2]).dataSync()[0];
      }),
    /** The share of nodes whose class is found. */
    accuracy: (nodes) =>
      tf.tidy(() => {
        const found = tf.argMax(logits(ones, ones), 1).dataSync();
        return nodes.filter((i) => found[i] === data.labels[i]).length / nodes.length;
      }),
  };
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

const [backend = 'cpu', folder, seed = '1'] = process.argv.slice(2);
await tf.setBackend(backend);
// A product takes less than 0.1 ms here, with other operations before the next one: two threads took no less time (two cores of an Intel Xeon).
const engine = await createEngine({ threads: 1 });
const data = folder === undefined ? standIn() : readPlanetoid(folder, 'cora');
const classes = Math.max(...data.labels) + 1;
const matrices = matricesOf(data);
const ways = {
  sparlane: bySparlane(engine),
  dense: byDense,
  'gather, scatterND': byScatter,
  sparseSegmentSum: bySparseSegmentSum,
};

const { graph, features } = data;
const name = folder === undefined ? 'generated stand-in' : 'Cora';
print(`${name} on ${backend}: ${graph.rows} papers, ${graph.nnz / 2} citations, ${features.cols} words`);
const runs = Object.entries(ways).map(([name, way]) => ({
  name,
  network: networkOf(way, matrices, data, classes, Number(seed)),
  losses: [],
  times: [],
}));
for (let epoch = 0; epoch < COMPARED; epoch++) {
  for (const { network, losses, times } of runs) {
    const start = performance.now();
    losses.push(network.epoch());
    if (epoch >= UNTIMED) times.push(performance.now() - start);
  }
}
const [own, ...others] = runs;
print(`an epoch, sparlane: ${median(own.times).toFixed(2)} ms`);
for (const { name, losses, times } of others) {
  const ratio = median(own.times) / median(times);
  print(`an epoch, ${name}: ${median(times).toFixed(2)} ms, of which sparlane takes ${ratio.toFixed(3)}`);
  const difference = losses.reduce((most, loss, k) => Math.max(most, Math.abs(loss - own.losses[k])), 0);
  if (!(difference < 1e-5)) throw new Error(`${name}: the losses differ by ${difference} from those of sparlane`);
}
for (let epoch = COMPARED; epoch < EPOCHS; epoch++) own.losses.push(own.network.epoch());
print(`loss: ${own.losses[0].toFixed(4)} at first, ${own.losses.at(-1).toFixed(4)} after ${EPOCHS} epochs`);
for (const set of ['train', 'validation', 'test']) {
  const share = own.network.accuracy(data[set]);
  print(`accuracy, ${set}: ${(100 * share).toFixed(1)} % of ${data[set].length}`);
}
await engine.dispose();
