/** Orders of the vertices of a graph, and what an analysis needs beside them, on one thread and in a memory of their own: there may be no engine yet. */
export { amdBegin, amdEliminate, amdOrder, amdReserve } from './amd';
export { blockTriangular } from './blocks';
export { markHubs, searchLevels } from './breadth-first';
export { columnCounts, eliminationTree, postorder, relabel } from './elimination';
export { diagonalBlocks, removeDiagonal, symmetrize } from './graph';
export { moveToFront } from './lists';
export { largestProduct } from './matching';
export { partitionGraph } from './partition';
export { freeAll, reserve } from './words';
