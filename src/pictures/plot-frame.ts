/** The frame of a plot: its size, its colours, grid lines with labels, and steps between them. */

export const WIDTH = 720;
export const HEIGHT = 420;
/** Space for the title and the labels of the axes. */
export const LEFT = 64;
export const RIGHT = 20;
export const TOP = 58;
export const BOTTOM = 48;
/** An axis has at most so many labels. */
const MAX_LABELS = 8;

/** Rules that all plots share: on light pages, and what changes on dark ones. */
export const LIGHT_FRAME: readonly string[] = [
  'text{font:12px system-ui,sans-serif;fill:#555}',
  '.title{font-size:15px;fill:#111}',
  '.page{fill:#fff}',
  '.grid{stroke:#e4e4e4}',
];
export const DARK_FRAME: readonly string[] = [
  'text{fill:#aaa}',
  '.title{fill:#eee}',
  '.page{fill:#16181c}',
  '.grid{stroke:#33363c}',
];

export function horizontal(at: number, label: string): string {
  return `<path class="grid" d="M${LEFT},${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${label}</text>`;
}

export function vertical(at: number, label: string): string {
  return `<path class="grid" d="M${at},${TOP}V${HEIGHT - BOTTOM}"/><text x="${at}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${label}</text>`;
}

/** Makes the steps of an axis from `first` to `last`. Where there would be too many labels, decades are left out evenly. */
export function steps(first: number, last: number, step: number): number[] {
  const stride = step * Math.max(1, Math.ceil((last - first) / step / MAX_LABELS));
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, k) => first + k * stride);
}

/** 1, 2 or 5 times a power of ten. @param least of counts 1; of other numbers 0 */
export function niceStep(range: number, least = 1): number {
  const power = 10 ** Math.floor(Math.log10(range / MAX_LABELS));
  return Math.max(least, power * [1, 2, 5, 10].find((factor) => factor * power * MAX_LABELS >= range)!);
}

export function superscript(exponent: number): string {
  return [...String(exponent)].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('');
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
