import { multiplyByLoop } from './own-loop.cjs';

let engine;
let starting;
const operators = new WeakMap();
const collected = new FinalizationRegistry((operator) => operator.dispose());

/** Whether sparlane multiplies from now on: false if it is not installed, or does not start. */
export async function accelerate() {
  starting ??= start();
  engine = await starting;
  return engine !== undefined;
}

async function start() {
  try {
    const { createEngine } = await import('sparlane'); // in `try`, bundlers do not insist on it
    return await createEngine({ threads: 1 });
  } catch {
    return undefined;
  }
}

/** A x. A must not change. */
export function multiply(A, x) {
  if (engine === undefined) return multiplyByLoop(A, x);
  const y = new Float64Array(A.rows);
  operatorOf(A).apply(x, y);
  return y;
}

/** Kept as long as A: the engine's memory is not collected. */
function operatorOf(A) {
  let operator = operators.get(A);
  if (operator === undefined) {
    operator = engine.operator(A);
    operators.set(A, operator);
    collected.register(A, operator);
  }
  return operator;
}
