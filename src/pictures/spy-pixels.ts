/** Spy pictures in pixels: as PNG, and on a canvas. A pixel is a level: 0 is empty, then from few entries to many, then the frame. */
import { encode } from 'fast-png';
import type { CsrMatrix } from '../core/csr.js';
import { level, MAX_ASPECT, spyGrid } from './spy-grid.js';

const LEVELS = 64;
const FRAME = LEVELS + 1;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Length width · height, row by row. */
  readonly levels: Uint8Array;
}

/** At most `maxWidth` × `maxHeight` pixels, with a frame of one pixel, and whole pixels per cell. */
function pixelsOf(matrix: CsrMatrix, maxWidth: number, maxHeight: number): Pixels {
  const [innerWidth, innerHeight] = [maxWidth - 2, maxHeight - 2];
  const grid = spyGrid(matrix, innerWidth, innerHeight);
  const scale = Math.floor(Math.min(innerWidth / Math.max(grid.width, 1), innerHeight / Math.max(grid.height, 1)));
  const thinnest = Math.min(innerWidth, innerHeight) / MAX_ASPECT;
  const scaleOf = (side: number) => Math.max(scale, Math.floor(thinnest / side));
  // A side without cells is thin, and blank.
  const sideOf = (side: number) => (side === 0 ? Math.ceil(thinnest) : side * scaleOf(side)) + 2;
  const width = sideOf(grid.width);
  const height = sideOf(grid.height);
  const levels = new Uint8Array(width * height).fill(FRAME);
  const shades = grid.counts.map((count) => level(count, grid.max, LEVELS));
  const [scaleX, scaleY] = [scaleOf(grid.width), scaleOf(grid.height)];
  for (let y = 0; y < height - 2; y++) {
    const line = Math.floor(y / scaleY) * grid.width;
    const at = (y + 1) * width + 1;
    for (let x = 0; x < width - 2; x++) levels[at + x] = shades[line + Math.floor(x / scaleX)] ?? 0;
  }
  return { width, height, levels };
}

/** The bytes of a PNG with a palette. */
export function spyPng(matrix: CsrMatrix, size: number, isDark: boolean): Uint8Array {
  const { width, height, levels } = pixelsOf(matrix, size, size);
  return encode({ width, height, data: levels, depth: 8, channels: 1, palette: paletteOf(isDark) });
}

/** The used part of a canvas: one of a page or of a worker, or of a library for Node. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(type: '2d'): CanvasContext | null;
}

/** What `spy` needs of the 2D context of a canvas. */
export interface CanvasContext {
  clearRect(x: number, y: number, width: number, height: number): void;
  createImageData(width: number, height: number): { readonly data: Uint8ClampedArray };
  putImageData(image: { readonly data: Uint8ClampedArray }, x: number, y: number): void;
}

/** In the middle of the canvas, whose other pixels become transparent. */
export function drawSpy(matrix: CsrMatrix, canvas: Canvas, context: CanvasContext, isDark: boolean): void {
  const { width, height, levels } = pixelsOf(matrix, canvas.width, canvas.height);
  const image = context.createImageData(width, height);
  const palette = paletteOf(isDark);
  levels.forEach((shade, k) => {
    image.data.set(palette[shade]!, 4 * k);
    image.data[4 * k + 3] = 255;
  });
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.putImageData(image, Math.floor((canvas.width - width) / 2), Math.floor((canvas.height - height) / 2));
}

type Rgb = readonly [number, number, number];

interface Colours {
  readonly paper: Rgb;
  /** From few entries to many. */
  readonly ramp: readonly Rgb[];
}

const LIGHT: Colours = {
  paper: [255, 255, 255],
  ramp: [
    [140, 186, 228],
    [33, 102, 172],
    [8, 29, 66],
  ],
};
const DARK: Colours = {
  paper: [16, 21, 29],
  ramp: [
    [42, 82, 136],
    [92, 156, 226],
    [212, 233, 255],
  ],
};
const FRAME_COLOUR: Rgb = [138, 148, 163];

function paletteOf(isDark: boolean): number[][] {
  const { paper, ramp } = isDark ? DARK : LIGHT;
  const shades = Array.from({ length: LEVELS }, (_, k) => {
    const at = (k / (LEVELS - 1)) * (ramp.length - 1);
    const from = Math.min(Math.floor(at), ramp.length - 2);
    return ramp[from]!.map((channel, c) => Math.round(channel + (at - from) * (ramp[from + 1]![c]! - channel)));
  });
  return [[...paper], ...shades, [...FRAME_COLOUR]];
}
