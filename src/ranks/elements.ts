/** Ranks send each other arrays of these types. */

export type ElementArray = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;

const ELEMENT_TYPES = [Float64Array, Float32Array, Uint32Array, Int32Array, Uint8Array] as const;

/** Returns the place of an array's type among those of elements; −1: it is none of them. */
export function typeOf(array: unknown): number {
  return ELEMENT_TYPES.findIndex((type) => array instanceof type);
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the name of the type at a place. */
export function nameOfType(type: number): string {
  return ELEMENT_TYPES[type]!.name;
}
