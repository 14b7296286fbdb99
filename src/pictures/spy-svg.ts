/** Spy pictures as SVG: one path per level, a stroke for each run of equal cells. */
import type { CsrMatrix } from '../core/csr.js';
import { type Scheme, styled } from './scheme.js';
import { level, MAX_ASPECT, type SpyGrid, sizeLabel, spyGrid } from './spy-grid.js';

const SVG_LEVELS = 5;
const SVG_SIZE = 512;

/** At most `cells` cells wide and high; 512 pixels at its longer side. */
export function spySvg(matrix: CsrMatrix, cells: number, scheme: Scheme): string {
  const grid = spyGrid(matrix, cells, cells);
  const { width, height } = grid;
  const scale = SVG_SIZE / Math.max(width, height, 1);
  const pixels = (side: number) => Math.round(Math.max(side * scale, SVG_SIZE / MAX_ASPECT));
  const size = `width="${pixels(width)}" height="${pixels(height)}"`;
  const paths = runsByLevel(grid).map((path, k) => {
    const opacity = (0.3 + (0.7 * k) / (SVG_LEVELS - 1)).toFixed(2);
    return path === '' ? '' : `<path stroke-opacity="${opacity}" d="${path}"/>`;
  });
  const { className, style } = styled('sparlane-spy', scheme, LIGHT, DARK);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} class="${className}" role="img"><title>${sizeLabel(matrix)}</title>`,
    `${style}<rect ${size}/><svg ${size} viewBox="0 0 ${Math.max(1, width)} ${Math.max(1, height)}"`,
    ` preserveAspectRatio="none" shape-rendering="crispEdges">${paths.join('')}</svg></svg>\n`,
  ].join('');
}

const LIGHT = ['rect{fill:#fff;stroke:#8a94a3;stroke-width:2}', 'path{fill:none;stroke:#123a6b}'];
const DARK = ['rect{fill:#10151d}', 'path{stroke:#8ec1ff}'];

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
