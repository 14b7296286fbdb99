/** The operand block, as `OPERANDS` describes it, is written by one class. */
import { expect, test } from 'vitest';
import { OPERANDS, OPERANDS_BYTES, type Operand } from '#dist/kernels/abi.js';
import { OperandBlock } from '#dist/kernels/operands.js';

const ADDRESS = 128;
const memory = new WebAssembly.Memory({ initial: 1 });
const view = new DataView(memory.buffer);

function read(address: number): Record<string, number> {
  const valueAt = ({ type, offset }: Operand) =>
    type === 'f64' ? view.getFloat64(address + offset, true) : view.getUint32(address + offset, true);
  return Object.fromEntries(Object.entries(OPERANDS).map(([name, operand]) => [name, valueAt(operand)]));
}

test('every operand is written, and copied', () => {
  const block = new OperandBlock(memory, ADDRESS);
  const high = 2 ** 32 - 64;
  block.write(high, 2, 0.25, -8, 3, 4, 5);
  block.carry = high + 1;
  const written = { x: high, y: 2, carry: high + 1, columns: 3, xStride: 4, yStride: 5, alpha: 0.25, beta: -8 };
  expect(read(block.address)).toEqual(written);
  const copy = new OperandBlock(memory, ADDRESS + OPERANDS_BYTES);
  copy.copyFrom(block);
  expect(read(copy.address)).toEqual(written);
});

test('operands of vectors have one column', () => {
  const block = new OperandBlock(memory, ADDRESS);
  block.write(1, 2, 1, 0, 3, 4, 5);
  block.write(1, 2, 1, 0);
  expect(read(block.address)).toMatchObject({ columns: 1, xStride: 1, yStride: 1 });
});
