/** Conversions that a page loads when they are needed, and the lists that name them. */
import { describe, expect, test } from 'vitest';
import { loading, NotLoaded } from '#dist/core/not-loaded.js';
import { examine } from '#dist/features/features.js';
import { FormatsOnDemand } from '#dist/formats/on-demand.js';
import { ELIGIBLE } from '#dist/formats/prospects.js';
import { FORMATS, storeMatrix } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';
import { Heap } from '#dist/memory/heap.js';

/** Formats that `auto` may choose on a device only. */
const ON_DEVICES = ['coo', 'csr5', 'ell'];

const MATRIX = gallery('laplace2d5', { nx: 12, ny: 12 });

describe('formats on demand', () => {
  test('auto knows every format that has prospects, as it is in the registry', () => {
    const offered = FORMATS.filter(({ name, prospects }) => prospects && !ON_DEVICES.includes(name));
    expect(ELIGIBLE.map(({ name }) => name)).toEqual(offered.map(({ name }) => name));
    const examined = examine(MATRIX);
    for (const { name, prospects } of FORMATS) {
      if (ON_DEVICES.includes(name)) expect([name, prospects!(examined, 'f64', false)]).toEqual([name, []]);
    }
    for (const description of ELIGIBLE)
      expect(FORMATS.find(({ name }) => name === description.name)).toMatchObject(description);
  });

  test.each(FORMATS.map(({ name }) => name))('%s is loaded once, and stores what the registry stores', async (name) => {
    const heap = new Heap();
    const formats = new FormatsOnDemand();
    let calls = 0;
    const store = async () => {
      calls++;
      return formats.store(heap, MATRIX, name, 'f64');
    };
    using stored = await loading(store);
    expect(calls).toBe(name === 'csr' ? 1 : 2);
    using again = formats.store(heap, MATRIX, name, 'f64');
    using expected = storeMatrix(heap, MATRIX, name, 'f64');
    expect([stored.spec, stored.bytes, stored.storedEntries]).toEqual([again.spec, again.bytes, again.storedEntries]);
    expect([stored.spec, stored.bytes, stored.storedEntries]).toEqual([
      expected.spec,
      expected.bytes,
      expected.storedEntries,
    ]);
  });

  test('all of them at once', async () => {
    const formats = new FormatsOnDemand();
    await formats.loadAll();
    const heap = new Heap();
    for (const { name } of FORMATS) formats.store(heap, MATRIX, name, 'f64')[Symbol.dispose]();
  });

  test('a name without a format is an error of the caller, not a load', () => {
    const { store } = new FormatsOnDemand();
    expect(() => store(new Heap(), MATRIX, 'cst', 'f64')).toThrow(/format: expected csr \| csrk \|.*got 'cst'/);
    expect(() => store(new Heap(), MATRIX, 'constructor', 'f64')).toThrow(/got 'constructor'/);
    expect(() => store(new Heap(), MATRIX, 'dia', 'f64')).toThrow(NotLoaded);
  });

  test('an error that is no lack of code is not tried again', async () => {
    let calls = 0;
    const failing = loading(async () => {
      calls++;
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(calls).toBe(1);
  });
});
