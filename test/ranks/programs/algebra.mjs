/** Products, transposes, diagonals, sums and norms of matrices on ranks. `data`: a square matrix of the gallery, and one with fewer columns. Returns this rank's rows of results. */
import {
  diagonalOfRows,
  gallery,
  multiplyRows,
  normsOfRows,
  partition,
  rowsOfRank,
  sumsOfRows,
  transposeRows,
} from 'sparlane';

const listsOf = ({ firstRow, rows, cols, rowPtr, colIdx, values, symmetry }) => ({
  firstRow,
  rows,
  cols,
  rowPtr: [...rowPtr],
  colIdx: [...colIdx],
  values: [...values],
  symmetry,
});

export function main(comm, { square, tall }) {
  const dealt = (matrix) => rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank);
  const [A, P] = [dealt(gallery(...square)), dealt(tall)];
  const messages = [];
  const refused = (call) => {
    try {
      call();
      messages.push('no error');
    } catch (error) {
      messages.push(error.message);
    }
  };
  refused(() => multiplyRows(comm, P, A));
  refused(() => multiplyRows(comm, A, comm.rank === 0 ? { ...P, rowPtr: [0, -1] } : P));
  refused(() => transposeRows(comm, comm.rank === comm.size - 1 ? { ...A, cols: 2 } : A));
  refused(() => sumsOfRows(comm, A, 'lines'));
  refused(() => normsOfRows(comm, A, 'columns', 'three'));
  const transposed = transposeRows(comm, P);
  return {
    results: {
      product: listsOf(multiplyRows(comm, A, P)),
      squared: listsOf(multiplyRows(comm, A, A)),
      transposed: listsOf(transposed),
      turned: listsOf(transposeRows(comm, A)),
      coarse: listsOf(multiplyRows(comm, transposed, multiplyRows(comm, A, P))),
    },
    numbers: {
      diagonal: [...diagonalOfRows(A)],
      tallDiagonal: [...diagonalOfRows(P)],
      rowSums: [...sumsOfRows(comm, P, 'rows')],
      columnSums: [...sumsOfRows(comm, P, 'columns')],
      rowNorms: [...normsOfRows(comm, A, 'rows', 'one')],
      columnNorms: [...normsOfRows(comm, P, 'columns')],
    },
    messages,
  };
}
