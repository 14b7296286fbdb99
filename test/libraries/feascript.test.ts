/**
 * examples/feascript: the functions that FEAScript calls of mathjs, in the order in which it does. FEAScript is not in the npm registry of every machine: its
 * own tests are run by `their-tests.mjs`, for a checkout.
 */
import * as mathjs from 'mathjs';
import { createEngine, type Engine, gallery } from 'sparlane';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** The example is JavaScript, which the TypeScript project of the tests does not contain. */
const EXAMPLE = '../../examples/feascript/fast-math.mjs';
const { fastMath } = await import(EXAMPLE);

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

type Rows = readonly (readonly number[])[];
/** What `solveLinearSystem` of FEAScript does with the method `lusolve`. */
function solveAsFeascript(math: typeof mathjs, matrix: Rows, b: readonly number[]): number[] {
  const { slu, lusolve, sparse, squeeze } = math as unknown as Record<string, (...args: unknown[]) => unknown>;
  return (squeeze!(lusolve!(slu!(sparse!(matrix), 1, 1), b)) as { valueOf(): number[] }).valueOf();
}

/** A plate whose edge at the bottom is warm: rows of the identity, as FEAScript has them, so that the matrix is not symmetric. */
const SIDE = 8;
const { rows, rowPtr, colIdx, values } = gallery('laplace2d5', { nx: SIDE, ny: SIDE });
const plate = Array.from({ length: rows }, (_, i) => {
  const row: number[] = Array(rows).fill(0);
  if (i < SIDE) row[i] = 1;
  else for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) row[colIdx[k]!] = values[k]!;
  return row;
});
const b = Array.from({ length: rows }, (_, i) => (i < SIDE ? 200 : 0));

test('a system of FEAScript is solved by factors, with the temperatures of mathjs', () => {
  const slu = vi.fn(mathjs.slu);
  const fast = fastMath(engine, { ...mathjs, slu });
  const before = engine.heap.bytesInUse;
  const x = solveAsFeascript(fast, plate, b);
  expect(slu).not.toHaveBeenCalled();
  expect(engine.heap.bytesInUse).toBe(before);
  expect(Math.max(...x)).toBe(200);
  const expected = solveAsFeascript(mathjs, plate, b);
  expect(x).toEqual(expected.map((value) => expect.closeTo(value, 10)));
});

test('a singular matrix has the error of mathjs, whose factors are then null', () => {
  const singular = [
    [1, 2],
    [2, 4],
  ];
  const messageOf = (math: typeof mathjs) => {
    try {
      return solveAsFeascript(math, singular, [1, 1]);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(messageOf(mathjs)).toContain('null');
  expect(messageOf(fastMath(engine, mathjs))).toBe(messageOf(mathjs));
});

test('all else is mathjs', () => {
  const fast = fastMath(engine, mathjs);
  const S = mathjs.sparse(plate as number[][]);
  expect(fast.lusolve(fast.slu(S, 1, 1), b)).toEqual(mathjs.lusolve(mathjs.slu(S, 1, 1), b));
  expect(fast.add(1, 2)).toBe(3);
});
