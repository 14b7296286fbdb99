/** Charts by Observable Plot, without a browser: text of SVG whose colours are the custom properties of `theme.css`. */
import { readFileSync } from 'node:fs';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { markup } from './html.mjs';

/** One panel is as wide as a narrow page, so that its text is readable there; a wide page puts panels side by side. */
export const PANEL_WIDTH = 400;
const FONT_SIZE = 11;
const CHARACTER = 6.1;

export const theme = readFileSync(new URL('./theme.css', import.meta.url), 'utf8');

const { document } = parseHTML('<!doctype html><html lang="en"><body></body></html>');

/** Plot's options, and `label`: a description of the chart for screen readers. */
export function draw({ label, ...options }) {
  const svg = Plot.plot({ document, width: PANEL_WIDTH, className: 'plot', ariaLabel: label, ...options });
  svg.querySelector('style').remove();
  joinTicks(svg);
  // The description is that of the whole: groups have no role that a label of their own could belong to.
  for (const group of svg.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  svg.setAttribute('font-size', FONT_SIZE);
  svg.setAttribute('role', 'img');
  return markup(shortened(svg.outerHTML));
}

/**
 * Plain vertical lines of a group as one path, which makes a chart of many ticks a quarter as long. Translucent lines,
 * which add up, stay separate.
 */
function joinTicks(svg) {
  for (const group of svg.querySelectorAll('g[aria-label="tick"]')) {
    const lines = [...group.children].filter(({ attributes }) => attributes.length === 4);
    if (lines.length < 2 || group.hasAttribute('stroke-opacity')) continue;
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    const at = (line, name) => line.getAttribute(name);
    path.setAttribute('d', lines.map((line) => `M${at(line, 'x1')},${at(line, 'y1')}V${at(line, 'y2')}`).join(''));
    for (const line of lines) line.remove();
    group.append(path);
  }
}

/** A precision of a tenth of a pixel is enough. */
function shortened(text) {
  return text.replace(/ (?:d|transform|[xy][12]?|c[xy]|width|height)="[^"]*"/g, (attribute) =>
    attribute.replace(/(\.\d)\d+/g, '$1').replace(/\.0(?!\d)/g, ''),
  );
}

/** The SVG as a separate file. */
export function standalone(svg) {
  const style = colorsOf(svg.text);
  return svg.text.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ').replace('>', `><style>${style}</style>`);
}

/** Returns the theme without the colours that a text does not use: another colour for one chart leaves the files of the others as they are. */
function colorsOf(text) {
  const isUsed = (name) => [text, theme].some((all) => all.includes(`var(${name})`));
  return theme.replaceAll(/^ *(--[\w-]+):[^;]*;\n/gm, (line, name) => (isUsed(name) ? line : ''));
}

/**
 * The axis below (or above) the marks, with its unit, and grid lines. `ticks` with `text` if all are to be labelled: on
 * a logarithmic axis Plot would omit some.
 */
export function axes(label, { anchor = 'bottom', text, ...options } = {}) {
  return [
    Plot.gridX({ stroke: 'var(--faint)', strokeOpacity: 1, ...options }),
    Plot.axisX({
      anchor,
      label,
      labelAnchor: 'center',
      labelArrow: 'none',
      tickSize: 0,
      color: 'var(--muted)',
      ...options,
      ...(text && { text }),
    }),
  ];
}

/** Values on the left, with grid lines. */
export function valueAxis(ticks, text) {
  return [
    Plot.gridY({ stroke: 'var(--faint)', strokeOpacity: 1, ticks }),
    Plot.axisY({ label: null, ticks, text, tickSize: 0, color: 'var(--muted)' }),
  ];
}

/** Names on the left, one per row. */
export function rowNames(names, looks) {
  const tickFormat = (name) => looks.get(name).label;
  return Plot.axisY(names, { anchor: 'left', label: null, tickSize: 0, tickPadding: 4, tickFormat });
}

/** Approximate width of the longest label, in pixels. */
export function widthOf(names, looks) {
  return CHARACTER * Math.max(...names.map((name) => looks.get(name).label.length));
}

/** A contender's symbol alone, for a legend. */
export function swatch({ colour, symbol }, options = {}) {
  const mark = Plot.dot([0], {
    x: 8,
    y: 8,
    r: 4,
    symbol,
    ...(hollow(symbol) ? { stroke: colour } : { fill: colour }),
    ...options,
  });
  return draw({
    label: '',
    width: 16,
    height: 16,
    margin: 0,
    axis: null,
    x: { type: 'identity' },
    y: { type: 'identity' },
    marks: [mark],
  });
}

/** Symbols drawn as outlines. */
export function hollow(symbol) {
  return /2$|plus/.test(symbol);
}
