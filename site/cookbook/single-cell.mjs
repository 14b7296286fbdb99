import { createEngine, csrMatrix, functionOperator, powerIteration, scaleMatrix, sumsOf } from 'sparlane';

// Counts of 300 cells × 200 genes, as a reader of .h5ad gives them (see Files): the first half of the cells expresses the first 100 genes, the other half the others.
const [cells, genes] = [300, 200];
let seed = 1;
function random() {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
}
const rowIdx = [];
const colIdx = [];
const values = [];
for (let cell = 0; cell < cells; cell++) {
  const depth = 1 + 3 * random(); // some cells are sequenced more deeply than others
  for (let gene = 0; gene < genes; gene++) {
    const isOwn = cell < cells / 2 === gene < genes / 2;
    const count = Math.floor(depth * random() * (isOwn ? 2 : 0.6));
    if (count === 0) continue;
    rowIdx.push(cell);
    colIdx.push(gene);
    values.push(count);
  }
}
const counts = csrMatrix({ rows: cells, cols: genes, rowIdx, colIdx, values });

// Every cell to 1000 counts, then log(1 + x): zeros stay zeros.
const normalized = scaleMatrix(counts, { rows: sumsOf(counts, 'rows').map((total) => 1000 / total) });
const X = { ...normalized, values: normalized.values.map(Math.log1p) };

// The first principal component: the eigenvector of (X − 1μᵀ) (X − 1μᵀ)ᵀ. The centred matrix is dense, so it is never formed.
const engine = await createEngine();
const A = engine.operator(X);
const At = A.transposed();
const mean = sumsOf(X, 'columns').map((sum) => sum / cells);
const byGene = new Float64Array(genes);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const covariance = functionOperator(engine, cells, cells, ({ data: x }, { data: y }) => {
  const total = x.reduce((sum, value) => sum + value, 0);
  At.apply(x, byGene);
  for (let g = 0; g < genes; g++) byGene[g] -= total * mean[g];
  A.apply(byGene, y);
  const shift = dot(mean, byGene);
  for (let c = 0; c < cells; c++) y[c] -= shift;
});
const { x, converged } = powerIteration(covariance, { rtol: 1e-6 });
const component = x.toArray();
const side = component.map((value) => Math.sign(value * component[0]));
console.log('converged:', converged);
console.log(
  'cells on the side of cell 0:',
  side.slice(0, 150).filter((s) => s > 0).length,
  'of the first 150,',
  side.slice(150).filter((s) => s > 0).length,
  'of the others',
);
