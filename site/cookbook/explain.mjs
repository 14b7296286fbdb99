import { createEngine, gallery, matrixStatistics } from 'sparlane';

const matrix = gallery('laplace2d5', { nx: 12, ny: 12 });

// Where the entries are: a character for each 6 × 6 of them.
const cell = 6;
const size = Math.ceil(matrix.rows / cell);
const counts = Array.from({ length: size }, () => new Array(size).fill(0));
for (let i = 0; i < matrix.rows; i++) {
  for (let k = matrix.rowPtr[i]; k < matrix.rowPtr[i + 1]; k++) {
    counts[Math.floor(i / cell)][Math.floor(matrix.colIdx[k] / cell)]++;
  }
}
for (const row of counts) console.log(row.map((count) => (count === 0 ? '·' : count > cell ? '█' : '▒')).join(''));

const { nnz, bandwidth, symmetry, occupiedDiagonals } = matrixStatistics(matrix);
console.log(`${matrix.rows} rows, ${nnz} entries, ${symmetry}, bandwidth ${bandwidth}, ${occupiedDiagonals} diagonals`);

// Which format is chosen, and why.
const engine = await createEngine({ threads: 1, tuning: 'built-in' });
const large = gallery('laplace2d5', { nx: 500, ny: 500 });
const { decision } = engine.operator(large);
const of = (name) => decision.ranking.find(({ spec }) => spec === name);
console.log(
  `chosen: ${decision.chosen.spec.split('?')[0]}, moves ${(decision.chosen.bytes / large.nnz).toFixed(1)} bytes per entry, csr ${(of('csr').bytes / large.nnz).toFixed(1)}`,
);
