/** The control block as two ranks see it, both on this thread: one computes while the other is inside its kernel. */
import { expect, test } from 'vitest';
import { REFRESH_WITHIN } from '#dist/execution/claims.js';
import { Control, controlBytes } from '#dist/execution/control.js';
import type { TaskStage } from '#dist/execution/task.js';
import { type Kernel, OPERANDS, OPERANDS_BYTES } from '#dist/kernels/abi.js';
import { OperandBlock } from '#dist/kernels/operands.js';

const RANKS = 2;

function createMemory() {
  const pages = Math.ceil((controlBytes(RANKS) + OPERANDS_BYTES) / 2 ** 16) + 1;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const operands = new OperandBlock(memory, controlBytes(RANKS));
  let free = controlBytes(RANKS) + OPERANDS_BYTES;
  /** A task of kernel 0, and its operands. */
  const stage = (...bounds: number[]): TaskStage => {
    const placed = new Uint32Array(memory.buffer, free, bounds.length);
    placed.set(bounds);
    free += placed.byteLength;
    return { task: { kernel: 0, header: 64, bounds: placed }, operands };
  };
  return { memory, operands, stage, controls: [0, 1].map((rank) => new Control(memory, 0, rank, RANKS, 0.1)) };
}

test('every rank has its own operands: another rank may claim a part during a kernel', () => {
  const { memory, operands, stage, controls } = createMemory();
  const [first, second] = controls as [Control, Control];
  const read = (at: number) => {
    const view = new DataView(memory.buffer, at, OPERANDS_BYTES);
    const [x, y, carry] = [OPERANDS.x, OPERANDS.y, OPERANDS.carry].map(({ offset }) => view.getUint32(offset, true));
    const [alpha, beta] = [OPERANDS.alpha, OPERANDS.beta].map(({ offset }) => view.getFloat64(offset, true));
    return { at, x, y, carry, alpha, beta };
  };
  const calls: unknown[] = [];
  const record: Kernel = (header, at, begin, end) => void calls.push({ header, begin, end, ...read(at) });
  first.clear();
  operands.write(4096, 8192, 2, -3);
  const epoch = first.publish([stage(0, 10, 25)], 1);
  const interrupted: Kernel = (header, at, begin, end) => {
    expect(second.work(epoch, 0, [record])).toBe(1);
    record(header, at, begin, end);
  };
  expect(first.work(epoch, 0, [interrupted])).toBe(1);
  const own = controlBytes(RANKS) - RANKS * OPERANDS_BYTES;
  const command = { header: 64, x: 4096, y: 8192, alpha: 2, beta: -3 };
  expect(calls).toEqual([
    { ...command, begin: 10, end: 25, at: own + OPERANDS_BYTES, carry: first.carries.slotOf(1) },
    { ...command, begin: 0, end: 10, at: own, carry: first.carries.slotOf(0) },
  ]);
  expect(first.join(epoch, 0, () => 1)).toBe(2);
});

test('a rank that comes after the next command computes nothing of the one before', () => {
  const { operands, stage, controls } = createMemory();
  const [first, second] = controls as [Control, Control];
  const stages = [stage(0, 1, 2)];
  first.clear();
  operands.write(1, 2, 1, 0);
  const late = first.publish(stages, 1);
  first.work(late, 0, [() => {}]);
  first.publish(stages, 1);
  expect(second.work(late, 0, [() => expect.unreachable()])).toBe(0);
});

test('a member goes where the present order leads, and from a block that was left to the next one', () => {
  const [first, second] = [createMemory(), createMemory()];
  const [here, there] = [first.controls[0]!, second.controls[0]!];
  for (const control of [here, there]) control.clear();
  here.move({ memory: 1, address: 4096 });
  expect(first.controls[1]!.standBy([])).toEqual({ memory: 1, address: 4096 });
  here.atEase();
  there.move({ memory: 0, address: 0 });
  here.standDown();
  expect(second.controls[1]!.standBy([])).toEqual({ memory: 0, address: 0 });
  expect(first.controls[1]!.standBy([])).toBeUndefined();
});

/** Runs a command on rank 0 alone. @returns the first part that is not done */
function runAlone(control: Control, stage: TaskStage, kernel: Kernel = () => {}): number {
  const epoch = control.publish([stage], 1);
  control.work(epoch, 0, [kernel]);
  return control.join(epoch, 0, () => 1);
}

test('claims that no command has used for long are open, and epochs wrap', () => {
  const { memory, stage, controls } = createMemory();
  const [first] = controls as [Control];
  const few = stage(0, 1, 2);
  const many = stage(...Array.from({ length: 65 }, (_, unit) => unit));
  const epoch = new Int32Array(memory.buffer, 0, 1);
  first.clear(2 ** 31 - 12);
  expect(runAlone(first, many)).toBe(64);
  // 18 × 2²⁸ epochs are more than all there are. Each turn is the last command of them, and the first of the next.
  for (let turn = 0; turn < 18; turn++) {
    epoch[0] = ((Math.floor(epoch[0]! / REFRESH_WITHIN) + 1) * REFRESH_WITHIN - 8) | 0;
    for (let command = 0; command < 3; command++) expect(runAlone(first, few)).toBe(2);
    if (turn % 5 === 4) expect(runAlone(first, many)).toBe(64);
  }
});

test('a chain: a later stage is computed after the one before, by both ranks', () => {
  const { stage, controls } = createMemory();
  const [first, second] = controls as [Control, Control];
  first.clear();
  const stages = [stage(0, 1, 2), stage(0, 10, 20, 30)];
  const epoch = first.publish(stages, 2);
  const seen: string[] = [];
  const by =
    (name: string): Kernel =>
    (_, __, begin) =>
      void seen.push(`${name} ${begin}`);
  first.work(epoch, 0, [by('first')]);
  expect(first.join(epoch, 0, () => 1)).toBe(2);
  // A rank that is late in the first stage finds nothing there.
  expect(second.work(epoch, 0, [by('late')])).toBe(0);
  second.work(epoch, 1, [by('second')]);
  expect(first.work(epoch, 1, [by('first')])).toBe(0);
  expect(first.join(epoch, 1, () => 1)).toBe(3);
  expect(seen).toEqual(['first 0', 'first 1', 'second 10', 'second 20', 'second 0']);
});

test('a part that is not finished is given up after as many waits as patience allows', () => {
  const { stage, controls } = createMemory();
  const [first, second] = controls as [Control, Control];
  first.clear();
  const epoch = first.publish([stage(0, 1, 2)], 1);
  let outcome: number | undefined;
  const never: Kernel = () => {
    first.work(epoch, 0, [() => {}]);
    outcome ??= first.join(epoch, 0, () => 2);
  };
  second.work(epoch, 0, [never]);
  expect(outcome).toBe(1);
});
