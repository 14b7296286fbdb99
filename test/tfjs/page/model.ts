/** A graph model with a sparse product, loaded from the server: the same on the page's thread and in a worker. */
import { registerSparseOps } from '@sparlane/tfjs';
import '@tensorflow/tfjs-backend-cpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import plain from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url';
import simd from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import threaded from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm?url';
import * as converter from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { createEngine } from 'sparlane';

setWasmPaths({
  'tfjs-backend-wasm.wasm': plain,
  'tfjs-backend-wasm-simd.wasm': simd,
  'tfjs-backend-wasm-threaded-simd.wasm': threaded,
});

export type Backend = 'cpu' | 'wasm';

export interface Answers {
  readonly backend: string;
  readonly threads: number;
  readonly withoutRegistration: string;
  readonly product: number[][];
  /** This is the gradient of the sum of the products with respect to the factor. */
  readonly gradient: number[][];
  /** Tensors and bytes of the engine's memory that a prediction adds. */
  readonly left: readonly [number, number];
}

export async function answersOf(backend: Backend, url: string, factor: number[][]): Promise<Answers> {
  await tf.setBackend(backend);
  const b = tf.tensor2d(factor);
  const predict = (model: converter.GraphModel, b: tf.Tensor) => model.predict(b) as tf.Tensor2D;

  const unknown = await converter.loadGraphModel(url);
  let withoutRegistration = '';
  try {
    predict(unknown, b);
  } catch (error) {
    withoutRegistration = `${error}`;
  }
  await using engine = await createEngine();
  using _ = registerSparseOps(engine, converter);
  const model = await converter.loadGraphModel(url);
  const product = predict(model, b);
  const gradient = tf.grad((b) => predict(model, b))(b) as tf.Tensor2D;
  const before = [tf.memory().numTensors, engine.heap.bytesInUse] as const;
  predict(model, b).dispose();
  const left = [tf.memory().numTensors - before[0], engine.heap.bytesInUse - before[1]] as const;
  return {
    backend: tf.getBackend(),
    threads: engine.threads,
    withoutRegistration,
    product: product.arraySync(),
    gradient: gradient.arraySync(),
    left,
  };
}
