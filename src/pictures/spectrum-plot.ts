/** Eigenvalues or singular values in their order, as SVG. */
import { knownKeys, oneOf, text } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { formatCount } from './figures.js';
import {
  BOTTOM,
  DARK_FRAME,
  HEIGHT,
  horizontal,
  LEFT,
  LIGHT_FRAME,
  niceStep,
  RIGHT,
  round,
  steps,
  superscript,
  TOP,
  vertical,
  WIDTH,
} from './plot-frame.js';
import { escaped, SCHEMES, type Scheme, styled } from './scheme.js';

/** What is drawn: an answer of `eigs` or `svds`, or your own numbers. */
export interface SpectrumValues {
  readonly values: ArrayLike<number>;
  /** Drawn as a bar about each value, where it can be seen: for a symmetric matrix an eigenvalue is there. */
  readonly residualNorms?: ArrayLike<number>;
}

/** `spectrumPlot` takes these options. */
export interface SpectrumPlotOptions {
  /** Default: none. */
  title?: string;
  /** `linear`, or `logarithmic`, which leaves out what is not greater than 0. Default: logarithmic if all are, and from one another by a factor of 100. */
  axis?: 'auto' | 'linear' | 'logarithmic';
  /** Default `auto`, which follows the page. */
  scheme?: Scheme;
}

const OPTIONS: Record<keyof SpectrumPlotOptions, true> = { title: true, axis: true, scheme: true };
const AXES = ['auto', 'linear', 'logarithmic'] as const;
/** The range of values from which a logarithmic axis shows more. Chosen. */
const WIDE = 100;

/** Bars shorter than this are not drawn, in pixels. */
const LEAST_BAR = 1;

const LIGHT = [...LIGHT_FRAME, '.value{fill:#1668c4}', '.bar{stroke:#c2410c}'];
const DARK = [...DARK_FRAME, '.value{fill:#6cb2ff}', '.bar{stroke:#ff9d5c}'];

/**
 * Draws values in the order in which they come.
 *
 * @returns SVG, 720 × 420 pixels
 * @throws SparlaneError `argument` for an invalid spectrum or option
 *
 * @example
 * document.body.innerHTML = spectrumPlot(eigs(engine, stiffness, 20), { title: 'Frequencies' });
 */
export function spectrumPlot(spectrum: SpectrumValues, options: SpectrumPlotOptions = {}): string {
  knownKeys<SpectrumPlotOptions>('options', options, OPTIONS);
  const title = text('title', options.title ?? '');
  const scheme = oneOf('scheme', options.scheme ?? 'auto', SCHEMES);
  const asked = oneOf('axis', options.axis ?? 'auto', AXES);
  const values = numbersOf('spectrum.values', spectrum?.values);
  const residuals = spectrum.residualNorms === undefined ? [] : numbersOf('residualNorms', spectrum.residualNorms);
  const isLogarithmic = asked === 'auto' ? isWide(values) : asked === 'logarithmic';
  const points = values
    .map((value, k) => ({ k, value, residual: residuals[k] ?? 0 }))
    .filter(({ value }) => Number.isFinite(value) && (!isLogarithmic || value > 0));
  const shown = points.map(({ value }) => value);
  const { y, lines } = isLogarithmic ? logarithmicAxis(shown) : linearAxis(shown);
  const last = Math.max(2, values.length);
  const x = (k: number) => round(LEFT + 8 + ((WIDTH - LEFT - RIGHT - 16) * k) / (last - 1));
  const counts = steps(1, last, niceStep(last));
  const { className, style } = styled('sparlane-spectrum', scheme, LIGHT, DARK);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" class="${className}" role="img">`,
    `<title>${escaped(title || 'spectrum')}</title>${style}`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="12" y="20">${escaped(title)}</text>`,
    ...lines,
    ...counts.map((count) => vertical(x(count - 1), formatCount(count))),
    ...points.flatMap(({ k, value, residual }) => barOf(x(k), y, value, residual, isLogarithmic)),
    ...points.map(({ k, value }) => `<circle class="value" cx="${x(k)}" cy="${y(value)}" r="3"/>`),
    '</svg>\n',
  ].join('\n');
}

function numbersOf(name: string, numbers: ArrayLike<number>): number[] {
  const isList = Array.isArray(numbers) || (ArrayBuffer.isView(numbers) && 'length' in numbers);
  if (!isList) throw mismatch('argument', name, 'numbers', numbers);
  return Array.from(numbers, (value, k) => {
    if (typeof value !== 'number') throw mismatch('argument', `${name}[${k}]`, 'a number', value);
    return value;
  });
}

function isWide(values: readonly number[]): boolean {
  const [least, greatest] = rangeOf(values);
  return least > 0 && greatest >= WIDE * least;
}

/** The range of the finite numbers is [0, 1] if there are none. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values.filter(Number.isFinite)) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return least <= greatest ? [least, greatest] : [0, 1];
}

interface Axis {
  readonly y: (value: number) => number;
  readonly lines: readonly string[];
}

function logarithmicAxis(values: readonly number[]): Axis {
  const [least, greatest] = rangeOf(values.map(Math.log10));
  const [low, high] = [Math.floor(least), Math.ceil(greatest + 1e-9)];
  const heightOf = heights(low, high);
  const labels = steps(low, high, 1);
  return {
    y: (value) => heightOf(Math.log10(value)),
    lines: labels.map((exponent) => horizontal(heightOf(exponent), `10${superscript(exponent)}`)),
  };
}

function linearAxis(values: readonly number[]): Axis {
  const [least, greatest] = rangeOf(values);
  const size = Math.max(Math.abs(least), Math.abs(greatest));
  // Values that differ by rounding only are one.
  const range = greatest - least > 1e-12 * size ? greatest - least : size || 1;
  const step = niceStep(range, 0);
  const [low, high] = [Math.floor(least / step) * step, Math.ceil(greatest / step + 1e-9) * step];
  const heightOf = heights(low, Math.max(high, low + step));
  const labels = steps(low, Math.max(high, low + step), step);
  return { y: heightOf, lines: labels.map((value) => horizontal(heightOf(value), labelOf(value, step))) };
}

function heights(low: number, high: number): (place: number) => number {
  return (place) => round(TOP + ((HEIGHT - TOP - BOTTOM) * (high - place)) / (high - low));
}

/** A label has as many digits as it needs to differ from its neighbours. */
function labelOf(value: number, step: number): string {
  if (Math.abs(value) < step / 2) return '0';
  const digits = Math.max(1, Math.ceil(Math.log10(Math.abs(value) / step)) + 1);
  return String(Number(value.toPrecision(Math.min(digits, 12))));
}

function barOf(x: number, y: Axis['y'], value: number, residual: number, isLogarithmic: boolean): string[] {
  if (!(residual > 0 && Number.isFinite(residual))) return [];
  const top = y(value + residual);
  const bottom = isLogarithmic && value <= residual ? HEIGHT - BOTTOM : y(value - residual);
  if (bottom - top < LEAST_BAR) return [];
  return [`<path class="bar" d="M${x},${Math.max(top, TOP)}V${Math.min(bottom, HEIGHT - BOTTOM)}"/>`];
}
