/** Whatever becomes the global `math` gets the functions of `fast-math.mjs`. Loaded before a program, by `node --import`, it runs FEAScript with sparlane. */
import { createEngine } from 'sparlane';
import { fastMath } from './fast-math.mjs';

const engine = await createEngine({ threads: 1 });
let math;
Object.defineProperty(globalThis, 'math', {
  get: () => math,
  set: (library) => {
    math = fastMath(engine, library);
  },
});
