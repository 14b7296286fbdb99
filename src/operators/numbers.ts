/** Vectors as callers have them. */
import { asFloats, checkAttached, wrongDtype } from '../core/arrays.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { Vector } from '../memory/vector.js';
import type { VectorInput, VectorLike } from './operator.js';

/** Numbers of the caller as vectors of `type` have them: arrays of numbers are converted, and f32 to f64. @throws SparlaneError `argument` */
export function numbersOf(name: string, type: FloatArrayConstructor, source: VectorInput): VectorLike {
  if (Array.isArray(source)) return type.from(asFloats(name, source));
  if (source instanceof Float32Array && type === Float64Array) return Float64Array.from(checkAttached(name, source));
  const isVector = source instanceof Vector;
  if (isVector ? source.type !== type : !(source instanceof type)) throw wrongDtype(name, type, source);
  return source as VectorLike;
}

/** The numbers of a vector: an array as it is, and a copy of those of a `Vector`, which may be on a device. */
export function floatsOf(vector: VectorLike): FloatArray {
  return vector instanceof Vector ? vector.toArray() : vector;
}
