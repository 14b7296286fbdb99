/**
 * Counts the edges between parts of a graph and the elements of x that parts get from others for a product, and divides the weight of the heaviest part by the mean.
 *
 * @param matrix its graph is `graph`
 * @param partOf the part of each vertex
 */
export function measuresOf({ rowPtr, colIdx }, { vertices, edgePtr, neighbours }, weights, partOf, parts) {
  let cut = 0;
  const ofPart = new Float64Array(parts);
  const pairs = new Set();
  for (let v = 0; v < vertices; v++) {
    ofPart[partOf[v]] += weights[v];
    for (let k = edgePtr[v]; k < edgePtr[v + 1]; k++) if (partOf[neighbours[k]] > partOf[v]) cut++;
    for (let k = rowPtr[v]; k < rowPtr[v + 1]; k++)
      if (partOf[colIdx[k]] !== partOf[v]) pairs.add(colIdx[k] * parts + partOf[v]);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { cut, halo: pairs.size, heaviest: (Math.max(...ofPart) * parts) / total };
}
