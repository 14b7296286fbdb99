/** What the library has without sparlane: y = A x by a loop over compressed rows. */
exports.multiplyByLoop = ({ rows, rowPtr, colIdx, values }, x) => {
  const y = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    for (let k = rowPtr[row]; k < rowPtr[row + 1]; k++) y[row] += values[k] * x[colIdx[k]];
  }
  return y;
};
