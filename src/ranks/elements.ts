/** Ranks send each other arrays of these types. */

export type ElementArray = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;

const ELEMENT_TYPES = [Float64Array, Float32Array, Uint32Array, Int32Array, Uint8Array] as const;

/** Makes an `ElementArray` over a buffer, as its constructor does. */
export interface ElementArrayConstructor<A extends ElementArray> {
  new (buffer: ArrayBuffer): A;
}

/** Returns the place of an array's type among those of elements; −1: it is none of them. */
export function typeOf(array: unknown): number {
  return ELEMENT_TYPES.findIndex((type) => array instanceof type);
}

/** Returns the place of a type of arrays; −1: it is none of them. */
export function placeOfType(type: unknown): number {
  return ELEMENT_TYPES.indexOf(type as (typeof ELEMENT_TYPES)[number]);
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the name of the type at a place. */
export function nameOfType(type: number): string {
  return ELEMENT_TYPES[type]!.name;
}
