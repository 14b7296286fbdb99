const { multiplyByEngine } = require('./by-engine.cjs');
const { multiplyByLoop } = require('./own-loop.cjs');

let engine;
let starting;

/** Returns whether sparlane multiplies from now on: false if it is not installed, or does not start. */
exports.accelerate = async function accelerate() {
  starting ??= start();
  engine = await starting;
  return engine !== undefined;
};

async function start() {
  try {
    const { createEngine } = require('sparlane'); // in `try`, bundlers do not insist on it
    return await createEngine({ threads: 1 });
  } catch {
    return undefined;
  }
}

/** Returns A x. A must not change. */
exports.multiply = function multiply(A, x) {
  return engine === undefined ? multiplyByLoop(A, x) : multiplyByEngine(engine, A, x);
};
