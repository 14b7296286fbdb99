/** The usual lines of a list of edges → entries, by the WebAssembly module that reads Matrix Market files (`assembly/text/edge-lines.ts`). */
import type { EntryChunk } from '../../core/entries.js';
import { NEWLINE } from '../bytes/lines.js';
import { instantiate, scannerParts, type TextExports } from '../matrix-market/scanner.js';

interface Exports extends TextExports {
  readonly edgeStop: WebAssembly.Global<'i32'>;
  readonly sources: WebAssembly.Global<'f64'>;
  readonly targets: WebAssembly.Global<'f64'>;
  readonly readEdges: (begin: number, end: number, separator: number, hasWeights: boolean, most: number) => number;
}

/** Of text in the module's memory. */
const COPIED_BYTES = 1 << 18;

/** What a call read. */
export interface ScannedEdges {
  /** The begin of the first line that was not read: of another form, or of an entry without room. Or the end of the block. */
  readonly next: number;
  /** One more than the greatest source and target. */
  readonly rows: number;
  readonly cols: number;
}

export class EdgeScanner {
  readonly #exports: Exports;
  readonly #buffer: Uint8Array;
  readonly #rowIdx: Uint32Array;
  readonly #colIdx: Uint32Array;
  readonly #values: Float64Array;
  readonly #separator: number;
  readonly #hasWeights: boolean;
  /** What the buffer has: a part of a block. */
  #block: Uint8Array | undefined;
  #begin = 0;
  #end = 0;

  constructor(exports: Exports, buffer: Uint8Array, separator: ',' | '\t' | ' ', hasWeights: boolean) {
    const { memory, MOST_ENTRIES, ROWS, COLS, VALUES } = exports;
    this.#exports = exports;
    this.#buffer = buffer;
    this.#rowIdx = new Uint32Array(memory.buffer, ROWS.value, MOST_ENTRIES.value);
    this.#colIdx = new Uint32Array(memory.buffer, COLS.value, MOST_ENTRIES.value);
    this.#values = new Float64Array(memory.buffer, VALUES.value, MOST_ENTRIES.value);
    this.#separator = separator.charCodeAt(0);
    this.#hasWeights = hasWeights;
  }

  /** Reads whole lines from `bytes[begin]` on that fit into the chunk, as long as they have the usual form. */
  read(bytes: Uint8Array, begin: number, chunk: EntryChunk): ScannedEdges {
    const { edgeStop, sources, targets, readEdges } = this.#exports;
    let [next, rows, cols] = [begin, 0, 0];
    while (next < bytes.length) {
      if (this.#block !== bytes || next < this.#begin || next >= this.#end) this.#copy(bytes, next);
      const end = this.#end;
      /** The address of bytes[0]. */
      const text = this.#buffer.byteOffset - this.#begin;
      const room = chunk.rowIdx.length - chunk.used;
      const used = readEdges(text + next, text + end, this.#separator, this.#hasWeights, room);
      chunk.rowIdx.set(this.#rowIdx.subarray(0, used), chunk.used);
      chunk.colIdx.set(this.#colIdx.subarray(0, used), chunk.used);
      chunk.values?.set(this.#values.subarray(0, used), chunk.used);
      chunk.used += used;
      rows = Math.max(rows, sources.value);
      cols = Math.max(cols, targets.value);
      next = edgeStop.value - text;
      if (next < end && used < this.#rowIdx.length) break;
    }
    return { next, rows, cols };
  }

  /** Lines have at most 64 KiB, so that one is there. */
  #copy(bytes: Uint8Array, begin: number): void {
    const most = begin + COPIED_BYTES;
    const end = bytes.length <= most ? bytes.length : bytes.lastIndexOf(NEWLINE, most - 1) + 1;
    this.#buffer.set(bytes.subarray(begin, end));
    this.#block = bytes;
    this.#begin = begin;
    this.#end = end;
  }
}

/** Makes a scanner for the fields of a file. */
export type MakeEdgeScanner = (separator: ',' | '\t' | ' ', hasWeights: boolean) => EdgeScanner;

/** Undefined where the process has no WebAssembly, or may not compile it. */
export async function edgeScanners(): Promise<MakeEdgeScanner | undefined> {
  const parts = await scannerParts();
  if (parts === undefined) return undefined;
  return (separator, hasWeights) => {
    const { exports, buffers } = instantiate<Exports>(parts, COPIED_BYTES, 1);
    return new EdgeScanner(exports, buffers[0]!, separator, hasWeights);
  };
}
