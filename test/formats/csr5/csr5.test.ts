/** CSR5 by hand: Liu & Vinter 2015, §3, with flags where rows end. The rest is in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { StoredCsr5 } from '#dist/formats/csr5/csr5.js';
import { bitFlag, firstRow, hasEmptyRows, segOffset, yOffset } from '#dist/formats/csr5/tiles.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { expectConformance } from '../conforms.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix = workedExample()): StoredCsr5 {
  return storeMatrix(engine.heap, matrix, spec, 'f64') as StoredCsr5;
}

const EMPTY = 2 ** 31;

/** The description of a tile, lane by lane. */
function described(stored: StoredCsr5, tile: number) {
  const lanes = Array.from({ length: stored.omega }, (_, lane) => lane);
  return {
    bitFlag: lanes.map((lane) => bitFlag(stored, tile, lane)),
    yOffset: lanes.map((lane) => yOffset(stored, tile, lane)),
    segOffset: lanes.map((lane) => segOffset(stored, tile, lane)),
  };
}

/** Rows of the given lengths, their values counted from 1. */
function ofLengths(...lengths: number[]): CsrMatrix {
  const builder = new CsrBuilder(lengths.length, Math.max(...lengths));
  let value = 0;
  lengths.forEach((length, row) => {
    for (let col = 0; col < length; col++) builder.add(row, col, ++value);
  });
  return builder.build();
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('with σ = 1: a tile of four entries and a tail of two', () => {
    using stored = store('csr5?sigma=1');
    expect([stored.omega, stored.sigma, stored.tiles, stored.units]).toEqual([4, 1, 1, 2]);
    expect(stored.tilePtr).toEqual(Uint32Array.of(EMPTY + 0, 3));
    expect(described(stored, 0)).toEqual({ bitFlag: [0, 1, 1, 0], yOffset: [0, 0, 1, 2], segOffset: [0, 0, 1, 0] });
    expect(bitFlag(stored, 1, 0)).toBe(0b10);
    expect(stored.emptyOffsetPtr).toEqual(Uint32Array.of(0, 2));
    expect(stored.emptyOffset).toEqual(Uint32Array.of(0, 2));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 2, 2, 0, 1, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60));
    expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 4 + 3, 6 + 4]);
  });

  it('with the default σ: all of it is tail', () => {
    using stored = store('csr5');
    expect([stored.sigma, stored.tiles, stored.units]).toEqual([16, 0, 1]);
    expect(stored.tilePtr).toEqual(Uint32Array.of(EMPTY + 0));
    expect(bitFlag(stored, 0, 0)).toBe(0b100110);
    expect(stored.emptyOffset).toEqual(Uint32Array.of(0, 2, 3));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60));
  });

  it('has a header of sizes and addresses', () => {
    using stored = store('csr5?sigma=1');
    const { tilePtr, tileDesc, emptyOffsetPtr, emptyOffset, colIdx, values } = stored;
    const arrays = [tilePtr, tileDesc, emptyOffsetPtr, emptyOffset, colIdx, values].map((array) => array.byteOffset);
    const words = [...engine.heap.view(Uint32Array, stored.header, 14)];
    expect(words.toSpliced(12, 1)).toEqual([4, 1, 1, 1, 2, 64, ...arrays, 4]);
  });

  it('costs its arrays, x and y', () => {
    using stored = store('csr5?sigma=1');
    expect(stored.cost()).toEqual({ bytes: 6 * 12 + 2 * 20 + (2 + 2) * 4 + 8 * (4 + 3), flops: 12 });
  });
});

describe('a tile of 4 × 3', () => {
  // Entries 1 … 13; a row of 5, 4, an open one that ends in the tail.
  const matrix = ofLengths(5, 4, 4);

  it('has the steps of its lanes side by side', () => {
    using stored = store('csr5?sigma=3', matrix);
    expect([...stored.values]).toEqual([1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12, 13]);
    expect([...stored.colIdx]).toEqual([0, 3, 1, 0, 1, 4, 2, 1, 2, 0, 3, 2, 3]);
  });

  it('records where rows end, how many before each lane, and how many lanes have none', () => {
    using stored = store('csr5?sigma=3', matrix);
    expect(described(stored, 0)).toEqual({
      bitFlag: [0, 0b010, 0b100, 0],
      yOffset: [0, 0, 1, 2],
      segOffset: [0, 0, 1, 0],
    });
    expect([firstRow(stored, 0), firstRow(stored, 1)]).toEqual([0, 2]);
    expect([stored.emptyOffsetPtr.length, stored.emptyOffset.length]).toEqual([0, 0]);
  });

  it('round trip', () => {
    using stored = store('csr5?sigma=3', matrix);
    expect(toCsr(stored)).toEqual({ ...matrix, field: toCsr(stored).field });
  });
});

describe('empty rows', () => {
  const marked = (stored: StoredCsr5) => [...stored.tilePtr.keys()].map((tile) => hasEmptyRows(stored.tilePtr, tile));

  it('before the first entry, between tiles and behind the last mark no tile', () => {
    using stored = store('csr5?sigma=1', ofLengths(0, 4, 0, 0, 4, 0));
    expect(stored.tilePtr).toEqual(Uint32Array.of(1, 4, 6));
    expect(marked(stored)).toEqual([false, false, false]);
    expect(stored.emptyOffset.length).toBe(0);
  });

  it('between rows that end in a tile mark it, in front of one that stays open they do not', () => {
    using stored = store('csr5?sigma=1', ofLengths(1, 0, 3, 2, 0, 5));
    expect(stored.tilePtr).toEqual(Uint32Array.of(EMPTY + 0, 3, 5));
    expect(stored.emptyOffset).toEqual(Uint32Array.of(0, 2));
    expect(described(stored, 1).bitFlag).toEqual([0, 1, 0, 0]);
  });

  it('are all there is in a matrix without entries: one unit writes them', () => {
    using stored = store('csr5', ofLengths(0, 0, 0));
    expect([stored.tiles, stored.units]).toEqual([0, 1]);
    expect(stored.tilePtr).toEqual(Uint32Array.of(3));
    expect([stored.workBefore(0), stored.workBefore(1)]).toEqual([0, 3]);
  });
});

it('a row through several tiles is open in each but the last', () => {
  using stored = store('csr5?sigma=2', ofLengths(1, 30, 1));
  expect(stored.tilePtr).toEqual(Uint32Array.of(0, 1, 1, 1, 3));
  expect([1, 2].map((tile) => described(stored, tile).bitFlag)).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]);
  expect(described(stored, 0).segOffset).toEqual([3, 2, 1, 0]);
  expect(described(stored, 3).bitFlag).toEqual([0, 0, 0, 0b11]);
});

describe('σ', () => {
  it.each([
    [1, 16],
    [3, 15],
    [5, 15],
    [7, 14],
    [11, 11],
    [16, 16],
    [17, 16],
  ])('with rows of %i entries each is %i', (length, sigma) => {
    using stored = store('csr5', ofLengths(length, length, length));
    expect(stored.sigma).toBe(sigma);
    expect(stored.spec).toBe(`csr5?sigma=${sigma}`);
  });

  it('is 16 where the mean is not whole, and where there is none', () => {
    using uneven = store('csr5', ofLengths(5, 5, 4));
    using noRows = store('csr5', new CsrBuilder(0, 3).build());
    expect([uneven.sigma, noRows.sigma]).toEqual([16, 16]);
  });

  it.each([1, 3, 5, 15])('of %i conforms', async (sigma) => {
    await expectConformance(`csr5?sigma=${sigma}`);
  });

  it.each([
    ['csr5?sigma=17', 'csr5 sigma: expected an integer from 0 to 16'],
    ['csr5?sigma=-1', 'csr5 sigma: expected an integer from 0 to 16'],
    ['csr5?sigma=1.5', 'csr5 sigma: expected an integer from 0 to 16'],
    ['csr5?omega=8', "csr5 omega: expected 4 | 32, got '8'"],
    ['csr5?lanes=8', 'csr5: expected only the parameters omega, sigma'],
  ])('is checked: %s', (spec, message) => {
    expect(() => store(spec)).toThrowError(message);
  });
});

describe('units', () => {
  it('are runs of tiles where there are more than 256, so that each has sums of its own', () => {
    using stored = store('csr5?sigma=1', gallery('laplace1d3', { nx: 2000 }));
    expect([stored.tiles, stored.tilesPerUnit, stored.units]).toEqual([1499, 6, 250]);
    expect(stored.workBefore(1)).toBe(6 * 4 + firstRow(stored, 6));
    expect(stored.workBefore(250)).toBe(5998 + 2000);
  });

  it('give the same product for any number of parts, with rows of equal length or not', () => {
    for (const matrix of [
      gallery('banded', { rows: 3000, halfBandwidth: 9, perRow: 5 }),
      gallery('rmat', { scale: 9 }),
    ]) {
      using operator = engine.operator(matrix, { format: 'csr5', parts: 1 });
      using x = engine.vector(matrix.cols).set(Float64Array.from({ length: matrix.cols }, (_, j) => (j % 17) - 8));
      using y = engine.vector(matrix.rows);
      operator.apply(x, y);
      for (const parts of [2, 5, 64, 400]) {
        using shared = engine.operator(matrix, { format: 'csr5', parts });
        using other = engine.vector(matrix.rows).fill(NaN);
        shared.apply(x, other);
        const scale = Math.max(...y.data.map(Math.abs));
        expect(Math.max(...other.data.map((value, i) => Math.abs(value - y.data[i]!)))).toBeLessThan(1e-12 * scale);
      }
    }
  });
});

describe('ω = 32, for the warps of a device', () => {
  const fill = (value: number) => new Array<number>(32).fill(value);

  it('the worked example is a tail, its flags 16 in a word', () => {
    using stored = store('csr5?omega=32&sigma=1');
    expect([stored.omega, stored.tiles, stored.tileDesc.length]).toEqual([32, 0, 32]);
    expect(stored.tilePtr).toEqual(Uint32Array.of(EMPTY + 0));
    expect([bitFlag(stored, 0, 0), bitFlag(stored, 0, 1)]).toEqual([0b100110, 0]);
    expect(stored.values).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60));
  });

  it('a tile has the steps of 32 lanes side by side', () => {
    // Rows of 2 with σ = 2: each lane holds one; two more entries are the tail.
    using stored = store('csr5?omega=32&sigma=2', ofLengths(...new Array(33).fill(2)));
    expect([stored.tiles, stored.units]).toEqual([1, 2]);
    expect(stored.tilePtr).toEqual(Uint32Array.of(0, 32));
    const { bitFlag: flags, yOffset: offsets, segOffset: segments } = described(stored, 0);
    expect([flags, offsets, segments]).toEqual([fill(0b10), [...fill(0).keys()], fill(0)]);
    expect([...stored.values.subarray(0, 3), ...stored.values.subarray(32, 35)]).toEqual([1, 3, 5, 2, 4, 6]);
    expect([...stored.values.subarray(64)]).toEqual([65, 66]);
    expect(engine.heap.view(Uint32Array, stored.header, 14)[13]).toBe(32);
  });

  it('counts up to 31 · 16 rows before a lane, and 31 lanes without an end', () => {
    using ones = store('csr5?omega=32&sigma=16', ofLengths(...new Array(512).fill(1)));
    expect(described(ones, 0).bitFlag).toEqual(fill(0xffff));
    expect(yOffset(ones, 0, 31)).toBe(31 * 16);
    using long = store('csr5?omega=32&sigma=16', ofLengths(1000));
    expect(described(long, 0).segOffset).toEqual(fill(0).map((_, lane) => 31 - lane));
    expect(described(long, 0).yOffset).toEqual(fill(0));
  });

  it.each([1, 5, 16])('and σ = %i conforms to its description', async (sigma) => {
    await expectConformance(`csr5?omega=32&sigma=${sigma}`, { backend: 'reference' });
  });

  it('is none for a CPU', () => {
    expect(() => engine.operator(workedExample(), { format: 'csr5?omega=32' })).toThrowError(
      expect.objectContaining({ code: 'argument', message: 'csr5 omega: expected 4 on a CPU, got 32' }),
    );
  });
});
