/** Matrix Market files. */
import { parseBlock, parseMatrix } from '../matrix-market/matrix-market.js';
import { checkColumns, dense } from './dense.js';
import { extensionOf, type FileKind } from './kind.js';
import { textOf } from './text.js';

const BANNER = /^\s*%%?MatrixMarket\b/i;
const EXTENSIONS = ['mtx', 'mm'];

export const matrixMarket: FileKind = {
  name: 'matrix-market',
  summary: 'text: coordinates, or dense columns',
  source: 'Boisvert, Pozo, Remington 1996, NISTIR 5935',
  extensions: EXTENSIONS,
  matches: (head, name) => {
    const text = textOf(head);
    return text !== undefined && (BANNER.test(text) || EXTENSIONS.includes(extensionOf(name)));
  },
  read: parseMatrix,
  readAny: async (file) => {
    const { isComplexFile, readComplexMatrixMarket } = await import('../matrix-market/complex.js');
    return isComplexFile(file.head) ? readComplexMatrixMarket(file) : parseMatrix(file);
  },
  readBlock: async (file, columns, takesComplex) => {
    if (!takesComplex) return parseBlock(file, columns);
    const { isComplexFile, readComplexMatrixMarket } = await import('../matrix-market/complex.js');
    if (!isComplexFile(file.head)) return parseBlock(file, columns);
    const matrix = await readComplexMatrixMarket(file);
    checkColumns(file.name, matrix.rows, matrix.cols, columns);
    return dense(file.name, matrix);
  },
  write: async (matrix, comment) => (await import('../matrix-market/writer.js')).writeMatrixMarket(matrix, { comment }),
  writeComplex: async (matrix, comment) => {
    const { commentLines } = await import('../matrix-market/writer.js');
    return (await import('../matrix-market/complex.js')).writeComplexMatrixMarket(matrix, commentLines({ comment }));
  },
  writeBlock: async (block, comment) =>
    (await import('../matrix-market/writer.js')).writeMatrixMarketBlock(block, { comment }),
};
