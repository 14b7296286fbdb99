/**
 * The usual lines of a coordinate file → entries, by a WebAssembly module with a memory of its own (`assembly/text/text.ts`): without an
 * engine, without shared memory. One scanner is kept for the next file: its memory would have to be provided, and collected, anew.
 *
 * Cost: see `matrix-market.ts`. Memory: two buffers of text, 1.2 MB, of which one uses 256 KiB of one, or all if a file is read into them;
 * entries, 128 KiB, 33 KB of ends of tokens, and 10 KB of powers of five.
 */
import { bytesOfBase64 } from '../../core/base64.js';
import type { EntryChunk } from '../../core/entries.js';
import type { Field } from '../../core/types.js';
import { NEWLINE } from '../bytes/lines.js';
import type { ReadBlock } from './block-ring.js';
import { BUFFER_BYTES, type WholeLines } from './blocks.js';
import type { MatrixMarketHeader } from './header.js';
import { TEXT_WASM } from './text.wasm.js';

/** Of the module, what reading any lines needs. */
export interface TextExports {
  readonly memory: WebAssembly.Memory;
  readonly FREE: WebAssembly.Global<'i32'>;
  readonly POWERS_OF_FIVE: WebAssembly.Global<'i32'>;
  readonly MOST_ENTRIES: WebAssembly.Global<'i32'>;
  readonly ROWS: WebAssembly.Global<'i32'>;
  readonly COLS: WebAssembly.Global<'i32'>;
  readonly VALUES: WebAssembly.Global<'i32'>;
}

interface Exports extends TextExports {
  readonly after: WebAssembly.Global<'i32'>;
  readonly stop: WebAssembly.Global<'i32'>;
  readonly triangles: WebAssembly.Global<'i32'>;
  readonly scanDecimal: (begin: number) => number;
  readonly readCoordinates: (
    ...parameters: [begin: number, end: number, rows: number, cols: number, field: number, skew: boolean, most: number]
  ) => number;
}

const FIELD_CODES: Readonly<Record<Field, number>> = { pattern: 0, real: 1, integer: 2 };

/** Of text that lies elsewhere. */
const COPIED_BYTES = 1 << 18;
const PAGE_BYTES = 1 << 16;

/** What a call read. */
export interface Scanned {
  /** The begin of the first line that was not read: of another form, or of an entry without room. Or the end of the block. */
  readonly next: number;
  /** Triangles of the entries: 1 is the lower one, 2 the upper one, 3 both. */
  readonly triangles: number;
}

/** What a scanner is made of; another thread may get it. */
export interface ScannerParts {
  readonly module: WebAssembly.Module;
  /** See `powersOfFive`. */
  readonly powers: BigUint64Array;
}

/** The module with a memory of its own, and buffers for text in it. */
export function instantiate<E extends TextExports>(
  { module, powers }: ScannerParts,
  bytes: number,
  count: number,
): { readonly exports: E; readonly buffers: readonly Uint8Array[] } {
  const exports = new WebAssembly.Instance(module).exports as unknown as E;
  const { memory, FREE, POWERS_OF_FIVE } = exports;
  const text = Math.ceil(FREE.value / 64) * 64;
  // Steps of 64 bytes go beyond the end of a text.
  const pitch = Math.ceil(bytes / 64) * 64 + 64;
  memory.grow(Math.ceil((text + count * pitch - memory.buffer.byteLength) / PAGE_BYTES));
  new BigUint64Array(memory.buffer, POWERS_OF_FIVE.value, powers.length).set(powers);
  const buffers = Array.from({ length: count }, (_, k) => new Uint8Array(memory.buffer, text + k * pitch, bytes));
  return { exports, buffers };
}

export class LineScanner {
  readonly parts: ScannerParts;
  /** Text in them is read without a copy. */
  readonly buffers: readonly [Uint8Array, Uint8Array];
  readonly #exports: Exports;
  readonly #rowIdx: Uint32Array;
  readonly #colIdx: Uint32Array;
  readonly #values: Float64Array;

  constructor(parts: ScannerParts) {
    const { exports, buffers } = instantiate<Exports>(parts, BUFFER_BYTES, 2);
    const { memory, MOST_ENTRIES, ROWS, COLS, VALUES } = exports;
    this.parts = parts;
    this.#exports = exports;
    this.buffers = [buffers[0]!, buffers[1]!];
    this.#rowIdx = new Uint32Array(memory.buffer, ROWS.value, MOST_ENTRIES.value);
    this.#colIdx = new Uint32Array(memory.buffer, COLS.value, MOST_ENTRIES.value);
    this.#values = new Float64Array(memory.buffer, VALUES.value, MOST_ENTRIES.value);
  }

  /** Reads whole lines from `bytes[begin]` on, at most `most` that fit into the chunk, as long as they have the usual form. */
  read(header: MatrixMarketHeader, bytes: Uint8Array, begin: number, chunk: EntryChunk, most: number): Scanned {
    const { rows, cols, field, symmetry } = header;
    const { memory, stop, triangles, readCoordinates } = this.#exports;
    const [buffer] = this.buffers;
    const isHere = bytes.buffer === memory.buffer;
    const last = Math.min(chunk.rowIdx.length, chunk.used + most);
    let found = 0;
    let next = begin;
    while (next < bytes.length) {
      let end = bytes.length;
      /** The address of bytes[0]. */
      let text = bytes.byteOffset;
      if (!isHere) {
        if (end - next > COPIED_BYTES) end = bytes.lastIndexOf(NEWLINE, next + COPIED_BYTES - 1) + 1;
        if (end <= next) break;
        buffer.set(bytes.subarray(next, end));
        text = buffer.byteOffset - next;
      }
      const used = readCoordinates(
        text + next,
        text + end,
        rows,
        cols,
        FIELD_CODES[field],
        symmetry === 'skew-symmetric',
        Math.min(this.#rowIdx.length, last - chunk.used),
      );
      chunk.rowIdx.set(this.#rowIdx.subarray(0, used), chunk.used);
      chunk.colIdx.set(this.#colIdx.subarray(0, used), chunk.used);
      chunk.values?.set(this.#values.subarray(0, used), chunk.used);
      chunk.used += used;
      found |= triangles.value;
      next = stop.value - text;
      if (next < end && used < this.#rowIdx.length) break;
    }
    return { next, triangles: found };
  }

  /** Reads the lines of a block into a chunk that has room for them. */
  readBlock(header: MatrixMarketHeader, { text, tooLong }: WholeLines, entries: EntryChunk): ReadBlock {
    const { next, triangles } = this.read(header, text, 0, entries, Number.POSITIVE_INFINITY);
    return { entries, triangles, rest: next < text.length || tooLong > 0 ? next : -1 };
  }

  /** As `scanNumber`: the number at `bytes[begin]`, and the place behind it; −1 without a number, or with an undecided one. */
  scanNumber(bytes: Uint8Array, begin: number): [value: number, next: number] {
    const [buffer] = this.buffers;
    buffer.set(bytes.subarray(begin, begin + COPIED_BYTES));
    const value = this.#exports.scanDecimal(buffer.byteOffset);
    const after = this.#exports.after.value;
    return [value, after === 0 ? -1 : begin + after - buffer.byteOffset];
  }
}

let parts: Promise<ScannerParts | undefined> | undefined;

/** Undefined where the process has no WebAssembly, or may not compile it. */
export function scannerParts(): Promise<ScannerParts | undefined> {
  parts ??= compile().catch(() => undefined);
  return parts;
}

let kept: LineScanner | undefined;

/** A scanner for one file: the one that is kept, or a new one. Undefined as `scannerParts`. */
export async function lineScanner(): Promise<LineScanner | undefined> {
  const made = await scannerParts();
  const scanner = kept;
  kept = undefined;
  return scanner ?? (made && new LineScanner(made));
}

/** Keeps the scanner of a file that was read to its end, so that nothing is being read into its buffers. */
export function keepScanner(scanner: LineScanner): void {
  kept = scanner;
}

async function compile(): Promise<ScannerParts> {
  return { module: await WebAssembly.compile(bytesOfBase64(TEXT_WASM)), powers: powersOfFive() };
}

const LEAST_POWER = -342;
const GREATEST_POWER = 308;

/** The leading 128 bits of 5^q, low word first: cut, but rounded up for −27 ≤ q < 0 (Lemire 2021, section 5). Takes 3 ms. */
function powersOfFive(): BigUint64Array {
  const words: bigint[] = [];
  for (let q = LEAST_POWER; q <= GREATEST_POWER; q++) {
    const power = 5n ** BigInt(Math.abs(q));
    const length = BigInt(power.toString(2).length);
    let bits: bigint;
    if (q < 0) bits = (1n << (length + 127n)) / power + (q < -27 ? 0n : 1n);
    else bits = length > 128n ? power >> (length - 128n) : power << (128n - length);
    words.push(BigInt.asUintN(64, bits), bits >> 64n);
  }
  return BigUint64Array.from(words);
}
