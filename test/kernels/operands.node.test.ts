/** The operand block: one layout, declared twice, and written by one class. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPERANDS, OPERANDS_BYTES, type Operand } from '#dist/kernels/abi.js';
import { OperandBlock } from '#dist/kernels/operands.js';

const BYTES: Readonly<Record<string, number>> = { usize: 4, u32: 4, f64: 8 };

/** The fields of the class in `assembly/`, laid out as AssemblyScript does: in order, each aligned to its size. */
function declaredInAssembly(): Record<string, Operand> {
  const source = readFileSync(new URL('../../assembly/operands.ts', import.meta.url), 'utf8');
  const body = /class Operands \{([^}]*)\}/.exec(source)![1]!;
  let end = 0;
  const fields = [...body.matchAll(/^ {2}(\w+)!: (\w+);$/gm)].map(([, name, type]) => {
    const size = BYTES[type!]!;
    const offset = Math.ceil(end / size) * size;
    end = offset + size;
    return [name, { type: type === 'f64' ? 'f64' : 'u32', offset }] as const;
  });
  expect(end).toBeLessThanOrEqual(OPERANDS_BYTES);
  return Object.fromEntries(fields) as Record<string, Operand>;
}

const ADDRESS = 128;
const memory = new WebAssembly.Memory({ initial: 1 });
const view = new DataView(memory.buffer);

function read(address: number): Record<string, number> {
  const valueAt = ({ type, offset }: Operand) =>
    type === 'f64' ? view.getFloat64(address + offset, true) : view.getUint32(address + offset, true);
  return Object.fromEntries(Object.entries(OPERANDS).map(([name, operand]) => [name, valueAt(operand)]));
}

test('the kernels declare the same operands at the same offsets', () => {
  expect(declaredInAssembly()).toEqual(OPERANDS);
});

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
