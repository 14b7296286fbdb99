/** The model of a GPU, and what devices do for each other, quote constants of the kernels. Here they are compared with the sources. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MOST_PEERS, NO_PLACE, SUM_FRAME, TICKET, TURNS } from '#dist/backends/device-peers.js';

const MODEL = readFileSync(new URL('../../src/backends/cuda/model.ts', import.meta.url), 'utf8');

/** A warp has so many threads, and a multiprocessor of Hopper runs so many at a time. */
const WARP = 32;
const RESIDENT = 2048;

/** Each line has a constant of the model, the file and the name under which the kernels have it, and how the one follows from the other. */
const QUOTED: readonly [model: string, file: string, name: string, of?: (value: number) => number][] = [
  ['NARROW_ENTRIES', 'csr/packed-candidates.cuh', 'NARROW_ENTRIES'],
  ['WINDOWS_COLUMNS', 'csr/packing.cuh', 'WINDOW_SHIFT', (shift) => WARP * 2 ** shift],
  ['CLUSTERED_ENTRIES.least', 'csr/clusters.cuh', 'LEAST_ENTRIES'],
  ['CLUSTERED_ENTRIES.most', 'csr/clusters.cuh', 'MOST_ENTRIES'],
  ['MOVED_ROW', 'csr/costs.cuh', 'SECTORS_OF_MOVED_ROW'],
  ['SECTOR_BYTES', 'sectors.cuh', 'SECTOR_BYTES'],
  ['TILE_ENTRIES', 'csr/csr.cuh', 'TILE_ITEMS', (items) => items * inKernels('csr/csr.cuh', 'TILE_THREADS')],
  ['SMALLEST_TILE', 'csr/tiles.cuh', 'SMALLEST_TILE'],
  ['TILE_THREADS', 'csr/tiles.cuh', 'LEAST_TILES', (tiles) => RESIDENT / tiles],
  ['SPLIT_BATCH', 'sell/kernels.cuh', 'SPLIT_BATCH'],
  ['MOST_SPLIT', 'sell/kernels.cuh', 'MAX_WIDTH'],
  ['LONG_COLUMNS', 'sell/costs.cuh', 'LONG_COLUMNS'],
  ['LONG_SHARE', 'sell/costs.cuh', 'LONG_SHARE'],
  ['GROUP_LANES', 'inode/inode.cu', 'MIN_LANES'],
  ['GROUP_BATCH', 'inode/inode.cu', 'UNROLL'],
  ['LONG_VALUES', 'inode/inode.cu', 'LONG_VALUES'],
  ['DIAGONAL_BATCH', 'dia/dia.cu', 'MOST_UNROLL'],
  ['BATCHES_KEPT', 'bsr/bsr.cuh', 'STEPS_KEPT'],
];

/** A batch of `cuda/bsr/k1.cuh` with one buffer has so many blocks, by the size of blocks from 2 on. */
const BLOCKS_OF_BATCH = (() => {
  const [, table] = /BLOCKS\[LARGEST_SMALL \+ 1\]\[2\] = \{\{\}, \{\}, (.*)\};/.exec(sourceOf('bsr/k1.cuh'))!;
  return [...table!.matchAll(/\{(\d+), \d+\}/g)].map(([, blocks]) => Number(blocks));
})();

/** The model has these numbers of its own, which no kernel has. */
const OWN = [
  ...['HUB_ENTRIES', 'HUB_SCATTERED', 'WITHOUT_HUBS', 'NARROW_SCATTERED', 'FILLING_BYTES', 'FILLING_GATHERS'],
  ...['L1_BYTES', 'L2_BYTES', 'FOLDED', 'WARP_ENTRIES'],
  ...['THREAD_COLUMNS', 'BATCH_COLUMNS', 'FEW_ROWS_SHARE', 'THREADS_ROOM', 'ROW_BATCH'],
];
/** These are compared in a test of their own. */
const COMPARED = ['SMALL_BLOCK', 'BATCH_OF_SMALL', 'BATCH_OF_LARGE'];

function sourceOf(file: string): string {
  return readFileSync(new URL(`../../cuda/${file}`, import.meta.url), 'utf8');
}

/** Returns the number that a text says in TypeScript or C++: `1 / 16`, `2 ** 25`, `1u << 25`, `3'000'000`, `1e5`. */
function numberOf(text: string): number {
  const [, left, operator, right] = /^([\d.e]+)u?(?:\s*(\/|\*\*|<<)\s*(\d+))?$/.exec(text.replaceAll("'", ''))!;
  const [a, b] = [Number(left), Number(right)];
  return operator === '/' ? a / b : operator === '**' ? a ** b : operator === '<<' ? a * 2 ** b : a;
}

function inModel(name: string): number {
  const [constant, member] = name.split('.');
  const [, text] = new RegExp(`^const ${constant} = (.*);$`, 'm').exec(MODEL)!;
  return numberOf(member === undefined ? text! : new RegExp(`${member}: ([^,}]*[^,} ])`).exec(text!)![1]!);
}

function inKernels(file: string, name: string): number {
  const [, text] = new RegExp(`^constexpr .*\\b${name} = ([^,;]+)[,;]`, 'm').exec(sourceOf(file))!;
  return numberOf(text!);
}

describe('constants of the kernels that the model of a GPU quotes', () => {
  for (const [name, file, quoted, of = (value: number) => value] of QUOTED) {
    test(`${name}: ${quoted} of cuda/${file}`, () => {
      expect(inModel(name)).toBe(of(inKernels(file, quoted)));
    });
  }

  test('blocks of a batch of small and of large blocks', () => {
    const isSmall = (_: number, place: number) => place + 2 < inModel('SMALL_BLOCK');
    const small = BLOCKS_OF_BATCH.filter(isSmall);
    const large = BLOCKS_OF_BATCH.filter((one, place) => !isSmall(one, place));
    expect([small.length, large.length]).toEqual([3, 4]);
    expect(new Set(small)).toEqual(new Set([inModel('BATCH_OF_SMALL')]));
    expect(Math.min(...large)).toBe(inModel('BATCH_OF_LARGE'));
  });

  test('every number of the model is quoted, or its own', () => {
    const numbers = [...MODEL.matchAll(/^const ([A-Z][A-Z0-9_]*) = [\d{]/gm)].map(([, name]) => name!);
    const quoted = QUOTED.map(([name]) => name.split('.')[0]!);
    expect(numbers.toSorted()).toEqual([...new Set([...quoted, ...OWN, ...COMPARED])].sort());
  });
});

test('constants of exchanges between devices are those of the addon', () => {
  const header = sourceOf('api/ranks.h');
  const inHeader = (name: string) => Number(new RegExp(`${name} = (\\d+)`).exec(header)![1]);
  expect(MOST_PEERS).toBe(inHeader('SPL_MOST_RANKS'));
  expect(SUM_FRAME).toBe(inHeader('SPL_SUM_FRAME'));
  expect(TICKET).toBe(inHeader('SPL_TICKET'));
  expect(header).toContain('#define SPL_NO_PLACE UINT32_MAX');
  expect(NO_PLACE).toBe(2 ** 32 - 1);
  expect(sourceOf('api/ranks.cu')).toContain('struct Turns {\n  uint32_t taken, sent;\n};');
  expect(TURNS).toBe(2 * Uint32Array.BYTES_PER_ELEMENT);
});
