/** Properties that the kernels' module must not have, since each thread instantiates it over the same live memory. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DTYPES } from '#dist/core/types.js';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { kernelName } from '#dist/kernels/abi.js';
import { describeModules, kernelIndex } from '#dist/kernels/module.js';
import { Heap } from '#dist/memory/heap.js';

const START_SECTION = 8;
const DATA_SECTION = 11;
const TABLE_SECTION = 4;

const bytesOf = (binary: string) =>
  readFileSync(fileURLToPath(import.meta.resolve(`#dist/kernels/kernels.${binary}.wasm`)));

/** Ids of the sections of a module, in order. */
function sections(bytes: Uint8Array): number[] {
  const ids: number[] = [];
  for (let at = 8; at < bytes.length; ) {
    ids.push(bytes[at++]!);
    let size = 0;
    let shift = 0;
    do {
      size |= (bytes[at]! & 0x7f) << shift;
      shift += 7;
    } while (bytes[at++]! & 0x80);
    at += size;
  }
  return ids;
}

/** Square and symmetric, so that every format accepts it. */
const SYMMETRIC = gallery('laplace2d5', { nx: 9, ny: 9 });

describe.each(['simd', 'relaxed-simd'] as const)('kernels.%s.wasm', (binary) => {
  const bytes = bytesOf(binary);
  // Node 20 has no relaxed SIMD.
  const valid = WebAssembly.validate(bytes);

  test('has no data, no start function, no table', () => {
    const ids = sections(bytes);
    expect(ids.length).toBeGreaterThan(3);
    for (const section of [START_SECTION, DATA_SECTION, TABLE_SECTION]) expect(ids).not.toContain(section);
  });

  test.skipIf(!valid)('imports exactly env.memory and exports the kernels of all formats and dtypes', () => {
    const module = new WebAssembly.Module(bytes);
    expect(WebAssembly.Module.imports(module)).toEqual([{ module: 'env', name: 'memory', kind: 'memory' }]);
    const kernels = describeModules([module], binary);
    const heap = new Heap();
    for (const spec of FORMAT_SPECS) {
      for (const dtype of DTYPES) {
        using stored = storeMatrix(heap, SYMMETRIC, spec, dtype);
        for (const { kernel } of Object.values(stored.stages).flat())
          expect(kernelIndex(kernels, kernelName(kernel, dtype))).toBeGreaterThanOrEqual(0);
      }
    }
    expect(() => kernelIndex(kernels, 'panels_nonesuch_f64')).toThrow(
      /^kernel: got 'panels_nonesuch_f64', expected (panels_\w+ \| )*panels_spmv_f64( \| panels_\w+)*$/,
    );
    expect(() => kernelIndex(kernels, 'nonesuch_spmv_f64')).toThrow(
      /^kernel: got 'nonesuch_spmv_f64', expected a kernel of another layout than nonesuch, which has none$/,
    );
  });
});

test('the plain binary runs everywhere', () => {
  expect(WebAssembly.validate(bytesOf('simd'))).toBe(true);
});

test('a module that is not ours is refused', () => {
  const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  expect(() => describeModules([empty], 'simd')).toThrow(/wasm: expected a module that imports env.memory, got ''/);
});
