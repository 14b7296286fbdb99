/**
 * Sparse × dense as an operation of TensorFlow.js. The product runs in the engine, for whatever backend the tensors are on: X is copied into
 * the engine's memory and the result out, once each.
 */
import { customGrad, type Tensor, type Tensor2D, tensor2d } from '@tensorflow/tfjs-core';
import { type Engine, type MatrixOperator, SparlaneError } from 'sparlane';

/**
 * Y = A X for a sparse A of constant values and a dense X. Its gradient is dX = Aᵀ dY, by `A.transposed()`, which is laid out when the first
 * gradient is computed; gradients of gradients work as well.
 *
 * @param engine the engine of A
 * @param A rows × cols, of dtype f32: `engine.operator(matrix, { dtype: 'f32', columns })`. The engine chooses its format for blocks of
 *   `columns` columns. It must not be disposed before the gradient is computed
 * @param x cols × k, float32. Its backend must be able to read synchronously (cpu, wasm; webgl with a stall, webgpu not)
 * @returns rows × k, float32
 * @throws SparlaneError `argument` for a wrong dtype; `shape` for wrong sizes; and as `A.apply`
 */
export function sparseMatMul(engine: Engine, A: MatrixOperator, x: Tensor2D): Tensor2D {
  if (A.vectorType !== Float32Array) throw wrong('argument', 'A', "an operator of dtype 'f32'", `${A}`);
  if (x.dtype !== 'float32') throw wrong('argument', 'x', 'a tensor of float32', x.dtype);
  if (x.shape.length !== 2 || x.shape[0] !== A.cols)
    throw wrong('shape', 'x', `a tensor of shape [${A.cols}, k]`, `[${x.shape.join(', ')}]`);
  const operation = customGrad((input) => ({
    value: product(engine, A, input as Tensor2D),
    gradFunc: (dy: Tensor) => sparseMatMul(engine, A.transposed(), dy as Tensor2D),
  }));
  return operation(x) as Tensor2D;
}

/** Computes A X by the engine. The result has no gradient. */
export function product(engine: Engine, A: MatrixOperator, x: Tensor2D): Tensor2D {
  const columns = x.shape[1];
  if (columns === 0) return tensor2d([], [A.rows, 0], 'float32');
  using from = engine.vector(x.dataSync<'float32'>(), { columns, dtype: 'f32' });
  using to = engine.vector(A.rows, { columns, dtype: 'f32' });
  A.apply(from, to);
  return tensor2d(to.toArray(), [A.rows, columns], 'float32');
}

export function wrong(code: 'argument' | 'shape', name: string, expected: string, got: string): SparlaneError {
  return new SparlaneError(code, `${name}: expected ${expected}, got ${got}`);
}
