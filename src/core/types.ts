/** The types that every layer uses. */

/** `f64` and `f32`: values, vectors and sums. `mixed`: f32 values; f64 vectors and sums. */
export type Dtype = 'f64' | 'f32' | 'mixed';

type Element = 'f64' | 'f32';
const ARRAYS: Readonly<Record<Element, FloatArrayConstructor>> = { f64: Float64Array, f32: Float32Array };

/** What a matrix of each dtype stores, and what its vectors and sums are. In the order of `Dtype` in `cuda/plan.cuh`. */
export const DTYPE_TYPES: Readonly<Record<Dtype, { readonly values: Element; readonly vectors: Element }>> = {
  f64: { values: 'f64', vectors: 'f64' },
  f32: { values: 'f32', vectors: 'f32' },
  mixed: { values: 'f32', vectors: 'f64' },
};
export const DTYPES: readonly Dtype[] = Object.keys(DTYPE_TYPES) as Dtype[];

/** Real numbers in double or single precision. */
export type FloatArray = Float64Array | Float32Array;
/** The constructor of a `FloatArray`. */
export type FloatArrayConstructor = Float64ArrayConstructor | Float32ArrayConstructor;

/** The typed array of the vectors of a dtype. */
export type VectorOf<D extends Dtype> = D extends 'f32' ? Float32Array : Float64Array;

/** The dtype of vectors in such an array. */
export function dtypeOf(type: FloatArrayConstructor): 'f64' | 'f32' {
  return type === Float32Array ? 'f32' : 'f64';
}

/** How the values of a matrix of this dtype are stored. */
export function valueArray(dtype: Dtype): FloatArrayConstructor {
  return ARRAYS[DTYPE_TYPES[dtype].values];
}

/** Numbers as a matrix of this dtype stores them. */
export function rounded(numbers: ArrayLike<number>, dtype: Dtype): FloatArray {
  return valueArray(dtype).from(numbers);
}

/** How the vectors of a product of this dtype are stored. */
export function vectorArray(dtype: Dtype): FloatArrayConstructor {
  return ARRAYS[DTYPE_TYPES[dtype].vectors];
}

/** The kind of entries that a source declares, kept for formats that use it. `integer`: every value is an integer. */
export type Field = 'real' | 'integer' | 'pattern';
export const FIELDS: readonly Field[] = ['real', 'integer', 'pattern'];

/** The relation of A to Aᵀ that a source declares. `skew-symmetric`: Aᵀ = −A. */
export type Symmetry = 'general' | 'symmetric' | 'skew-symmetric';
export const SYMMETRIES: readonly Symmetry[] = ['general', 'symmetric', 'skew-symmetric'];

/**
 * Platform types in the public declarations, for programs that include neither `dom` nor `@types/node`. If a program
 * includes one, these declarations merge with the real ones and change nothing. Otherwise the empty ones accept
 * anything. `Disposable` and similar names are those of TypeScript's library `esnext.disposable`.
 */
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>;
  }
  interface AbortSignal {}
  interface Blob {}
  interface URL {}
  // biome-ignore lint/suspicious/noExplicitAny: both declare it so, and declarations merge only if they are equal
  interface ReadableStream<R = any> {}
  namespace WebAssembly {
    interface Module {}
    interface Memory {}
  }
}
