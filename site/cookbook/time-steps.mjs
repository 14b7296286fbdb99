import { cg, createEngine, gallery, precondition } from 'sparlane';

// A rod that conducts the worse the hotter it is: in each step the matrix has other numbers at the same places, so the
// preconditioner is made once and updated.
const n = 40;
const engine = await createEngine();
const matrix = gallery('laplace1d3', { nx: n }); // the pattern: three diagonals
const dt = 2;

/** (I + Δt K(u)), K of conductivities between neighbours; the ends have the temperature 0. */
function numbers(u) {
  const values = new Float64Array(matrix.nnz);
  const between = (i) => 1 / (1 + ((u[i] ?? 0) + (u[i + 1] ?? 0)) / 2); // between i and i + 1
  for (let i = 0, k = 0; i < n; i++) {
    if (i > 0) values[k++] = -dt * between(i - 1);
    values[k++] = 1 + dt * (between(i - 1) + between(i));
    if (i < n - 1) values[k++] = -dt * between(i);
  }
  return values;
}

let u = new Float64Array(n).fill(1);
const start = { ...matrix, values: numbers(u), symmetry: 'symmetric' };
const M = precondition(engine, start, 'ic0');
let steps = 0;
for (; u[n / 2] > 0.5; steps++) {
  const values = numbers(u);
  M.update(values);
  const A = engine.operator({ ...start, values }, { products: 10 });
  const { x } = cg(A, u, { preconditioner: M, rtol: 1e-12, x0: u });
  u = x.toArray();
  x.dispose();
  A.dispose();
}
console.log(`half as hot in the middle after ${steps} steps, at a quarter of the rod ${u[n / 4].toFixed(4)}`);
