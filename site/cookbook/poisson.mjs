import { createEngine, gallery, solve } from 'sparlane';

// −Δu = 1 in the unit square, u = 0 on its boundary. In the middle u is 0.07367, by Fourier series.
const engine = await createEngine();
for (const side of [63, 127, 255]) {
  const matrix = gallery('laplace2d5', { nx: side, ny: side });
  const h = 1 / (side + 1);
  const b = new Float64Array(matrix.rows).fill(h * h);
  const [ic0, plain] = ['ic0', 'none'].map((preconditioner) =>
    solve(engine, matrix, b, { method: 'cg', preconditioner, rtol: 1e-10 }),
  );
  const middle = ic0.x.data[(matrix.rows - 1) / 2];
  const fewer = plain.iterations / ic0.iterations;
  console.log(`h = 1/${side + 1}: ${middle.toFixed(5)}, with ic0 less than half of the iterations: ${fewer > 2}`);
}
