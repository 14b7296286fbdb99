/** Operand blocks in the shared memory, as kernels read them (`OPERANDS`). Writing one allocates nothing. */
import { OPERANDS, OPERANDS_BYTES } from './abi.js';

const WORDS = OPERANDS_BYTES / Uint32Array.BYTES_PER_ELEMENT;
const REALS = OPERANDS_BYTES / Float64Array.BYTES_PER_ELEMENT;

/** Places in words of 4 bytes, and in reals of 8. */
const X = OPERANDS.x.offset / 4;
const Y = OPERANDS.y.offset / 4;
const CARRY = OPERANDS.carry.offset / 4;
const COLUMNS = OPERANDS.columns.offset / 4;
const X_STRIDE = OPERANDS.xStride.offset / 4;
const Y_STRIDE = OPERANDS.yStride.offset / 4;
const ALPHA = OPERANDS.alpha.offset / 8;
const BETA = OPERANDS.beta.offset / 8;
/** Words in use. */
const USED = OPERANDS.beta.offset / 4 + 2;

export class OperandBlock {
  readonly address: number;
  readonly #words: Uint32Array;
  readonly #reals: Float64Array;

  /** `address`: OPERANDS_BYTES bytes, on a cache line. */
  constructor(memory: WebAssembly.Memory, address: number) {
    this.address = address;
    this.#words = new Uint32Array(memory.buffer, address, WORDS);
    this.#reals = new Float64Array(memory.buffer, address, REALS);
  }

  /** Everything but the carry slot. */
  write(x: number, y: number, alpha: number, beta: number, columns = 1, xStride = 1, yStride = 1): void {
    const words = this.#words;
    words[X] = x;
    words[Y] = y;
    words[COLUMNS] = columns;
    words[X_STRIDE] = xStride;
    words[Y_STRIDE] = yStride;
    this.#reals[ALPHA] = alpha;
    this.#reals[BETA] = beta;
  }

  /** Address of the carry slot of the part that is computed next. */
  set carry(slot: number) {
    this.#words[CARRY] = slot;
  }

  copyFrom(source: OperandBlock): void {
    for (let word = 0; word < USED; word++) this.#words[word] = source.#words[word]!;
  }
}
