/** Spy pictures: the positions of the entries of a matrix. */
import { boolean, integer, knownKeys, oneOf } from '../core/checks.js';
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { SCHEMES, type Scheme } from './scheme.js';
import { type Canvas, drawSpy, spyPng } from './spy-pixels.js';
import { spySvg } from './spy-svg.js';
import { spyText } from './spy-text.js';

/** `spy` takes these options to make SVG. */
export interface SpySvgOptions {
  as?: 'svg';
  /** The greatest number of cells, in width and in height: 1 to 1024. Default 128. */
  size?: number;
  /** Default `auto`, which follows the page. */
  scheme?: Scheme;
}

/** `spy` takes these options to make a PNG file. */
export interface SpyPngOptions {
  as: 'png';
  /** The greatest width and height in pixels: 3 to 16384. Default 800. */
  size?: number;
  /** A PNG cannot follow a page: `auto`, the default, is light. */
  scheme?: Scheme;
}

/** `spy` takes these options to make text. */
export interface SpyTextOptions {
  as: 'text';
  /** The greatest width in characters, without frame and labels: 1 to 1024. Default 64. */
  columns?: number;
  /** The greatest height in lines, without frame: 1 to 1024. Default 32. */
  lines?: number;
  /** Whether with a frame, the numbers of rows and columns, and the size. Default true. */
  frame?: boolean;
}

/** `spy` takes these options to draw on a canvas. */
export interface SpyCanvasOptions {
  as: 'canvas';
  /** Of a page, a worker or a library, at least 3 × 3 pixels. The picture is as large as fits, and in the middle. */
  canvas: Canvas;
  /** `auto`, the default, is the scheme of the page at this moment; light where there is no page. */
  scheme?: Scheme;
}

/** `spy` takes these options, by what it draws. */
export type SpyOptions = SpySvgOptions | SpyPngOptions | SpyTextOptions | SpyCanvasOptions;

/**
 * Draws where a matrix has entries. Each cell of the picture stands for a block of whole rows and columns; its intensity is the
 * logarithm of the number of entries in it, so a single entry stays visible beside a dense block. Long matrices are stretched
 * to an eighth of their length. O(rows + cols + nnz), once.
 *
 * @param matrix a matrix of the library, or arrays
 * @returns SVG, unless `as` asks for the bytes of a `png`, for `text` of a terminal, or to draw on a `canvas`
 * @throws SparlaneError `argument` for an invalid option, `structure` or `shape` for an invalid matrix
 *
 * @example
 * document.body.innerHTML = spy(matrix);
 * await writeFile('matrix.png', spy(matrix, { as: 'png', scheme: 'dark' }));
 */
export function spy(matrix: MatrixInput, options?: SpySvgOptions | SpyTextOptions): string;
export function spy(matrix: MatrixInput, options: SpyPngOptions): Uint8Array;
export function spy(matrix: MatrixInput, options: SpyCanvasOptions): undefined;
export function spy(matrix: MatrixInput, options?: SpyOptions): string | Uint8Array | undefined;
export function spy(matrix: MatrixInput, options: SpyOptions = {}): string | Uint8Array | undefined {
  if (typeof options !== 'object' || options === null) throw mismatch('argument', 'options', 'an object', options);
  switch (oneOf('as', options.as ?? 'svg', PICTURES)) {
    case 'svg': {
      const { size = 128, scheme = 'auto' } = checked(options as SpySvgOptions, { as: true, size: true, scheme: true });
      integer('size', size, 1, 1024);
      return spySvg(csrMatrix(matrix), size, scheme);
    }
    case 'png': {
      const { size = 800, scheme } = checked(options as SpyPngOptions, { as: true, size: true, scheme: true });
      integer('size', size, 3, 1 << 14);
      return spyPng(csrMatrix(matrix), size, scheme === 'dark');
    }
    case 'text': {
      const { columns = 64, lines = 32, frame = true } = checked(options as SpyTextOptions, TEXT_OPTIONS);
      integer('columns', columns, 1, 1024);
      integer('lines', lines, 1, 1024);
      return spyText(csrMatrix(matrix), { columns, lines, frame: boolean('frame', frame) });
    }
    case 'canvas': {
      const { canvas, scheme = 'auto' } = checked(options as SpyCanvasOptions, {
        as: true,
        canvas: true,
        scheme: true,
      });
      const context = canvas?.getContext?.('2d');
      if (!context) throw mismatch('argument', 'canvas', 'one with a 2d context', canvas);
      integer('canvas.width', canvas.width, 3, 1 << 14);
      integer('canvas.height', canvas.height, 3, 1 << 14);
      drawSpy(csrMatrix(matrix), canvas, context, scheme === 'auto' ? isPageDark() : scheme === 'dark');
      return undefined;
    }
  }
}

const TEXT_OPTIONS = { as: true, columns: true, lines: true, frame: true } as const;
const PICTURES = ['svg', 'png', 'text', 'canvas'] as const;

function checked<T extends SpyOptions>(options: T, known: Record<keyof T, true>): T {
  knownKeys<T>('options', options, known);
  if ('scheme' in options && options.scheme !== undefined) oneOf('scheme', options.scheme, SCHEMES);
  return options;
}

function isPageDark(): boolean {
  return globalThis.matchMedia?.('(prefers-color-scheme: dark)').matches ?? false;
}
