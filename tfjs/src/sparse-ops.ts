/**
 * `SparseTensorDenseMatMul` in graph models. TensorFlow saves `tf.sparse.sparse_dense_matmul` as this operation, for which TensorFlow.js has no kernel
 * (tfjs issue 4681). It is registered with the converter, and runs as a kernel of the core, whose gradients are computed only where they are needed.
 */
import {
  engine as core,
  type GradFunc,
  gather,
  getBackend,
  getGradient,
  getKernel,
  mul,
  type NamedAttrMap,
  type NamedTensorInfoMap,
  registerGradient,
  registerKernel,
  sum,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
  transpose,
  unstack,
} from '@tensorflow/tfjs-core';
import type { Engine } from 'sparlane';
import { KeptMatrices } from './kept-matrices.js';
import { product, wrong } from './sparse-mat-mul.js';

const OP = 'SparseTensorDenseMatMul';
/** The kernel's name in the core. It differs from the operation's, so that a later version of TensorFlow.js may have its own kernel. */
const KERNEL = 'SparlaneSparseTensorDenseMatMul';
/** Chosen: more sparse matrices than models of graph networks have. */
const DEFAULT_MATRICES = 8;

/** Where operations of graph models are registered: `@tensorflow/tfjs`, or `@tensorflow/tfjs-converter`. */
export interface OpRegistry {
  registerOp(name: string, op: (node: OpNode) => Tensor): void;
  deregisterOp(name: string): void;
}

/** A node of a graph model when it is computed. */
export interface OpNode {
  readonly inputs: readonly Tensor[];
  readonly attrs: Readonly<Record<string, unknown>>;
}

/** `registerSparseOps` takes these options. */
export interface SparseOpsOptions {
  /** How many matrices stay laid out in the engine, from 1. Default 8. A model with more sparse matrices lays them out at each prediction. */
  readonly matrices?: number;
}

/** `registerSparseOps` returns this. */
export interface RegisteredOps extends Disposable {
  /** Removes the operations from the converter, and their matrices from the engine. */
  dispose(): void;
}

/** The operation that was registered last, by converter: only its disposal removes it there. */
const current = new WeakMap<OpRegistry, unknown>();

/** What the kernel needs beside tensors. */
interface ProductOf {
  readonly matrices: KeptMatrices;
  readonly engine: Engine;
  readonly rows: number;
  readonly cols: number;
  readonly adjointA: boolean;
  readonly adjointB: boolean;
}

interface Inputs {
  readonly indices: Tensor2D;
  readonly values: Tensor1D;
  readonly b: Tensor2D;
}

/**
 * Lets graph models compute `SparseTensorDenseMatMul`, Y = op(A) op(B) for a sparse A and a dense B, by the engine. It must be called before
 * `loadGraphModel`, since models look up their operations when they are loaded. A matrix that comes again is not laid out again; all its numbers are
 * compared. Duplicate entries are added, as TensorFlow adds them. The gradients are those with respect to B and to the values of A.
 *
 * Values and B are float32. The backend must be able to read synchronously (cpu, wasm; webgl with a stall, webgpu not).
 *
 * @param engine multiplies until the operations are disposed
 * @param converter the module that has the `loadGraphModel` of the caller: a program may have several copies, each with its own operations
 * @throws SparlaneError `argument` for a wrong option. A prediction throws `argument` for a wrong dtype, `shape` for wrong sizes, `structure` for an
 *   index out of range, and as `engine.operator`
 */
export function registerSparseOps(
  engine: Engine,
  converter: OpRegistry,
  options: SparseOpsOptions = {},
): RegisteredOps {
  const limit = options.matrices ?? DEFAULT_MATRICES;
  if (!(Number.isInteger(limit) && limit >= 1)) throw wrong('argument', 'matrices', 'an integer from 1', `${limit}`);
  const matrices = new KeptMatrices(engine, limit);
  const execute = ({ inputs, attrs }: OpNode) => {
    const [indices, values, denseShape, b] = inputs as [Tensor, Tensor, Tensor, Tensor];
    const adjointA = attrs.adjoint_a === true;
    const adjointB = attrs.adjoint_b === true;
    const [rows, cols] = checkedShape(indices, values, denseShape);
    checkFactor(b, adjointA ? rows : cols, adjointB);
    return multiply({ indices, values, b } as Inputs, { matrices, engine, rows, cols, adjointA, adjointB });
  };
  converter.registerOp(OP, execute);
  current.set(converter, execute);
  const dispose = () => {
    if (current.get(converter) === execute) {
      converter.deregisterOp(OP);
      current.delete(converter);
    }
    matrices.dispose();
  };
  return { dispose, [Symbol.dispose]: dispose };
}

/** Computes Y = op(A) op(B), and records it for gradients. */
function multiply(inputs: Inputs, of: ProductOf): Tensor2D {
  const backendName = getBackend();
  if (getKernel(KERNEL, backendName) == null) registerKernel({ kernelName: KERNEL, backendName, kernelFunc });
  if (getGradient(KERNEL) == null)
    registerGradient({ kernelName: KERNEL, inputsToSave: ['indices', 'values', 'b'], gradFunc });
  return core().runKernel(KERNEL, { ...inputs }, of as unknown as NamedAttrMap);
}

/** The operator is found again by each product, also by those of a gradient: it may have been disposed in between. */
function kernelFunc(call: { inputs: NamedTensorInfoMap; attrs?: NamedAttrMap }): Tensor2D {
  const { indices, values, b } = call.inputs as unknown as Inputs;
  const { engine, matrices, rows, cols, adjointA, adjointB } = call.attrs as unknown as ProductOf;
  const x = adjointB ? transpose(b) : b;
  const sparse = { rows, cols, indices: indices.dataSync<'int32'>(), values: values.dataSync<'float32'>() };
  const A = matrices.operatorOf(sparse, x.shape[1]);
  const y = product(engine, adjointA ? A.transposed() : A, x);
  if (adjointB) x.dispose();
  return y;
}

/** The gradients of Σ dY ∘ (op(A) op(B)): op(A)ᵀ dY for op(B), and Σₖ dY[i, k] op(B)[j, k] for the value of an entry (i, j) of op(A). */
function gradFunc(gradient: Tensor | Tensor[], saved: Tensor[], attrs: NamedAttrMap): ReturnType<GradFunc> {
  const dy = gradient as Tensor2D;
  const [indices, values, b] = saved as [Tensor2D, Tensor1D, Tensor2D];
  const of = attrs as unknown as ProductOf;
  const { adjointA, adjointB } = of;
  return {
    b: () => {
      const dx = multiply({ indices, values, b: dy }, { ...of, adjointA: !adjointA, adjointB: false });
      return adjointB ? transpose(dx) : dx;
    },
    values: () => {
      const [rowIdx, colIdx] = unstack(indices, 1) as [Tensor1D, Tensor1D];
      const [i, j] = adjointA ? [colIdx, rowIdx] : [rowIdx, colIdx];
      return sum(mul(gather(dy, i), gather(adjointB ? transpose(b) : b, j)), 1);
    },
  };
}

/** Returns the rows and columns of a sparse tensor. @throws if its parts do not fit each other */
function checkedShape(indices: Tensor, values: Tensor, denseShape: Tensor): readonly [number, number] {
  if (values.dtype !== 'float32') throw wrong('argument', 'values', 'a tensor of float32', values.dtype);
  if (indices.dtype !== 'int32') throw wrong('argument', 'indices', 'a tensor of int32', indices.dtype);
  if (values.rank !== 1) throw wrong('shape', 'values', 'a tensor of shape [entries]', shapeOf(values));
  const entries = values.size;
  if (indices.rank !== 2 || indices.shape[0] !== entries || indices.shape[1] !== 2)
    throw wrong('shape', 'indices', `a tensor of shape [${entries}, 2]`, shapeOf(indices));
  if (denseShape.size !== 2) throw wrong('shape', 'dense_shape', 'a tensor of shape [2]', shapeOf(denseShape));
  const [rows, cols] = denseShape.dataSync<'int32'>();
  return [rows!, cols!];
}

/** @param rows those that op(B) must have */
function checkFactor(b: Tensor, rows: number, isAdjoint: boolean): void {
  if (b.dtype !== 'float32') throw wrong('argument', 'b', 'a tensor of float32', b.dtype);
  if (b.rank === 2 && b.shape[isAdjoint ? 1 : 0] === rows) return;
  throw wrong('shape', 'b', `a tensor of shape ${isAdjoint ? `[k, ${rows}]` : `[${rows}, k]`}`, shapeOf(b));
}

const shapeOf = (tensor: Tensor) => `[${tensor.shape.join(', ')}]`;
