/** Copies from one memory of a team to another: a kernel in JavaScript, because a WebAssembly module of Node 20 has one memory. */
import { viewOf } from '../formats/layout/loop.js';
import type { Kernel } from './abi.js';

/** The header of a copy has these words. */
export const COPY_HEADER = {
  /** The number of the memory that is read. */
  memory: 'u32',
  /** The addresses in that memory, and in the one that is written. */
  source: 'u32',
  target: 'u32',
  bytes: 'u32',
} as const;

type Words = [memory: number, source: number, target: number, bytes: number];

const WORDS = Object.keys(COPY_HEADER).length;

/** A copy is divided into units of so many bytes: a cache line each. */
export const COPY_UNIT = 64;

/** @param memory that is written @param memoryOf the memories of the team by their numbers */
export function copyKernel(memory: WebAssembly.Memory, memoryOf: (place: number) => WebAssembly.Memory): Kernel {
  return (header, _operands, begin, end) => {
    const [place, source, target, bytes] = viewOf(memory, Uint32Array, header, WORDS) as Iterable<number> as Words;
    const first = begin * COPY_UNIT;
    const length = Math.min(end * COPY_UNIT, bytes) - first;
    const from = viewOf(memoryOf(place), Uint8Array, source + first, length);
    viewOf(memory, Uint8Array, target + first, length).set(from);
  };
}
