/** Numbers that are the same in Node and in a page, and their digest. */

/** In [−0.5, 0.5), by arithmetic with the same result everywhere. */
export function realNumbers(length: number, dtype: 'f64' | 'f32' | 'mixed', seed: number): Float64Array | Float32Array {
  const numbers = new (dtype === 'f32' ? Float32Array : Float64Array)(length);
  for (let k = 0; k < length; k++) numbers[k] = (Math.imul(k + seed, 0x9e37_79b1) >>> 0) / 2 ** 32 - 0.5;
  return numbers;
}

/** SHA-256 in hexadecimal digits. Copies first: `digest` takes no shared memory. */
export async function digest(numbers: ArrayBufferView<ArrayBufferLike>): Promise<string> {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength).slice();
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
