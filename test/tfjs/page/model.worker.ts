import * as tf from '@tensorflow/tfjs-core';
import { answersOf } from './model.js';

// With threads of its own, the backend wasm of TensorFlow.js 4.22 does not start in a worker.
tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);

self.onmessage = async ({ data: question }: MessageEvent<Parameters<typeof answersOf>>) =>
  self.postMessage(await answersOf(...question).catch(String));
