/** The residual of a solve over its iterations, as SVG with a logarithmic axis, for light and dark pages. */

export interface Residuals {
  readonly title: string;
  /** Relative to ‖b‖: element k after k · `every` iterations. */
  readonly residuals: ArrayLike<number>;
  readonly every: number;
  readonly tolerance: number;
}

const WIDTH = 720;
const HEIGHT = 420;
/** Space for the title and the labels of the axes. */
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 20, 44, 48];
/** A curve of more points is no finer on a screen. */
const MAX_POINTS = 1000;
/** Labels of an axis, at most. */
const MAX_LABELS = 8;

export function residualPlot({ title, residuals, every, tolerance }: Residuals): string {
  const points = visible(residuals, every);
  const last = Math.max(1, (residuals.length - 1) * every);
  const logs = [...points.map(({ residual }) => residual), tolerance].filter((value) => value > 0).map(Math.log10);
  const [low, high] = [Math.floor(Math.min(0, ...logs)), Math.ceil(Math.max(0, ...logs) + 1e-9)];
  const x = (iteration: number) => round(LEFT + ((WIDTH - LEFT - RIGHT) * iteration) / last);
  const y = (exponent: number) => round(TOP + ((HEIGHT - TOP - BOTTOM) * (high - exponent)) / (high - low));
  const curve = points.map(({ iteration, residual }) => `${x(iteration)},${y(Math.log10(residual))}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="12" y="20">${escaped(title)}</text>`,
    ...steps(low, high, 1).map((exponent) => horizontal(y(exponent), `10${superscript(exponent)}`)),
    ...steps(0, last, niceStep(last)).map((iteration) => vertical(x(iteration), iteration.toLocaleString('en-US'))),
    ...(tolerance > 0 ? [`<path class="goal" d="M${LEFT},${y(Math.log10(tolerance))}H${WIDTH - RIGHT}"/>`] : []),
    `<polyline class="curve" points="${curve.join(' ')}"/>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 10}" text-anchor="end">iterations</text>`,
    `<text x="12" y="${TOP - 6}">‖r‖ / ‖b‖</text>`,
    '</svg>\n',
  ].join('\n');
}

const STYLE = [
  'text{font:12px system-ui,sans-serif;fill:#555}.title{font-size:15px;fill:#111}.page{fill:#fff}',
  '.grid{stroke:#e4e4e4}.goal{stroke:#c33;stroke-dasharray:6 4}.curve{fill:none;stroke:#1668c4;stroke-width:1.6}',
  '@media(prefers-color-scheme:dark){text{fill:#aaa}.title{fill:#eee}.page{fill:#16181c}.grid{stroke:#33363c}.curve{stroke:#6cb2ff}}',
].join('');

interface Point {
  readonly iteration: number;
  readonly residual: number;
}

/** Without points that a logarithm does not have; the greatest of each interval, so that peaks stay. */
function visible(residuals: ArrayLike<number>, every: number): Point[] {
  const width = Math.ceil(residuals.length / MAX_POINTS);
  const points: Point[] = [];
  for (let begin = 0; begin < residuals.length; begin += width) {
    let best: Point | undefined;
    for (let k = begin; k < Math.min(begin + width, residuals.length); k++) {
      const residual = residuals[k]!;
      const isBetter = residual > (best?.residual ?? 0) && Number.isFinite(residual);
      if (isBetter) best = { iteration: k * every, residual };
    }
    if (best !== undefined) points.push(best);
  }
  return points;
}

function horizontal(at: number, label: string): string {
  return `<path class="grid" d="M${LEFT},${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${label}</text>`;
}

function vertical(at: number, label: string): string {
  return `<path class="grid" d="M${at},${TOP}V${HEIGHT - BOTTOM}"/><text x="${at}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${label}</text>`;
}

/** From `first` to `last`, at most some labels; decades are thinned out evenly. */
function steps(first: number, last: number, step: number): number[] {
  const stride = step * Math.max(1, Math.ceil((last - first) / step / MAX_LABELS));
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, k) => first + k * stride);
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(range: number): number {
  const power = 10 ** Math.floor(Math.log10(range / MAX_LABELS));
  return Math.max(1, power * [1, 2, 5, 10].find((factor) => factor * power * MAX_LABELS >= range)!);
}

function superscript(exponent: number): string {
  return [...String(exponent)].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
