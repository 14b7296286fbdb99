/** The words that every floor uses. */

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
