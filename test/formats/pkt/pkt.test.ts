/** PKT by hand: the worked example made square, and figure 14 of Bell & Garland 2008. The rest is in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import type { StoredPkt } from '#dist/formats/pkt/pkt.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { expectConformance } from '../conforms.js';
import { kernelsOf } from '../kernels-of.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix): StoredPkt {
  return storeMatrix(engine.heap, matrix, spec, 'f64') as StoredPkt;
}

/** [10 0 20 0; 0 0 0 0; 0 0 30 0; 40 50 60 0] */
function squareExample(): CsrMatrix {
  return { ...workedExample(), cols: 4 };
}

/** Row and column of an entry, as they are packed. */
function at(row: number, col: number): number {
  return (row << 16) | col;
}

describe('the worked example made square, in packets of two rows', () => {
  const spec = 'pkt?packetRows=2';

  it('is laid out as the header draws it', () => {
    using stored = store(spec, squareExample());
    expect(stored.packetPtr).toEqual(Uint32Array.of(0, 2, 4));
    expect(stored.order).toEqual(Uint32Array.of(0, 2, 1, 3));
    expect(stored.stepPtr).toEqual(Uint32Array.of(0, 2, 3));
    const pad = at(2, 0);
    const steps = [at(0, 0), at(1, 1), pad, pad, at(0, 1), pad, pad, pad, at(1, 0), pad, pad, pad];
    expect(stored.packed).toEqual(Uint32Array.from(steps));
    expect(stored.values).toEqual(Float64Array.of(10, 30, 0, 0, 20, 0, 0, 0, 50, 0, 0, 0));
    expect(stored.rest?.rowIdx).toEqual(Uint32Array.of(3, 3));
    expect(stored.rest?.colIdx).toEqual(Uint32Array.of(0, 2));
    expect(stored.rest?.values).toEqual(Float64Array.of(40, 60));
    expect(stored.storedEntries).toBe(14);
  });

  it('has two stages, of which the second adds', () => {
    using stored = store(spec, squareExample());
    expect(kernelsOf(stored)).toEqual(['pkt_spmv', 'coo_spmv']);
    expect(stored.stages.spmv.map(({ units, adds }) => [units, adds])).toEqual([
      [2, undefined],
      [1, true],
    ]);
    expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 12, 20]);
    expect(stored.bitsDependOn).toBe('parts');
  });

  it('costs its arrays, x and y', () => {
    using stored = store(spec, squareExample());
    const bytes = 12 * (4 + 8) + 2 * (8 + 8) + 4 * 4 + 8 * 3 + 8 * (4 + 4);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
  });

  it('has a header of sizes and addresses', () => {
    using stored = store(spec, squareExample());
    const words = [...engine.heap.view(Uint32Array, stored.header, 10)];
    const arrays = [stored.packetPtr, stored.stepPtr, stored.order, stored.packed, stored.values];
    expect(words.toSpliced(8, 1)).toEqual([4, 2, 16, ...arrays.map(({ byteOffset }) => byteOffset), 4]);
  });
});

it('needs no second stage where one packet holds all', () => {
  using stored = store('pkt', squareExample());
  expect(stored.rest).toBeUndefined();
  expect(kernelsOf(stored)).toEqual(['pkt_spmv']);
  expect(stored.bitsDependOn).toBe('nothing');
  expect(stored.spec).toBe('pkt');
});

/** The lanes of figure 14, entries as `row column` within the packet. */
const FIGURE_14 = [
  ['00 01 03 04', '10 11 12 14 15', '21 22 25 40 41 43 44 45', '30 33 34 51 52 54 55'],
  ['00 01 03 41 42 43 44', '10 11 12 13 14', '21 22 24', '30 31 33 34'],
];

/** The mesh of figure 12: its two submatrices, from figure 14, and edges between them, of which the paper shows no numbers. */
function figure12(): CsrMatrix {
  const builder = new CsrBuilder(11, 11);
  FIGURE_14.forEach((lanes, packet) => {
    for (const [row, col] of lanes.flatMap((lane) => lane.split(' '))) {
      builder.add(6 * packet + Number(row), 6 * packet + Number(col), 1 + builder.rows);
    }
  });
  for (const [row, col] of [
    [2, 6],
    [5, 6],
    [5, 9],
    [4, 9],
  ] as const) {
    builder.add(row, col, -1);
    builder.add(col, row, -2);
  }
  return builder.build();
}

it('gives the partition and the packets of figures 12 to 14', () => {
  using stored = store('pkt?packetRows=6', figure12());
  expect(stored.order).toEqual(Uint32Array.from({ length: 11 }, (_, row) => row));
  const { packetPtr, stepPtr, packed, rest } = stored;
  expect(packetPtr).toEqual(Uint32Array.of(0, 6, 11));
  expect(rest?.nnz).toBe(8);
  const lanes = [0, 1].map((packet) => {
    const rows = packetPtr[packet + 1]! - packetPtr[packet]!;
    return [0, 1, 2, 3].map((lane) => {
      const words = [...packed.subarray(4 * stepPtr[packet]!, 4 * stepPtr[packet + 1]!)];
      const own = words.filter((word, k) => k % 4 === lane && word >>> 16 < rows);
      return own.map((word) => `${word >>> 16}${word & 0xffff}`).join(' ');
    });
  });
  expect(lanes).toEqual(FIGURE_14);
});

it('pads a packet by at most three times its longest row', () => {
  using arrow = store('pkt', gallery('circuit', { n: 2000, hubs: 1, hubLength: 1500 }));
  expect(arrow.storedEntries).toBeLessThanOrEqual(arrow.nnz + 3 * 2000);
});

it('keeps infinities in x to the rows that use them: padding adds to none', () => {
  using operator = engine.operator(squareExample(), { format: 'pkt?packetRows=2' });
  using x = engine.vector(4).set(Float64Array.of(Infinity, 1, 1, 1));
  using y = engine.vector(4);
  operator.apply(x, y);
  expect([...y.data]).toEqual([Infinity, 0, 30, Infinity]);
});

describe('packetRows', () => {
  it.each([1, 3, 16])('%i conforms', async (packetRows) => {
    await expectConformance(`pkt?packetRows=${packetRows}`);
  });

  it('is the most; packets are of equal size', () => {
    using stored = store('pkt?packetRows=1000', gallery('laplace2d5', { nx: 50, ny: 50 }));
    expect(stored.packetPtr).toEqual(Uint32Array.of(0, 834, 1667, 2500));
    expect(stored.spec).toBe('pkt?packetRows=1000');
  });

  it('may be all that 16 bits can count, with one more for padding', () => {
    const rows = 65_535;
    const matrix = gallery('banded', { rows, halfBandwidth: 40, perRow: 3 });
    using operator = engine.operator(matrix, { format: `pkt?packetRows=${rows}` });
    using csr = engine.operator(matrix, { format: 'csr' });
    using x = engine.vector(rows).set(Float64Array.from({ length: rows }, (_, i) => i % 7));
    using y = engine.vector(rows);
    using expected = engine.vector(rows);
    operator.apply(x, y);
    csr.apply(x, expected);
    expect((operator.matrix as StoredPkt).units).toBe(1);
    expect(y.data.every((value, i) => Math.abs(value - expected.data[i]!) < 1e-12)).toBe(true);
  });

  it.each([
    ['pkt?packetRows=0', 'pkt packetRows: expected an integer from 1 to 65535'],
    ['pkt?packetRows=65536', 'pkt packetRows: expected an integer from 1 to 65535'],
    ['pkt?rows=2', 'pkt: expected only the parameters packetRows, lanes'],
    ['pkt?lanes=3', 'pkt lanes: expected an integer from 4 to 1024'],
  ])('is checked: %s', (spec, message) => {
    expect(() => store(spec, squareExample())).toThrowError(message);
  });
});

it('refuses a matrix that is not square', () => {
  expect(() => store('pkt', workedExample())).toThrowError(
    expect.objectContaining({ code: 'shape', detail: { rows: 4, cols: 3 } }),
  );
});

describe('lanes for the blocks of a device', () => {
  it('are as many entries in a step', () => {
    using stored = store('pkt?packetRows=2&lanes=5', squareExample());
    expect(stored.stepPtr).toEqual(Uint32Array.of(0, 2, 3));
    const pad = at(2, 0);
    const steps = [at(0, 0), at(1, 1), pad, pad, pad, at(0, 1), pad, pad, pad, pad, at(1, 0), pad, pad, pad, pad];
    expect(stored.packed).toEqual(Uint32Array.from(steps));
    expect(stored.values).toEqual(Float64Array.of(10, 30, 0, 0, 0, 20, 0, 0, 0, 0, 50, 0, 0, 0, 0));
    expect([0, 1, 2].map((unit) => stored.workBefore(unit))).toEqual([0, 10 + 4, 15 + 8]);
    expect(engine.heap.view(Uint32Array, stored.header, 10)[9]).toBe(5);
  });

  it('are filled least-occupied first, of equals the first one', () => {
    // Rows of 3, 1, 1, 2, 1, 1, 1 entries in one packet of three lanes and more.
    const builder = new CsrBuilder(7, 7);
    for (const [row, length] of [3, 1, 1, 2, 1, 1, 1].entries())
      for (let k = 0; k < length; k++) builder.add(row, (row + k) % 7, 1);
    using stored = store('pkt?lanes=4', builder.build());
    const rowsOf = (lane: number) =>
      [...stored.packed].filter((word, k) => k % 4 === lane && word >>> 16 < 7).map((word) => word >>> 16);
    expect([0, 1, 2, 3].map(rowsOf)).toEqual([
      [0, 0, 0],
      [1, 4, 6],
      [2, 5],
      [3, 3],
    ]);
  });

  it.each([32, 128])('%i conform to their description', async (lanes) => {
    await expectConformance(`pkt?packetRows=50&lanes=${lanes}`, { backend: 'reference' });
  });

  it('are none for a CPU', () => {
    expect(() => engine.operator(squareExample(), { format: 'pkt?lanes=128' })).toThrowError(
      expect.objectContaining({ code: 'argument', message: 'pkt lanes: expected 4 on a CPU, got 128' }),
    );
  });
});
