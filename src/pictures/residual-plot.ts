/** The residuals of solves over their iterations, as SVG with a logarithmic axis. */
import { integer, knownKeys, oneOf, text, within } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { SolveDecision } from '../solvers/system.js';
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

/** What is drawn of a solution: one of `solve`, of a method, of a column of several, or your own. */
export interface Residuals {
  /** Element k is the norm after k · `checkEvery` iterations. */
  readonly residualNorms: ArrayLike<number>;
  /** Iterations between two norms. Default 1. */
  readonly checkEvery?: number;
  /** These are for the default title. */
  readonly iterations?: number;
  readonly relativeResidual?: number;
  readonly decision?: Pick<SolveDecision, 'method' | 'preconditioner'>;
}

/** `residualPlot` takes these options. */
export interface ResidualPlotOptions {
  /** Default, of a single solution: method, iterations and residual, as far as they are known. */
  title?: string;
  /** ‖b‖₂, which norms are divided by; greater than 0. Default: the first norm of each solution, which is ‖b‖₂ if x₀ = 0. */
  bNorm?: number;
  /** Drawn as a line: 0 to 1. Default: none. */
  rtol?: number;
  /** Default `auto`, which follows the page. */
  scheme?: Scheme;
}

/** A curve of more points is no finer on a screen. */
const MAX_POINTS = 1000;

/**
 * Draws the residual norms of a solution, or of several by their names, over the iterations.
 *
 * @returns SVG, 720 × 420 pixels
 * @throws SparlaneError `argument` for an invalid solution or option
 *
 * @example
 * const rtol = 1e-10;
 * document.body.innerHTML = residualPlot(solve(engine, matrix, b, { rtol }), { rtol });
 * const names = ['cg', 'minres'];
 * const solutions = names.map((method) => [method, solve(engine, matrix, b, { method })]);
 * document.body.innerHTML = residualPlot(Object.fromEntries(solutions));
 */
export function residualPlot(
  solutions: Residuals | Readonly<Record<string, Residuals>>,
  options: ResidualPlotOptions = {},
): string {
  knownKeys<ResidualPlotOptions>('options', options, OPTIONS);
  const { bNorm, rtol = 0, scheme = 'auto' } = options;
  if (bNorm !== undefined) within('bNorm', bNorm, Number.MIN_VALUE, Number.MAX_VALUE);
  within('rtol', rtol, 0, 1);
  oneOf('scheme', scheme, SCHEMES);
  const curves = curvesOf(solutions, bNorm);
  const title = text('title', options.title ?? (isOne(solutions) ? titleOf(solutions) : ''));
  const last = Math.max(1, ...curves.map(({ end }) => end));
  const axes = axesOf(last, curves, rtol);
  const { className, style } = styled('sparlane-residuals', scheme, LIGHT, DARK);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" class="${className}" role="img">`,
    `<title>${escaped(title || curves.map(({ name }) => name).join(', '))}</title>${style}`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="12" y="20">${escaped(title)}</text>`,
    ...axes.lines,
    ...(rtol > 0 ? [`<path class="goal" d="M${LEFT},${axes.y(rtol)}H${WIDTH - RIGHT}"/>`] : []),
    ...curves.map(({ points }, k) => {
      const places = points.map(({ iteration, residual }) => `${axes.x(iteration)},${axes.y(residual)}`);
      return `<polyline class="curve c${k % COLOURS.length}" points="${places.join(' ')}"/>`;
    }),
    ...(isOne(solutions) ? [] : curves.map(({ name }, k) => legend(name, k))),
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 10}" text-anchor="end">iterations</text>`,
    `<text x="12" y="${TOP - 18}">${bNorm === undefined ? '‖r‖ / ‖r₀‖' : '‖r‖ / ‖b‖'}</text>`,
    '</svg>\n',
  ].join('\n');
}

const OPTIONS = { title: true, bNorm: true, rtol: true, scheme: true };

/** Of curves, in turn: on light and on dark pages. */
const COLOURS = [
  ['#1668c4', '#6cb2ff'],
  ['#c2410c', '#ff9d5c'],
  ['#15803d', '#5fd38a'],
  ['#7e22ce', '#c79bff'],
  ['#0e7490', '#55cfe6'],
  ['#a16207', '#e3b341'],
] as const;

const LIGHT = [
  ...LIGHT_FRAME,
  '.goal{stroke:#c33;stroke-dasharray:6 4}',
  '.curve{fill:none;stroke-width:1.6}',
  ...COLOURS.map(([light], k) => `.c${k}{stroke:${light}}`),
];
const DARK = [...DARK_FRAME, '.goal{stroke:#f77}', ...COLOURS.map(([, dark], k) => `.c${k}{stroke:${dark}}`)];

interface Point {
  readonly iteration: number;
  /** Greater than 0, and finite. */
  readonly residual: number;
}

interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
  /** The last iteration. */
  readonly end: number;
}

function isOne(solutions: object): solutions is Residuals {
  return 'residualNorms' in solutions;
}

function curvesOf(solutions: Residuals | Readonly<Record<string, Residuals>>, bNorm: number | undefined): Curve[] {
  if (typeof solutions !== 'object' || solutions === null)
    throw mismatch('argument', 'solutions', 'a solution, or several by name', solutions);
  if (isOne(solutions)) return [curveOf('solution', solutions, bNorm)];
  const named = Object.entries(solutions);
  if (named.length === 0) throw mismatch('argument', 'solutions', 'at least one', 'none');
  return named.map(([name, solution]) => curveOf(name, solution, bNorm));
}

function curveOf(name: string, solution: Residuals, bNorm: number | undefined): Curve {
  const norms = solution?.residualNorms;
  const isList = Array.isArray(norms) || (ArrayBuffer.isView(norms) && 'length' in norms);
  if (!isList) throw mismatch('argument', `${name}.residualNorms`, 'numbers', norms);
  const every = integer(`${name}.checkEvery`, solution.checkEvery ?? 1, 1);
  const unit = bNorm ?? (norms[0]! > 0 && Number.isFinite(norms[0]) ? norms[0]! : 1);
  return { name, points: visible(norms, every, unit), end: (norms.length - 1) * every };
}

/** Without points that a logarithm does not have; the greatest of each interval, so that peaks stay. */
function visible(norms: ArrayLike<number>, every: number, unit: number): Point[] {
  const width = Math.ceil(norms.length / MAX_POINTS);
  const points: Point[] = [];
  for (let begin = 0; begin < norms.length; begin += width) {
    let best: Point | undefined;
    for (let k = begin; k < Math.min(begin + width, norms.length); k++) {
      const residual = norms[k]! / unit;
      const isBetter = residual > (best?.residual ?? 0) && Number.isFinite(residual);
      if (isBetter) best = { iteration: k * every, residual };
    }
    if (best !== undefined) points.push(best);
  }
  return points;
}

/** `cg with ic0, 42 iterations, 3.1e-9`, as far as it is known. */
function titleOf({ decision, iterations, relativeResidual }: Residuals): string {
  const { method = '', preconditioner = 'none' } = decision ?? {};
  return [
    preconditioner === 'none' ? method : `${method} with ${preconditioner}`,
    typeof iterations === 'number' ? `${formatCount(iterations)} iterations` : '',
    typeof relativeResidual === 'number' ? relativeResidual.toExponential(1) : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** The grid with its labels, and the places of iterations and residuals. */
function axesOf(last: number, curves: readonly Curve[], rtol: number) {
  const shown = curves.flatMap(({ points }) => points.map(({ residual }) => residual));
  const logs = (rtol > 0 ? [...shown, rtol] : shown).map(Math.log10);
  const low = Math.floor(logs.reduce((least, log) => Math.min(least, log), 0));
  const high = Math.ceil(logs.reduce((greatest, log) => Math.max(greatest, log), 0) + 1e-9);
  const x = (iteration: number) => round(LEFT + ((WIDTH - LEFT - RIGHT) * iteration) / last);
  const heightOf = (exponent: number) => round(TOP + ((HEIGHT - TOP - BOTTOM) * (high - exponent)) / (high - low));
  const lines = [
    ...steps(low, high, 1).map((exponent) => horizontal(heightOf(exponent), `10${superscript(exponent)}`)),
    ...steps(0, last, niceStep(last)).map((iteration) => vertical(x(iteration), formatCount(iteration))),
  ];
  return { lines, x, y: (residual: number) => heightOf(Math.log10(residual)) };
}

/** A line of the legend, at the upper right, where curves have fallen. */
function legend(name: string, k: number): string {
  const y = TOP + 16 + 18 * k;
  const right = WIDTH - RIGHT - 8;
  return `<path class="curve c${k % COLOURS.length}" d="M${right - 24},${y}h24"/><text x="${right - 32}" y="${y + 4}" text-anchor="end">${escaped(name)}</text>`;
}
