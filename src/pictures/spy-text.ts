/** Spy pictures as text, for the terminal. */
import type { CsrMatrix } from '../core/csr.js';
import { level, type SpyGrid, sizeLabel, spyGrid } from './spy-grid.js';

interface TextLayout {
  /** The greatest width of the picture in characters, without frame and labels. */
  readonly columns: number;
  /** The greatest height in lines, without frame. */
  readonly lines: number;
  readonly frame: boolean;
}

/** A braille character is 2 dots wide and 4 high; the bits of its dots, row by row (Unicode, U+2800). */
const BRAILLE = 0x2800;
const DOTS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];

/** If more than this share of the dots is set, the picture uses shades instead of dots. */
const CROWDED = 0.5;
const SHADES = [' ', '·', '░', '▒', '▓', '█'];

/**
 * A dot for every cell with entries (2 × 4 dots a character), or, if more than half of the dots would be set, a shade for
 * the density around each character.
 */
export function spyText(matrix: CsrMatrix, { columns, lines, frame }: TextLayout): string {
  const dots = spyGrid(matrix, 2 * columns, 4 * lines);
  const picture = linesOf(dots);
  return (frame ? framed(matrix, picture, Math.ceil(dots.width / 2)) : picture).join('\n');
}

function framed(matrix: CsrMatrix, lines: readonly string[], width: number): string[] {
  const last = Math.max(0, matrix.rows - 1).toString();
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
  ];
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
