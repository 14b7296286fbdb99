/** The types that every layer uses. */

/** `f64` and `f32`: values, vectors and sums. `mixed`: f32 values; f64 vectors and sums. */
export type Dtype = 'f64' | 'f32' | 'mixed';
export const DTYPES: readonly Dtype[] = ['f64', 'f32', 'mixed'];

export type FloatArray = Float64Array | Float32Array;
export type FloatArrayConstructor = Float64ArrayConstructor | Float32ArrayConstructor;

/** What the vectors of a dtype are made of. */
export type VectorOf<D extends Dtype> = D extends 'f32' ? Float32Array : Float64Array;

/** How the values of a matrix of this dtype are stored. */
export function valueArray(dtype: Dtype): FloatArrayConstructor {
  return dtype === 'f64' ? Float64Array : Float32Array;
}

/** How the vectors of a product of this dtype are stored. */
export function vectorArray(dtype: Dtype): FloatArrayConstructor {
  return dtype === 'f32' ? Float32Array : Float64Array;
}

/** What a source says of its entries; kept so that a format may use it. `integer`: every value is an integer. */
export type Field = 'real' | 'integer' | 'pattern';
export const FIELDS: readonly Field[] = ['real', 'integer', 'pattern'];

/** What a source says of A against Aᵀ. `skew-symmetric`: Aᵀ = −A. */
export type Symmetry = 'general' | 'symmetric' | 'skew-symmetric';
export const SYMMETRIES: readonly Symmetry[] = ['general', 'symmetric', 'skew-symmetric'];

/**
 * Names of the platform in the public declarations, for programs whose TypeScript knows them neither from `dom` nor from
 * `@types/node`. Where it does, these merge with the real ones and change nothing; where it does not, the empty ones stand for
 * anything. `Disposable` and its like are those of TypeScript's library `esnext.disposable`.
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
  // biome-ignore lint/suspicious/noExplicitAny: as both declare it, or they would not merge
  interface ReadableStream<R = any> {}
  namespace WebAssembly {
    interface Module {}
    interface Memory {}
  }
}
