/**
 * umap-js with a spectral start (its issue 47). The first places are eigenvectors of the normalized Laplacian of its fuzzy graph, instead of random ones,
 * from which clusters that are far apart may not find their neighbours.
 *
 * Source: McInnes, Healy & Melville 2018, "UMAP", algorithm 4.
 */
import { UMAP } from 'umap-js';
import { eigs, laplacian } from '#dist/index.node.js';

/** The largest coordinate at the start; random places have the same. */
const EXTENT = 10;
/** Points of the same place would never part. Chosen by umap-learn. */
const NOISE = 1e-4;
/** The start need not be precise. Chosen by umap-learn. */
const TOLERANCE = 1e-4;
/** The second eigenvalue of a graph in several parts is 0; rounding errors are below this. Chosen. */
const CONNECTED = 1e-8;

export class SpectralUMAP extends UMAP {
  /** The eigenvalues of the last start, how exact they are, and how they were computed; its vectors are disposed. */
  found;
  #engine;

  constructor(engine, params) {
    super(params);
    this.#engine = engine;
  }

  /** Overrides a method that umap-js declares private. A graph in several parts keeps its random places: its eigenvectors only tell the parts apart. */
  initializeSimplicialSetEmbedding() {
    const edges = super.initializeSimplicialSetEmbedding();
    const entries = this.graph.getAll();
    const graph = {
      rows: this.graph.nRows,
      cols: this.graph.nCols,
      rowIdx: entries.map(({ row }) => row),
      colIdx: entries.map(({ col }) => col),
      values: entries.map(({ value }) => value),
    };
    const matrix = laplacian(graph, { normalized: true });
    this.found = eigs(this.#engine, matrix, this.nComponents + 1, { tolerance: TOLERANCE });
    const columns = this.found.vectors.toArray({ order: 'column' });
    this.found.vectors.dispose();
    if (this.found.values[1] > CONNECTED) {
      const axes = Array.from({ length: this.nComponents }, (_, k) =>
        this.#scaled(columns.subarray((k + 1) * graph.rows, (k + 2) * graph.rows)),
      );
      this.embedding = Array.from(axes[0], (_, i) => axes.map((axis) => axis[i]));
    }
    return edges;
  }

  /** The sign of an eigenvector is open: its largest element is positive here. */
  #scaled(column) {
    const largest = column.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    return column.map((value) => (EXTENT * value) / largest + NOISE * (2 * this.random() - 1));
  }
}
