/**
 * Spy pictures: the positions of the entries of a matrix. Cells consist of whole rows and columns and have equal size,
 * so a regular matrix shows no moiré. Intensity is the logarithm of the count, so a single entry stays visible next to
 * a dense block. As text for the terminal, SVG for light or dark pages, PNG for anything else.
 */
import { encode } from 'fast-png';
import { integer } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';

export interface SpyGrid {
  readonly width: number;
  readonly height: number;
  readonly rowsPerCell: number;
  readonly colsPerCell: number;
  /** Entries in each cell, row by row; they sum to nnz. */
  readonly counts: Uint32Array;
  /** The maximum count. */
  readonly max: number;
}

/**
 * Matrices with a ratio of width to height, or of height to width, up to this one are drawn with square cells; others
 * are stretched until their picture has this ratio.
 */
const MAX_ASPECT = 8;

/**
 * Counts the entries in a grid of at most `maxWidth` × `maxHeight` cells; a cell is never smaller than an entry. One
 * pass over the entries.
 */
export function spyGrid(matrix: CsrMatrix, maxWidth: number, maxHeight: number): SpyGrid {
  integer('maxWidth', maxWidth, 1, 1 << 14);
  integer('maxHeight', maxHeight, 1, 1 << 14);
  const { rows, cols, rowPtr, colIdx } = matrix;
  const { rowsPerCell, colsPerCell } = cellSize(rows, cols, maxWidth, maxHeight);
  const width = Math.ceil(cols / colsPerCell);
  const height = Math.ceil(rows / rowsPerCell);
  const counts = new Uint32Array(width * height);
  for (let i = 0; i < rows; i++) {
    const line = Math.floor(i / rowsPerCell) * width;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      counts[line + Math.floor(colIdx[k]! / colsPerCell)]!++;
    }
  }
  const max = counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  return { width, height, rowsPerCell, colsPerCell, counts, max };
}

function cellSize(rows: number, cols: number, maxWidth: number, maxHeight: number) {
  const rowsPerCell = Math.max(1, Math.ceil(rows / maxHeight));
  const colsPerCell = Math.max(1, Math.ceil(cols / maxWidth));
  const aspect = Math.max(rows, 1) / Math.max(cols, 1);
  if (aspect > MAX_ASPECT || aspect < 1 / MAX_ASPECT) return { rowsPerCell, colsPerCell };
  const side = Math.max(rowsPerCell, colsPerCell);
  return { rowsPerCell: side, colsPerCell: side };
}

/** 0 for an empty cell, else 1 … levels: the logarithm of the count; the fullest cell has the highest level. */
function level(count: number, max: number, levels: number): number {
  if (count === 0) return 0;
  return max === 1 ? levels : 1 + Math.round(((levels - 1) * Math.log(count)) / Math.log(max));
}

/** For a title: `1,000 × 1,000, 4,996 entries`. */
function sizeLabel({ rows, cols, nnz }: CsrMatrix): string {
  const [r, c, n] = [rows, cols, nnz].map((size) => size.toLocaleString('en-US'));
  return `${r} × ${c}, ${n} ${nnz === 1 ? 'entry' : 'entries'}`;
}

export interface SpyTextOptions {
  /** Width of the picture in characters, without frame and labels. Default 64. */
  columns?: number;
  /** Height in lines, without frame. Default 32. */
  rows?: number;
}

/** A braille character is 2 dots wide and 4 high; the bits of its dots, row by row (Unicode, U+2800). */
const BRAILLE = 0x2800;
const DOTS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];

/** If more than this share of the dots is set, the picture uses shades instead of dots. */
const CROWDED = 0.5;
const SHADES = [' ', '·', '░', '▒', '▓', '█'];

/**
 * A framed picture for the terminal: a dot for every cell with entries (2 × 4 dots a character), or, if more than
 * half of the dots would be set, a shade for the density around each character.
 */
export function spyText(matrix: CsrMatrix, options: SpyTextOptions = {}): string {
  const dots = dotsOf(matrix, options);
  const lines = linesOf(dots);
  const last = Math.max(0, matrix.rows - 1).toString();
  const width = Math.ceil(dots.width / 2);
  const margin = ' '.repeat(last.length);
  const labelled = lines.map((line, k) => {
    const label = k === 0 ? '0' : k === lines.length - 1 ? last : '';
    return `${label.padStart(last.length)} │${line}│`;
  });
  return [
    `${margin}  ${columnLabels(matrix.cols, width)}`,
    `${margin} ┌${'─'.repeat(width)}┐`,
    ...labelled,
    `${margin} └${'─'.repeat(width)}┘`,
    `${margin}  ${sizeLabel(matrix)}`,
  ].join('\n');
}

/** The lines of the same picture without frame and labels. */
export function spyLines(matrix: CsrMatrix, options: SpyTextOptions = {}): string[] {
  return linesOf(dotsOf(matrix, options));
}

function dotsOf(matrix: CsrMatrix, { columns = 64, rows = 32 }: SpyTextOptions): SpyGrid {
  return spyGrid(matrix, 2 * columns, 4 * rows);
}

function linesOf(dots: SpyGrid): string[] {
  const occupied = dots.counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  return occupied > CROWDED * dots.counts.length ? shadeLines(dots) : brailleLines(dots);
}

function columnLabels(cols: number, width: number): string {
  const last = Math.max(0, cols - 1).toString();
  return last.length + 2 > width ? '0' : `0${last.padStart(width - 1)}`;
}

function brailleLines({ width, height, counts }: SpyGrid): string[] {
  const lines: string[] = [];
  for (let top = 0; top < height; top += 4) {
    let line = '';
    for (let left = 0; left < width; left += 2) {
      let bits = 0;
      for (let dot = 0; dot < 8; dot++) {
        const x = left + (dot & 1);
        const y = top + (dot >> 1);
        if (x < width && y < height && counts[y * width + x]! > 0) bits |= DOTS[dot]!;
      }
      line += String.fromCharCode(BRAILLE + bits);
    }
    lines.push(line);
  }
  return lines;
}

function shadeLines({ width, height, counts }: SpyGrid): string[] {
  const columns = Math.ceil(width / 2);
  const sums = new Float64Array(columns * Math.ceil(height / 4));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) sums[(y >> 2) * columns + (x >> 1)]! += counts[y * width + x]!;
  }
  const max = sums.reduce((greatest, sum) => Math.max(greatest, sum), 0);
  const shades = Array.from(sums, (sum) => SHADES[level(sum, max, SHADES.length - 1)]!);
  return Array.from({ length: Math.ceil(height / 4) }, (_, k) => shades.slice(k * columns, (k + 1) * columns).join(''));
}

export interface SpyImageOptions {
  /** Maximum width and height of the picture, in cells for SVG and in pixels for PNG. */
  size?: number;
}

const SVG_LEVELS = 5;
const SVG_SIZE = 512;

/**
 * An SVG picture, 512 pixels at its longer side: one path per level, a stroke for each run of equal cells. The colours
 * follow the colour scheme of the page. `size` defaults to 128 cells.
 */
export function spySvg(matrix: CsrMatrix, { size: cells = 128 }: SpyImageOptions = {}): string {
  const grid = spyGrid(matrix, cells, cells);
  const { width, height } = grid;
  const scale = SVG_SIZE / Math.max(width, height, 1);
  const pixels = (side: number) => Math.round(Math.max(side * scale, SVG_SIZE / MAX_ASPECT));
  const size = `width="${pixels(width)}" height="${pixels(height)}"`;
  const paths = runsByLevel(grid).map((path, k) => {
    const opacity = (0.3 + (0.7 * k) / (SVG_LEVELS - 1)).toFixed(2);
    return path === '' ? '' : `<path stroke-opacity="${opacity}" d="${path}"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} class="spy" role="img"><title>${sizeLabel(matrix)}</title>`,
    '<style>.spy rect{fill:#fff;stroke:#8a94a3;stroke-width:2}.spy path{fill:none;stroke:#123a6b}',
    '@media(prefers-color-scheme:dark){.spy rect{fill:#10151d}.spy path{stroke:#8ec1ff}}</style>',
    `<rect ${size}/><svg ${size} viewBox="0 0 ${Math.max(1, width)} ${Math.max(1, height)}"`,
    ` preserveAspectRatio="none" shape-rendering="crispEdges">${paths.join('')}</svg></svg>\n`,
  ].join('');
}

/** For each level the runs of its cells, as moves (relative to the end of the last run) and horizontal strokes. */
function runsByLevel({ width, height, counts, max }: SpyGrid): string[] {
  const paths = new Array<string>(SVG_LEVELS).fill('');
  const pens = paths.map(() => ({ x: 0, y: 0 }));
  for (let y = 0; y < height; y++) {
    for (let x = 0, end = 0; x < width; x = end) {
      const shade = level(counts[y * width + x]!, max, SVG_LEVELS);
      for (end = x + 1; end < width && level(counts[y * width + end]!, max, SVG_LEVELS) === shade; ) end++;
      if (shade === 0) continue;
      const pen = pens[shade - 1]!;
      const start = paths[shade - 1] === '' ? `M${x} ${y}.5` : `m${x - pen.x} ${y - pen.y}`;
      paths[shade - 1] += `${start}h${end - x}`;
      pen.x = end;
      pen.y = y;
    }
  }
  return paths;
}

const PNG_LEVELS = 64;
const FRAME = PNG_LEVELS + 1;

/** A PNG picture with a frame, whole pixels per cell. `size` defaults to 800 pixels. */
export function spyPng(matrix: CsrMatrix, { size = 800 }: SpyImageOptions = {}): Uint8Array {
  integer('size', size, 3, 1 << 14);
  const inner = size - 2;
  const grid = spyGrid(matrix, inner, inner);
  const scale = Math.floor(inner / Math.max(grid.width, grid.height, 1));
  const stretched = (side: number) => Math.max(scale, Math.floor(inner / MAX_ASPECT / Math.max(side, 1)));
  const scaleX = stretched(grid.width);
  const scaleY = stretched(grid.height);
  const width = grid.width * scaleX + 2;
  const height = grid.height * scaleY + 2;
  const data = new Uint8Array(width * height).fill(FRAME);
  for (let y = 0; y < height - 2; y++) {
    const line = Math.floor(y / scaleY) * grid.width;
    for (let x = 0; x < width - 2; x++) {
      const count = grid.counts[line + Math.floor(x / scaleX)]!;
      data[(y + 1) * width + x + 1] = level(count, grid.max, PNG_LEVELS);
    }
  }
  return encode({ width, height, data, depth: 8, channels: 1, palette: palette() });
}

type Rgb = readonly [number, number, number];
const PAPER: Rgb = [255, 255, 255];
const RAMP: readonly Rgb[] = [
  [140, 186, 228],
  [33, 102, 172],
  [8, 29, 66],
];
const FRAME_COLOUR: Rgb = [138, 148, 163];

/** The palette: background, then from light to dark blue, then the frame. */
function palette(): number[][] {
  const shades = Array.from({ length: PNG_LEVELS }, (_, k) => {
    const at = (k / (PNG_LEVELS - 1)) * (RAMP.length - 1);
    const from = Math.min(Math.floor(at), RAMP.length - 2);
    return RAMP[from]!.map((channel, c) => Math.round(channel + (at - from) * (RAMP[from + 1]![c]! - channel)));
  });
  return [[...PAPER], ...shades, [...FRAME_COLOUR]];
}
