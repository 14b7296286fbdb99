/**
 * The output of `sparlane demo` for one matrix, in six lines of at most 80 columns: a picture, three bars, and the
 * reason for the format.
 */
import { formatCount, formatFigure } from '../pictures/figures.js';
import { wrapText } from './output.js';
import { busShare, type ProductReport } from './product.js';

/** Columns that every terminal has. */
export const DEMO_WIDTH = 80;

/** Size of the spy picture, in characters: square, since a character is twice as high as wide. */
export const PICTURE = { columns: 10, lines: 5 } as const;

/** One product. All are timed in turn. */
export interface DemoProduct
  extends Pick<
    ProductReport,
    'format' | 'medianMs' | 'gflops' | 'gbps' | 'bandwidthFraction' | 'inCache' | 'maxError'
  > {
  readonly name: 'JavaScript' | 'csr' | 'auto';
}

/** The measurements with one matrix. */
export interface DemoReport extends Pick<ProductReport, 'matrix' | 'rows' | 'cols' | 'nnz' | 'bandwidthGbps'> {
  readonly products: readonly DemoProduct[];
  /** Why `auto` chose its format. */
  readonly reason: string;
}

const GAP = '  ';
/** Heading of the two figures of a product. */
export const HEADS = ' GFLOP/s  of bus';
const LABEL_WIDTH = 11;
const LEFT = PICTURE.columns + GAP.length;
const BAR_WIDTH = DEMO_WIDTH - LEFT - LABEL_WIDTH - HEADS.length;
const REASON_LINES = 2;

/** @param picture lines and columns of at most `PICTURE` */
export function demoBlock(title: string, { nnz, products, reason }: DemoReport, picture: readonly string[]): string[] {
  const most = Math.max(...products.map(greatestGflops));
  const beside = [...products.map((product) => productLine(product, most)), ...reasonLines(reason)];
  const lines = beside.map((text, k) => `${(picture[k] ?? '').padEnd(LEFT)}${text}`.trimEnd());
  return [
    ruled(`${title}, ${formatCount(nnz)} ${nnz === 1 ? 'entry' : 'entries'}`, `auto: ${products.at(-1)!.format}`),
    ...lines,
  ];
}

/** ── left ──────── right ── */
export function ruled(left: string, right: string): string {
  const end = right === '' ? '' : ` ${right} ──`;
  const room = DEMO_WIDTH - '── '.length - ' ─'.length - end.length;
  const start = `── ${left.length > room ? `${left.slice(0, room - 1)}…` : left} `;
  return `${start.padEnd(DEMO_WIDTH - end.length, '─')}${end}`;
}

/** GFLOP/s at the end of a product's bar: its own, or the limit of the memory bus for its bytes. */
function greatestGflops({ gflops, bandwidthFraction, inCache }: DemoProduct): number {
  return inCache ? gflops : Math.max(gflops, gflops / bandwidthFraction);
}

function productLine(product: DemoProduct, most: number): string {
  const figures = `${formatFigure(product.gflops).padStart(8)}${busShare(product).padStart(8)}`;
  return `${product.name.padEnd(LABEL_WIDTH)}${bar(product, most)}${figures}`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar as long as the product is fast, with `│` at the limit of the memory bus for its bytes. */
export function bar({ gflops, bandwidthFraction, inCache }: DemoProduct, most: number): string {
  const scale = most > 0 ? (BAR_WIDTH - 1) / most : 0;
  const eighths = Math.round(8 * gflops * scale);
  const filled = `${'█'.repeat(eighths >> 3)}${EIGHTHS[eighths & 7]}`;
  if (inCache || !(bandwidthFraction > 0)) return filled.padEnd(BAR_WIDTH);
  const end = Math.round((gflops / bandwidthFraction) * scale);
  const track = filled.padEnd(end, '·');
  return `${track.slice(0, end)}│${track.slice(end + 1)}`.padEnd(BAR_WIDTH);
}

function reasonLines(text: string): string[] {
  const lines = wrapText(text, DEMO_WIDTH - LEFT);
  const shown = lines.slice(0, REASON_LINES);
  if (lines.length > shown.length) shown.push(`${shown.pop()!.slice(0, DEMO_WIDTH - LEFT - 1)}…`);
  return shown;
}
