/**
 * Layouts with large blocks, and the matrices that they are checked with: the other matrices of the suite are smaller than one block, or
 * would be mostly padding.
 */
import { parseSpec } from '../core/parameters.js';
import { type ConformanceMatrix, columns, conformanceMatrices, pattern } from './matrices.js';

/** Sizes from the smallest blocks of the kernel K3 (`cuda/bsr/parameters.cuh`) to the largest: even and odd, with panels of one height and of several. */
export const LARGE_BLOCKS: readonly number[] = [32, 48, 64, 65, 96, 100, 128, 256, 1000, 1024];

/** Blocks from this size on have millions of entries: a few checks of every kernel are enough. Chosen. */
const BRIEF_FROM = 512;

/** The layouts that are checked in addition to the registry's variants. */
export const LARGE_BLOCK_SPECS: readonly string[] = [
  ...LARGE_BLOCKS.map((b) => `bsr?blockSize=${b}`),
  'bsr?blockSize=100&maxRowBlocks=1',
  'bsr?blockSize=300&maxRowBlocks=1',
];

/** The matrices for a layout: those of the suite, or those for its large blocks. */
export function matricesFor(spec: string): readonly ConformanceMatrix[] {
  const b = blockSizeOf(spec);
  return b < LARGE_BLOCKS[0]! ? conformanceMatrices() : blocksOf(b);
}

export function isBriefFor(spec: string): boolean {
  return blockSizeOf(spec) >= BRIEF_FROM;
}

/** The size of blocks that a spec names. It is 0 for other formats, and where the size is searched. */
function blockSizeOf(spec: string): number {
  const { name, given } = parseSpec('format', spec);
  return name === 'bsr' ? Number(given.blockSize ?? 0) : 0;
}

const made = new Map<number, readonly ConformanceMatrix[]>();

function blocksOf(b: number): readonly ConformanceMatrix[] {
  const known = made.get(b) ?? makeBlocks(b);
  made.set(b, known);
  return known;
}

function makeBlocks(b: number): ConformanceMatrix[] {
  const block = (row: number) => Math.floor(row / b);
  const full = (place: number) => columns(place * b, (place + 1) * b);
  const places = [[0, 2], [1]];
  // The last block column begins at most half a block further; the last block row is a third; the one before it is empty.
  const cols = 2 * b + (b >> 1) + 1;
  const rows = 2 * b + Math.ceil(b / 3);
  const ranges = [columns(0, b), columns(2 * b, cols), columns(b, cols)];
  const thirds = [[...ranges[0]!, ...ranges[1]!], [], ranges[2]!];
  return [
    pattern(`full blocks of ${b}`, 2 * b, 3 * b, (row) => places[block(row)]!.flatMap(full)),
    pattern(`ragged blocks of ${b}`, rows, cols, (row) =>
      thirds[block(row)]!.filter((col) => (row + 2 * col) % 3 !== 0),
    ),
  ];
}
