/** `sparlane info`: statistics of a matrix, its memory in every format, and its spy picture. */
import { extname } from 'node:path';
import type { Command } from 'commander';
import { storeComplex } from '../complex/stored.js';
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { type ComplexStatistics, complexStatistics, patternOf } from '../features/complex-statistics.js';
import { type MatrixStatistics, matrixStatistics } from '../features/statistics.js';
import { isRefusal } from '../formats/format.js';
import { FORMATS } from '../formats/registry.js';
import { storeMatrix } from '../formats/store.js';
import { saveStream } from '../io/save.node.js';
import { Heap } from '../memory/heap.js';
import { formatBytes, formatCount, formatFigure } from '../pictures/figures.js';
import { spy } from '../pictures/spy.js';
import { printHugePagesAdvice } from './huge-pages.js';
import { checkSource, loadAnyMatrix } from './load.js';
import { jsonOption } from './options.js';
import { print, printJson } from './output.js';

interface InfoOptions {
  readonly spy?: string;
  readonly json?: boolean;
}

export function addInfo(program: Command): void {
  program
    .command('info')
    .summary('statistics of a matrix, memory per format, a spy picture')
    .description('Describes a matrix: size, row lengths, bandwidth, symmetry, memory per format (f64), spy picture.')
    .argument('<matrix>', 'a file or gallery:name?parameters')
    .option('--spy <file>', 'write the picture to a .svg or .png file instead')
    .addOption(jsonOption())
    .action(info);
}

async function info(source: string, { spy: file, json }: InfoOptions): Promise<void> {
  checkSource(source);
  const draw = file === undefined ? undefined : painter(file);
  const matrix = await loadAnyMatrix(source);
  const isComplex = matrix.field === 'complex';
  const statistics = isComplex ? complexStatistics(matrix) : matrixStatistics(matrix);
  const memory = memoryPerFormat(matrix);
  if (json) printJson({ matrix: source, field: matrix.field, ...statistics, memoryBytes: Object.fromEntries(memory) });
  else printInfo(source, matrix, statistics, memory);
  const drawn = isComplex ? patternOf(matrix) : matrix;
  if (draw !== undefined) await saveStream(file!, draw(drawn));
  else if (!json) print(spy(drawn, { as: 'text', columns: Math.min(64, (process.stdout.columns ?? 80) - 16) }));
}

/** Bytes of each format with f64 values, or pairs of them, and its defaults; undefined if it refuses the matrix. */
function memoryPerFormat(matrix: CsrMatrix | ComplexMatrix): Map<string, number | undefined> {
  const heap = new Heap();
  return new Map(FORMATS.map(({ name }) => [name, storedBytes(heap, matrix, name)]));
}

function storedBytes(heap: Heap, matrix: CsrMatrix | ComplexMatrix, spec: string): number | undefined {
  const isComplex = matrix.field === 'complex';
  try {
    using stored = isComplex ? storeComplex(heap, matrix, spec, 'f64') : storeMatrix(heap, matrix, spec, 'f64');
    return stored.bytes;
  } catch (error) {
    // A format without complex kernels is a wrong argument.
    if (isRefusal(error) || (isComplex && error instanceof SparlaneError && error.code === 'argument'))
      return undefined;
    throw error;
  }
}

function printInfo(
  source: string,
  { field }: CsrMatrix | ComplexMatrix,
  statistics: MatrixStatistics | ComplexStatistics,
  memory: ReadonlyMap<string, number | undefined>,
): void {
  const { rows, cols, nnz, density, rowLengths, regular, bandwidth, profile, symmetry } = statistics;
  const { min, mean, max, variance, empty } = rowLengths;
  const kind = regular ? 'regular' : 'irregular';
  print(source);
  print(`  size          ${formatCount(rows)} × ${formatCount(cols)}`);
  print(`  entries       ${formatCount(nnz)} (${field}), ${formatFigure(100 * density)} % of the matrix`);
  print(`  row lengths   ${min} … ${formatFigure(mean)} … ${formatCount(max)}; ${formatCount(empty)} rows empty`);
  print(`  variance      ${formatFigure(variance)}: ${kind} (up to 10 is regular)`);
  print(`  bandwidth     ${formatCount(bandwidth)}, profile ${formatCount(profile)}`);
  print(`  diagonals     ${formatCount(statistics.occupiedDiagonals)} occupied; ${onDiagonal(statistics)}`);
  print(`  symmetry      ${symmetry}${mirrored(statistics)}`);
  const width = Math.max(12, ...Array.from(memory.keys(), ({ length }) => length));
  for (const [spec, bytes] of memory) {
    print(`  ${spec.padEnd(width)}  ${bytes === undefined ? 'not applicable' : formatBytes(bytes)}`);
  }
  printHugePagesAdvice('  pages         ');
}

function onDiagonal({ diagonalEntries }: Pick<MatrixStatistics, 'diagonalEntries'>): string {
  return `${formatCount(diagonalEntries)} entries on the main diagonal`;
}

function mirrored({ symmetry, patternSymmetry }: MatrixStatistics | ComplexStatistics): string {
  if (symmetry !== 'general' || patternSymmetry === undefined) return '';
  return `; ${formatFigure(100 * patternSymmetry)} % of the entries have a mirror image`;
}

type Painter = (matrix: CsrMatrix) => Uint8Array;

function painter(path: string): Painter {
  const extension = extname(path).toLowerCase();
  if (extension === '.svg') return (matrix) => new TextEncoder().encode(spy(matrix));
  if (extension === '.png') return (matrix) => spy(matrix, { as: 'png' });
  throw mismatch('argument', '--spy', 'a file that ends in .svg or .png', path);
}
