import { blockCg, cgMany, createEngine, gallery, precondition } from 'sparlane';

// The displacements of an elastic body under eight loads.
const engine = await createEngine();
const matrix = gallery('elasticity3d', { nx: 8, ny: 8, nz: 8 });
const A = engine.operator(matrix, { columns: 8 });
const loads = Float64Array.from({ length: 8 * A.rows }, (_, k) => Math.sin(k * (1 + (k % 8))));
const B = engine.vector(loads, { columns: 8 });
const preconditioner = precondition(engine, matrix, 'ic0');

const alone = cgMany(A, B, { preconditioner, rtol: 1e-8 }); // a recurrence for each column
const together = blockCg(A, B, { preconditioner, rtol: 1e-8 }); // one common space
console.log('converged:', alone.converged, together.converged);
console.log('fewer iterations together:', together.iterations < alone.iterations);
const [u, v] = [alone.x.toArray(), together.x.toArray()];
const norm = (numbers) => Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
console.log('the same displacements:', norm(u.map((value, i) => value - v[i])) < 1e-6 * norm(u));
