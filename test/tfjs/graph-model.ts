/**
 * Graph models as the converter of TensorFlow.js writes them: `model.json` with the nodes of TensorFlow's GraphDef as JSON, and one file of weights.
 * The converter itself is a program in Python.
 */

/** A node of a GraphDef. 64-bit integers are strings. */
export interface GraphNode {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly attr?: Readonly<Record<string, unknown>>;
}

export interface Weight {
  readonly name: string;
  readonly shape: readonly number[];
  /** An Int32Array is saved as a constant of the type DT_INT64: the converter writes weights of that type as int32. */
  readonly numbers: Float32Array | Int32Array;
}

const FLOAT = { type: 'DT_FLOAT' };
const INT64 = { type: 'DT_INT64' };
const dimensions = (shape: readonly number[]) => ({ dim: shape.map((size) => ({ size: `${size}` })) });

export const placeholder = (name: string, shape: readonly number[], dtype = FLOAT): GraphNode => ({
  name,
  op: 'Placeholder',
  attr: { dtype, shape: { shape: dimensions(shape) } },
});

/** `tf.sparse.sparse_dense_matmul`. @param input indices, values, dense_shape, b */
export const sparseTimesDense = (name: string, input: readonly string[], adjointA = false, adjointB = false) => ({
  name,
  op: 'SparseTensorDenseMatMul',
  input,
  attr: { T: FLOAT, Tindices: INT64, adjoint_a: { b: adjointA }, adjoint_b: { b: adjointB } },
});

export const matMul = (name: string, input: readonly string[]): GraphNode => ({
  name,
  op: 'MatMul',
  input,
  attr: { T: FLOAT, transpose_a: { b: false }, transpose_b: { b: false } },
});

export const unary = (name: string, op: 'Relu' | 'Softmax' | 'Identity', input: string): GraphNode => ({
  name,
  op,
  input: [input],
  attr: { T: FLOAT },
});

/** The weights of a sparse matrix: `${name}/indices`, `${name}/values` and `${name}/dense_shape`. */
export function sparseWeights(name: string, matrix: SparseArrays): Weight[] {
  return [
    { name: `${name}/indices`, shape: [matrix.values.length, 2], numbers: matrix.indices },
    { name: `${name}/values`, shape: [matrix.values.length], numbers: matrix.values },
    { name: `${name}/dense_shape`, shape: [2], numbers: Int32Array.of(matrix.rows, matrix.cols) },
  ];
}

export interface SparseArrays {
  readonly rows: number;
  readonly cols: number;
  readonly indices: Int32Array;
  readonly values: Float32Array;
}

/** The names of the inputs of a product with a matrix of `sparseWeights`. */
export const partsOf = (name: string) => [`${name}/indices`, `${name}/values`, `${name}/dense_shape`];

/** The files of a model, by name. Its output is the last node. */
export function modelFiles(weights: readonly Weight[], nodes: readonly GraphNode[]): Record<string, Uint8Array> {
  const constants = weights.map(({ name, shape, numbers }): GraphNode => {
    const dtype = numbers instanceof Float32Array ? FLOAT : INT64;
    const value = { tensor: { dtype: dtype.type, tensorShape: dimensions(shape) } };
    return { name, op: 'Const', attr: { dtype, value } };
  });
  const model = {
    format: 'graph-model',
    generatedBy: '2.15.0',
    convertedBy: 'TensorFlow.js Converter v4.22.0',
    signature: {
      inputs: Object.fromEntries(
        nodes
          .filter(({ op }) => op === 'Placeholder')
          .map(({ name, attr }) => [name, { name: `${name}:0`, dtype: (attr!.dtype as typeof FLOAT).type }]),
      ),
      outputs: { output: { name: `${nodes.at(-1)!.name}:0`, dtype: 'DT_FLOAT' } },
    },
    modelTopology: { node: [...constants, ...nodes], library: {}, versions: { producer: 1645 } },
    weightsManifest: [
      {
        paths: ['group1-shard1of1.bin'],
        weights: weights.map(({ name, shape, numbers }) => ({
          name,
          shape,
          dtype: numbers instanceof Float32Array ? 'float32' : 'int32',
        })),
      },
    ],
  };
  const bytes = weights.flatMap(({ numbers }) => [
    ...new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
  ]);
  return {
    'model.json': new TextEncoder().encode(JSON.stringify(model)),
    'group1-shard1of1.bin': Uint8Array.from(bytes),
  };
}
