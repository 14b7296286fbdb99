/** The library computes A x by this loop over compressed rows where sparlane is not installed. */
exports.multiplyByLoop = ({ rows, rowPtr, colIdx, values }, x) => {
  const y = new Float64Array(rows);
  for (let row = 0, k = 0; row < rows; row++) {
    let sum = 0;
    for (const end = rowPtr[row + 1]; k < end; k++) sum += values[k] * x[colIdx[k]];
    y[row] = sum;
  }
  return y;
};
