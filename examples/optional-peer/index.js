import { multiplyByEngine } from './by-engine.cjs';
import { multiplyByLoop } from './own-loop.cjs';

let engine;
let starting;

/** Returns whether sparlane multiplies from now on: false if it is not installed, or does not start. */
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

/** Returns A x. A must not change. */
export function multiply(A, x) {
  return engine === undefined ? multiplyByLoop(A, x) : multiplyByEngine(engine, A, x);
}
