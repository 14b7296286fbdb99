/** Arrays of NumPy as bytes, for tests. */

/** A header with this dictionary, and the bytes of the numbers. */
export function npy(descr: string, shape: string, bytes: ArrayBufferView): Uint8Array {
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`;
  const header = Uint8Array.from(`\x93NUMPY\x01\0..${dictionary}`, (character) => character.charCodeAt(0));
  new DataView(header.buffer).setUint16(8, dictionary.length, true);
  return Buffer.concat([header, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
}
