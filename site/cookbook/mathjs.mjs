import { accelerate } from '@sparlane/mathjs'; // npm install mathjs @sparlane/mathjs
import { all, create } from 'mathjs';
import { createEngine } from 'sparlane';

const math = create(all);
const engine = await createEngine();

// A chain of 500 springs, held at both ends, under its own weight.
const n = 500;
const S = math.sparse(math.zeros(n, n, 'sparse'));
for (let i = 0; i < n; i++) {
  S.set([i, i], 2);
  if (i > 0) S.set([i, i - 1], -1);
  if (i < n - 1) S.set([i, i + 1], -1);
}
const weight = math.ones(n);

const own = math.multiply(S, weight);
const acceleration = accelerate(math, engine); // from now on products and solutions of sparse matrices
const ours = math.multiply(S, weight);
console.log('the same product:', math.deepEqual(own.toArray().flat(), ours.toArray().flat()));

const sag = math.lusolve(S, weight).toArray().flat();
console.log('the deepest:', Math.max(...sag).toFixed(3), 'by the formula:', ((n / 2) * (n / 2 + 1)) / 2);
acceleration[Symbol.dispose](); // mathjs as it was
