/** The interface of a kind of file. A new kind is its file in this folder, and its line in `registry.ts`. */

import type { ComplexMatrix } from '../../core/complex.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';
import type { PlainFile } from '../bytes/bytes.js';

/** A matrix, as `readMatrixMarket` gives it, and what else its file says. */
export interface FileMatrix extends CsrMatrix {
  /** The kind of the file: `npz`. */
  readonly kind: string;
  /** Of edges between names: the name of each row. A graph has one list for rows and columns. */
  readonly rowNames?: readonly string[];
  readonly colNames?: readonly string[];
}

/** A matrix before its kind is added. */
export type MatrixContent = Omit<FileMatrix, 'kind'>;

/** A block of vectors, or one vector: numbers that are all stored. */
export interface DenseBlock {
  readonly rows: number;
  readonly columns: number;
  /** Length rows · columns, row by row, as `engine.vector(values, { columns })` takes them; of complex numbers, two for each: its real and its imaginary part. */
  readonly values: FloatArray;
  /** The numbers are complex. `readBlock` gives real ones. */
  readonly field?: 'complex';
}

/** How a list of edges is read. */
export interface EdgeListOptions {
  /** Whether the first line has the names of the columns. Default: as it looks, see `docs/files.md`. */
  header?: boolean | undefined;
  /** Whether nodes are names, as they are written, even if all are integers. Default: integers are rows and columns, counted from 0. */
  names?: boolean | undefined;
  /** Whether the two ends of an edge are of different kinds, so that rows and columns have names of their own. Default: false. */
  bipartite?: boolean | undefined;
  /** Whether the third column, or the one with a name such as `weight`, has weights. Default: if there is one. Without, the matrix is a pattern. */
  weights?: boolean | undefined;
}

export interface FileKind {
  /** As errors and `FileMatrix.kind` name it: `npz`. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** Where the format is defined. */
  readonly source: string;
  /** Of file names, in lower case, without the dot. The first one is that of files which `save` writes. */
  readonly extensions: readonly string[];
  /** Whether a file is of this kind, by its first bytes, unpacked (4096, or all of a smaller file), and by its name. */
  readonly matches: (firstBytes: Uint8Array, name: string) => boolean;
  /** @throws SparlaneError `parse` or `heap` */
  readonly read: (file: PlainFile, edges: EdgeListOptions) => Promise<MatrixContent>;
  /** Reads the matrix of a file that may have complex numbers: a complex one if they are. Default: `read`. @throws as `read` */
  readonly readAny?: (file: PlainFile) => Promise<MatrixContent | ComplexMatrix>;
  /**
   * The numbers of a file that has dense ones. `columns`: how many there must be; undefined: any number. `takesComplex`: whether they may be
   * complex. Default: those of the matrix.
   *
   * @throws as `read`
   */
  readonly readBlock?: (file: PlainFile, columns: number | undefined, takesComplex: boolean) => Promise<DenseBlock>;
  /** The bytes of a file with this matrix. */
  readonly write?: (matrix: CsrMatrix, comment: string | undefined) => Promise<ReadableStream<Uint8Array>>;
  readonly writeComplex?: (matrix: ComplexMatrix, comment: string | undefined) => Promise<ReadableStream<Uint8Array>>;
  readonly writeBlock?: (block: DenseBlock, comment: string | undefined) => Promise<ReadableStream<Uint8Array>>;
}

/** The extension of a file name, in lower case and without that of gzip: `mtx` of `a.mtx.gz`; else empty. */
export function extensionOf(name: string): string {
  const [, extension = ''] = /\.(\w+?)(\.gz)?$/i.exec(name) ?? [];
  return extension.toLowerCase();
}
