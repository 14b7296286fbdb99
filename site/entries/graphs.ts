/**
 * Graphs of graphology, ngraph and cytoscape: centralities, layouts and communities by sparlane.
 *
 * @module @sparlane/graphs
 */
export * from '../../graphs/src/index.js';
