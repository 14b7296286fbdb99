/** The order of the functions of a module: none is lost, calls reach the same ones, and functions that are alike are neighbours. */
import { gzipSync } from 'node:zlib';
import binaryen from 'assemblyscript/binaryen';
import { expect, test } from 'vitest';
import { bodiesOf, orderFunctions } from '../../scripts/order-functions.mjs';

const FUNCTIONS = 60;
const FAMILIES = 30;

/** Makes a module whose function i calls the one before and returns i. It drops constants first, the same ones in every thirtieth function. */
function sample(): Uint8Array {
  const functions = Array.from({ length: FUNCTIONS }, (_, i) => {
    const constants = Array.from({ length: 400 }, (_, k) => {
      const value = Math.imul((i % FAMILIES) * 400 + k + 1, 2654435761);
      return `(drop (i32.const ${value}))`;
    });
    const result = i === 0 ? '(i32.const 0)' : `(i32.add (call $f${i - 1}) (i32.const 1))`;
    return `(func $f${i} (export "f${i}") (result i32) ${constants.join(' ')} ${result})`;
  });
  const module = binaryen.parseText(`(module ${functions.join('\n')})`);
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

const bytes = sample();
const ordered = orderFunctions(bytes);

test('every function is there, and returns the same', () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(ordered as Uint8Array<ArrayBuffer>));
  const results = Array.from({ length: FUNCTIONS }, (_, i) => (exports[`f${i}`] as () => number)());
  expect(results).toEqual(Array.from({ length: FUNCTIONS }, (_, i) => i));
  expect(bodiesOf(ordered)).toHaveLength(FUNCTIONS);
});

test('functions that are alike follow each other, where they were too far apart for gzip', () => {
  expect(bytes.length / FUNCTIONS).toBeGreaterThan(1000 * (32.768 / FAMILIES));
  expect(gzipSync(ordered).length).toBeLessThan(0.6 * gzipSync(bytes).length);
});

test('the same module gives the same order', () => {
  expect(orderFunctions(bytes)).toEqual(ordered);
});
