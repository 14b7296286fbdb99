import { createEngine, gallery, solve } from 'sparlane';

const engine = await createEngine(); // on all cores
const matrix = gallery('laplace2d5', { nx: 300, ny: 300 });

const A = engine.operator(matrix); // the format is chosen
const x = engine.vector(A.cols).fill(1);
const b = engine.vector(A.rows);
A.apply(x, b); // b ← A x

const { x: u, converged } = solve(engine, matrix, b);
console.log(converged, u.data[0].toFixed(4));
