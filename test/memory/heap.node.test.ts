import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SparlaneError } from '#dist/core/errors.js';
import { ALIGNMENT, Heap } from '#dist/memory/heap.js';

const GIB = 2 ** 30;

describe('heap', () => {
  test('blocks are aligned to cache lines and never at address 0', () => {
    const heap = new Heap();
    for (const bytes of [0, 1, 63, 64, 65, 1000]) {
      const address = heap.alloc(bytes);
      expect(address % ALIGNMENT).toBe(0);
      expect(address).toBeGreaterThan(0);
    }
  });

  test('blocks in use never overlap, freed ones are reused, and everything comes back', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(5000)), { maxLength: 200 }), (steps) => {
        const heap = new Heap({ maximumBytes: 2 ** 22 });
        const free = heap.bytesFree;
        const blocks: { address: number; bytes: number; fill: number }[] = [];
        for (const [release, size] of steps) {
          if (release && blocks.length > 0) {
            const [block] = blocks.splice(size % blocks.length, 1);
            const bytes = heap.view(Uint8Array, block!.address, block!.bytes);
            expect(bytes.every((byte) => byte === block!.fill)).toBe(true);
            heap.free(block!.address);
          } else {
            const fill = blocks.length % 251;
            const address = heap.alloc(size);
            heap.view(Uint8Array, address, size).fill(fill);
            blocks.push({ address, bytes: size, fill });
          }
        }
        for (const { address } of blocks) heap.free(address);
        expect(heap.bytesInUse).toBe(0);
        expect(heap.bytesFree).toBe(free);
        // One piece again: nothing smaller than the whole is left.
        heap.alloc(heap.bytesFree);
      }),
      { numRuns: 50 },
    );
  });

  test('views made before growth stay valid', () => {
    const heap = new Heap();
    const scope = heap.scope();
    const before = scope.array(Float64Array, 100).fill(7);
    const length = heap.byteLength;
    scope.alloc(64 * 2 ** 20);
    expect(heap.byteLength).toBeGreaterThan(length);
    expect(before.every((value) => value === 7)).toBe(true);
    heap.view(Float64Array, before.byteOffset, 1)[0] = 8;
    expect(before[0]).toBe(8);
    expect(heap.owns(before)).toBe(true);
    expect(heap.owns(scope.array(Float64Array, 1))).toBe(true);
    expect(heap.owns(new Float64Array(1))).toBe(false);
  });

  test('grows to 4 GiB, reports the free bytes, and stays usable', () => {
    const heap = new Heap();
    const small = heap.alloc(64);
    const blocks = [heap.alloc(GIB), heap.alloc(GIB), heap.alloc(GIB)];
    const rest = heap.alloc(heap.bytesFree);
    expect(heap.byteLength).toBe(4 * GIB);
    expect(heap.bytesFree).toBe(0);
    const end = heap.view(Uint8Array, 4 * GIB - 128, 64);
    end.fill(3);
    expect(end[63]).toBe(3);
    let error: unknown;
    try {
      heap.alloc(1000);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(SparlaneError);
    expect(error).toMatchObject({ code: 'heap', detail: { bytesAsked: 1000, bytesFree: 0 } });
    expect((error as Error).message).toBe(
      `heap: expected a free block of 1000 bytes, got 0 bytes free in all${heap.wayOut}`,
    );
    expect(heap.wayOut).toMatch(/use several memories; .* joinRanks, docs\/ranks.md$/);
    heap.free(rest);
    expect(heap.alloc(1000)).toBe(rest);
    for (const address of [small, ...blocks]) heap.free(address);
    expect(heap.bytesInUse).toBe(1024);
  });

  test('a request beyond the limit leaves everything as it was', () => {
    const heap = new Heap({ maximumBytes: 2 ** 20 });
    const before = { inUse: heap.bytesInUse, length: heap.byteLength };
    // Not beyond the 4 GiB of one memory: ranks are not what it takes.
    expect(() => heap.alloc(2 ** 21)).toThrow(
      expect.objectContaining({ code: 'heap', message: expect.stringMatching(/^heap: .* free in all$/) }),
    );
    expect({ inUse: heap.bytesInUse, length: heap.byteLength }).toEqual(before);
    expect(() => heap.alloc(2 ** 40)).toThrow(
      expect.objectContaining({ code: 'heap', detail: expect.objectContaining({ bytesAsked: 2 ** 40 }) }),
    );
    expect(heap.alloc(2 ** 19)).toBeGreaterThan(0);
  });

  test('double frees and strange addresses are errors', () => {
    const heap = new Heap();
    const address = heap.alloc(10);
    heap.free(address);
    expect(() => heap.free(address)).toThrow(/address: expected a block in use/);
    expect(() => heap.free(address + 1)).toThrow(/address/);
    expect(() => heap.alloc(-1)).toThrow(/bytes: expected an integer/);
    expect(() => heap.alloc(1.5)).toThrow(/bytes/);
    expect(() => new Heap({ maximumBytes: 2 ** 33 })).toThrow(/maximumBytes/);
  });

  test('a shared block is freed with the last of its scopes', () => {
    const heap = new Heap();
    const scopes = [heap.scope(), heap.scope(), heap.scope()] as const;
    const array = scopes[0].array(Uint32Array, 100);
    for (const other of scopes.slice(1)) other.share(array);
    expect(heap.bytesOf(array.byteOffset)).toBe(448);
    for (const scope of scopes) {
      expect(heap.bytesInUse).toBe(448);
      scope[Symbol.dispose]();
      scope[Symbol.dispose]();
    }
    expect(heap.bytesInUse).toBe(0);
    expect(() => heap.hold(array.byteOffset)).toThrow(SparlaneError);
  });

  test('build frees its allocations if it fails', () => {
    const heap = new Heap();
    expect(() =>
      heap.build((scope) => {
        scope.alloc(1000);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(heap.bytesInUse).toBe(0);
  });
});
