/** The model of a GPU quotes constants of the kernels. Here they are compared with the sources. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const MODEL = readFileSync(new URL('../../src/backends/cuda/model.ts', import.meta.url), 'utf8');

/** A warp has so many threads, and a multiprocessor of Hopper runs so many at a time. */
const WARP = 32;
const RESIDENT = 2048;

/** Each line has a constant of the model, the file and the name under which the kernels have it, and how the one follows from the other. */
const QUOTED: readonly [model: string, file: string, name: string, of?: (value: number) => number][] = [
  ['HUB_ENTRIES', 'csr/hubs.cu', 'MIN_ENTRIES'],
  ['NARROW_ENTRIES', 'csr/csr.cu', 'NARROW_ENTRIES'],
  ['WINDOWS_COLUMNS', 'csr/packing.cuh', 'WINDOW_SHIFT', (shift) => WARP * 2 ** shift],
  ['CLUSTERED_ENTRIES.least', 'csr/clusters.cuh', 'LEAST_ENTRIES'],
  ['CLUSTERED_ENTRIES.most', 'csr/clusters.cuh', 'MOST_ENTRIES'],
  ['SAVED', 'csr/clusters.cuh', 'LEAST_SAVED'],
  ['SMALLEST_TILE', 'csr/tiles.cuh', 'SMALLEST_TILE'],
  ['THREAD_COLUMNS', 'sell/sell.cu', 'THREAD_COLUMNS'],
  ['BATCH_COLUMNS', 'sell/sell.cu', 'BATCH_COLUMNS'],
  ['FEW_ROWS_SHARE', 'sell/sell.cu', 'FEW_ROWS', (rows) => rows / RESIDENT],
  ['THREADS_ROOM', 'sell/sell.cu', 'ROOM'],
  ['LONG_COLUMNS', 'sell/sell.cu', 'LONG_COLUMNS'],
  ['LONG_SHARE', 'sell/sell.cu', 'LONG_SHARE'],
  ['GROUP_LANES', 'inode/inode.cu', 'MIN_LANES'],
  ['GROUP_BATCH', 'inode/inode.cu', 'UNROLL'],
  ['LONG_VALUES', 'inode/inode.cu', 'LONG_VALUES'],
  ['BATCHES_KEPT', 'bsr/bsr.cu', 'STEPS_KEPT'],
];

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
  const source = readFileSync(new URL(`../../cuda/${file}`, import.meta.url), 'utf8');
  const [, text] = new RegExp(`^constexpr .*\\b${name} = ([^,;]+)[,;]`, 'm').exec(source)!;
  return numberOf(text!);
}

describe('constants of the kernels that the model of a GPU quotes', () => {
  for (const [name, file, quoted, of = (value: number) => value] of QUOTED) {
    test(`${name}: ${quoted} of cuda/${file}`, () => {
      expect(inModel(name)).toBe(of(inKernels(file, quoted)));
    });
  }
});
