/** Pictures of the examples: an SVG that is readable on light and on dark pages. */
import { writeFileSync } from 'node:fs';

/** Colours that differ on light and on dark pages, also for most people who are colour-blind. */
export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#c2649b', '#e09a00', '#6f5bb5', '#8b929b', '#3fa7a0'];

/** Writes an SVG of a size in pixels; `label` says what it shows, for readers who do not see it. */
export function writeSvg(file, { width, height, label }, parts) {
  const style =
    'text{font:12px system-ui,sans-serif;fill:#666d77}@media(prefers-color-scheme:dark){text{fill:#9aa2ad}}';
  const open = `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" fill="none" stroke-linecap="round" stroke-linejoin="round">`;
  writeFileSync(file, `${open}<style>${style}</style>${parts.join('\n')}</svg>\n`);
}

/** Dots of one colour as a single path; places are [x, y], rounded to whole numbers. */
export function dots(places, colour, width) {
  const path = places.map(([x, y]) => `M${Math.round(x)},${Math.round(y)}h0`).join('');
  return `<path d="${path}" stroke="${colour}" stroke-width="${width}"/>`;
}

/** Maps points [x, y] into a box of the picture, y upwards, with one scale for both axes. */
export function fitted(points, { left, top, width, height }) {
  const ends = [0, 1].map((axis) => {
    const numbers = points.map((point) => point[axis]);
    return [Math.min(...numbers), Math.max(...numbers)];
  });
  const [[x0, x1], [y0, y1]] = ends;
  const scale = Math.min(width / (x1 - x0), height / (y1 - y0));
  return points.map(([x, y]) => [
    left + width / 2 + scale * (x - (x0 + x1) / 2),
    top + height / 2 - scale * (y - (y0 + y1) / 2),
  ]);
}
