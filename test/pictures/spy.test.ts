import fc from 'fast-check';
import { decode } from 'fast-png';
import { describe, expect, test } from 'vitest';
import { workedExample } from '#dist/conformance/matrices.js';
import { csrMatrix } from '#dist/core/csr.js';
import { SparlaneError } from '#dist/core/errors.js';
import { gallery } from '#dist/gallery/registry.js';
import { spy } from '#dist/pictures/index.js';
import { spyGrid } from '#dist/pictures/spy-grid.js';
import { entriesOf, smallMatrix } from '../gallery/arbitrary.js';

const arrow = gallery('circuit', { n: 300, hubs: 1, hubLength: 300 });
const empty = csrMatrix({ rows: 0, cols: 5, rowPtr: [0], colIdx: [] });

describe('spyGrid', () => {
  test('every entry is counted in its cell, once', () => {
    fc.assert(
      fc.property(
        smallMatrix({ max: 40 }),
        fc.integer({ min: 1, max: 45 }),
        fc.integer({ min: 1, max: 45 }),
        (matrix, maxWidth, maxHeight) => {
          const grid = spyGrid(matrix, maxWidth, maxHeight);
          const { width, height, rowsPerCell, colsPerCell } = grid;
          expect(width <= maxWidth && height <= maxHeight).toBe(true);
          const expected = new Uint32Array(width * height);
          for (const [i, j] of entriesOf(matrix)) {
            expected[Math.floor(i / rowsPerCell) * width + Math.floor(j / colsPerCell)]!++;
          }
          expect(grid.counts).toEqual(expected);
          expect(grid.counts.reduce((sum, count) => sum + count, 0)).toBe(matrix.nnz);
          expect(grid.max).toBe(Math.max(0, ...expected));
        },
      ),
    );
  });

  test('cells are square, unless the matrix is very long', () => {
    expect(spyGrid(gallery('dense', { rows: 100, cols: 30 }), 50, 50)).toMatchObject({
      ...{ width: 15, height: 50, rowsPerCell: 2, colsPerCell: 2 },
    });
    expect(spyGrid(gallery('dense', { rows: 2, cols: 300 }), 50, 50)).toMatchObject({
      ...{ width: 50, height: 2, rowsPerCell: 1, colsPerCell: 6 },
    });
  });

  test('a regular matrix looks regular at any size', () => {
    const inner = (size: number) => [...spyGrid(gallery('dense', { rows: 97, cols: 97 }), size, size).counts];
    // All cells but those at the lower and right edge.
    const { width } = spyGrid(gallery('dense', { rows: 97, cols: 97 }), 60, 60);
    const counts = inner(60).filter((_, cell) => cell % width < width - 1 && cell < width * (width - 1));
    expect(new Set(counts)).toEqual(new Set([4]));
  });

  test('invalid sizes are refused', () => {
    expect(() => spyGrid(arrow, 0, 10)).toThrow(/maxWidth: expected an integer from 1/);
    expect(() => spyGrid(arrow, 10, 2.5)).toThrow(/maxHeight: expected an integer/);
  });
});

describe('text', () => {
  test('a braille dot for every cell with entries', () => {
    expect(spy(gallery('laplace2d5', { nx: 5, ny: 4 }), { as: 'text' })).toBe(
      [
        '    0       19',
        '   ┌──────────┐',
        ' 0 │⠻⣦⡈⠢⡀⠀⠀⠀⠀⠀│',
        '   │⠢⡈⠱⣦⡈⠢⡀⠀⠀⠀│',
        '   │⠀⠈⠢⡈⠛⣤⡈⠢⡀⠀│',
        '   │⠀⠀⠀⠈⠢⡈⠻⢆⡈⠢│',
        '19 │⠀⠀⠀⠀⠀⠈⠢⡈⠻⣦│',
        '   └──────────┘',
        '    20 × 20, 82 entries',
      ].join('\n'),
    );
  });

  test('dots are where the cells with entries are', () => {
    const grid = spyGrid(arrow, 2 * 30, 4 * 20);
    const lines = spy(arrow, { as: 'text', columns: 30, lines: 20 }).split('\n').slice(2, -2);
    const bits = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];
    for (let y = 0; y < 4 * lines.length; y++) {
      const cells = lines[y >> 2]!.split('│')[1]!;
      for (let x = 0; x < 2 * cells.length; x++) {
        const dot = cells.charCodeAt(x >> 1) & bits[2 * (y & 3) + (x & 1)]!;
        const count = x < grid.width && y < grid.height ? grid.counts[y * grid.width + x]! : 0;
        if ((dot !== 0) !== count > 0) expect.fail(`dot ${x}, ${y}: ${dot}, but ${count} entries`);
      }
    }
  });

  test('if most dots would be set, shades show the density', () => {
    const lines = spy(gallery('rmat', { scale: 10 }), { as: 'text', columns: 16, lines: 8 })
      .split('\n')
      .slice(2, -2);
    expect(lines).toHaveLength(8);
    expect(lines[0]).toContain('│█');
    expect(lines.join('')).not.toMatch(/[\u2801-\u28ff]/);
    expect(new Set(lines.join('').match(/[·░▒▓█]/g)).size).toBeGreaterThanOrEqual(4);
  });

  test('fits the requested size, and states the size of the matrix', () => {
    const lines = spy(arrow, { as: 'text', columns: 20, lines: 5 }).split('\n');
    expect(lines).toHaveLength(5 + 4);
    expect(Math.max(...lines.map((line) => line.split('│')[1]?.length ?? 0))).toBeLessThanOrEqual(20);
    expect(lines.at(-1)).toContain(`300 × 300, ${arrow.nnz.toLocaleString('en-US')} entries`);
    expect(lines.at(-3)).toMatch(/^299 │/);
  });

  test('a matrix of one entry, and one of none', () => {
    expect(spy(gallery('dense', { rows: 1, cols: 1 }), { as: 'text' })).toContain('1 × 1, 1 entry');
    expect(spy(empty, { as: 'text' })).toContain('0 × 5, 0 entries');
  });
});

/** Runs the path commands that spySvg writes: M x y, m dx dy, h length. Returns the cells they cover. */
function cellsOf(path: string): string[] {
  const cells: string[] = [];
  let [x, y] = [0, 0];
  for (const [, command, a, b] of path.matchAll(/([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
    if (command === 'M') [x, y] = [Number(a), Number(b)];
    if (command === 'm') [x, y] = [x + Number(a), y + Number(b)];
    if (command !== 'h') continue;
    for (let k = 0; k < Number(a); k++) cells.push(`${x + k},${y - 0.5}`);
    x += Number(a);
  }
  return cells;
}

describe('svg', () => {
  test.each([
    ['arrow', arrow],
    ['rmat', gallery('rmat', { scale: 8 })],
    ['one diagonal', gallery('laplace1d3', { nx: 7 })],
  ])('%s: the strokes cover the cells with entries, each once, the fuller the darker', (_, matrix) => {
    const { width, height, counts } = spyGrid(matrix, 64, 64);
    const svg = spy(matrix, { size: 64 });
    expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
    const paths = [...svg.matchAll(/stroke-opacity="([\d.]+)" d="([^"]+)"/g)];
    const opacity = new Map<string, number>();
    for (const [, level, path] of paths) {
      for (const cell of cellsOf(path!)) {
        expect(opacity.has(cell)).toBe(false);
        opacity.set(cell, Number(level));
      }
    }
    const shades = Array.from(counts, (count, k) => [count, opacity.get(`${k % width},${Math.floor(k / width)}`) ?? 0]);
    expect(opacity.size).toBe(counts.filter((count) => count > 0).length);
    shades.sort(([a, s], [b, t]) => a! - b! || s! - t!);
    expect(shades.map(([, shade]) => shade)).toEqual(shades.map(([, shade]) => shade).sort((a, b) => a! - b!));
    expect(shades.every(([count, shade]) => count! > 0 === shade! > 0)).toBe(true);
    expect(shades.at(-1)![1]).toBe(1);
  });

  test('reads on light and on dark pages, and tells its size to who cannot see it', () => {
    const svg = spy(arrow);
    expect(svg).toContain('@media(prefers-color-scheme:dark)');
    expect(svg).toContain('role="img"><title>300 × 300, ');
    expect(svg.length).toBeLessThan(20_000);
  });

  test('long matrices are stretched to be seen, empty ones are a frame', () => {
    expect(spy(gallery('dense', { rows: 2, cols: 900 }))).toContain('width="512" height="64"');
    expect(spy(gallery('dense', { rows: 900, cols: 300 }))).toContain('width="172" height="512"');
    expect(spy(empty)).not.toContain('<path');
    expect(spy(empty)).toContain('viewBox="0 0 5 1"');
  });
});

describe('png', () => {
  const FRAME = 65;

  test.each([
    ['arrow', arrow, 1],
    ['small', gallery('laplace2d9', { nx: 5, ny: 4 }), 14],
  ])('%s: whole pixels per cell inside a frame, the fuller the darker', (_, matrix, scale) => {
    const { width, height, counts } = spyGrid(matrix, 298, 298);
    const image = decode(spy(matrix, { as: 'png', size: 300 }));
    expect([image.width, image.height]).toEqual([width * scale + 2, height * scale + 2]);
    const pixel = (x: number, y: number) => image.data[y * image.width + x]!;
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        const isFrame = x === 0 || y === 0 || x === image.width - 1 || y === image.height - 1;
        if (isFrame) {
          if (pixel(x, y) !== FRAME) expect.fail(`frame at ${x}, ${y}`);
          continue;
        }
        const count = counts[Math.floor((y - 1) / scale) * width + Math.floor((x - 1) / scale)]!;
        if (count > 0 !== pixel(x, y) > 0) expect.fail(`pixel ${x}, ${y}: ${pixel(x, y)}, but ${count} entries`);
      }
    }
    const brightness = image.palette!.map(([r, g, b]) => r! + g! + b!);
    expect(brightness[0]).toBe(765);
    expect(brightness.slice(0, FRAME)).toEqual([...brightness.slice(0, FRAME)].sort((a, b) => b - a));
    expect(brightness[1]).toBeLessThan(600);
  });

  test('long matrices are stretched to be seen, empty ones are a frame', () => {
    const long = decode(spy(gallery('dense', { rows: 2, cols: 900 }), { as: 'png', size: 402 }));
    expect([long.width, long.height]).toEqual([302, 52]);
    const tall = decode(spy(gallery('dense', { rows: 900, cols: 1 }), { as: 'png', size: 402 }));
    expect([tall.width, tall.height]).toEqual([52, 302]);
    const none = decode(spy(empty, { as: 'png', size: 402 }));
    expect(none.data.subarray(0, none.width).every((value) => value === FRAME)).toBe(true);
  });

  test('dark is empty where light is empty, and brighter the fuller', () => {
    const [light, dark] = (['light', 'dark'] as const).map((scheme) =>
      decode(spy(arrow, { as: 'png', size: 200, scheme })),
    );
    expect(dark!.data).toEqual(light!.data);
    const brightness = dark!.palette!.map(([r, g, b]) => r! + g! + b!).slice(0, FRAME);
    expect(brightness[0]).toBeLessThan(100);
    expect(brightness).toEqual(brightness.toSorted((a, b) => a - b));
  });

  test('millions of entries: one pass, some 50 ms on two cores of an AMD EPYC', () => {
    const matrix = gallery('laplace2d5', { nx: 1000, ny: 1000 });
    const start = performance.now();
    spy(matrix, { as: 'png' });
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('spy', () => {
  test('the worked example, cell by cell', () => {
    const matrix = workedExample();
    const image = decode(spy(matrix, { as: 'png', size: 6 }));
    const [width, height] = [matrix.cols + 2, matrix.rows + 2];
    expect([image.width, image.height]).toEqual([width, height]);
    const [f, o, X] = [65, 0, 64];
    expect([...image.data]).toEqual([
      ...[f, f, f, f, f],
      ...[f, X, o, X, f],
      ...[f, o, o, o, f],
      ...[f, o, o, X, f],
      ...[f, X, X, X, f],
      ...[f, f, f, f, f],
    ]);
    expect(/ d="([^"]+)"/.exec(spy(matrix))![1]).toBe('M0 0.5h1m1 0h1m-1 2h1m-3 1h3');
    expect(spy(matrix, { as: 'text', frame: false })).toBe('⣁⡅');
  });

  test('arrays of any layout give the same picture', () => {
    const { rows, cols } = workedExample();
    const rowIdx = [3, 0, 3, 0, 2, 3];
    const colIdx = [0, 0, 1, 2, 2, 2];
    expect(spy({ rows, cols, rowIdx, colIdx })).toBe(spy(workedExample()));
  });

  test.each([
    [[5], /matrix: expected the arrays/],
    [[arrow, null], /options: expected an object/],
    [[arrow, { as: 'gif' }], /as: expected svg \| png \| text \| canvas, got 'gif'/],
    [[arrow, { size: 0 }], /size: expected an integer from 1 to 1024, got 0/],
    [[arrow, { as: 'png', size: 2 }], /size: expected an integer from 3/],
    [[arrow, { columns: 5 }], /columns/],
    [[arrow, { as: 'text', columns: 0 }], /columns: expected an integer from 1/],
    [[arrow, { as: 'text', frame: 1 }], /frame: expected a boolean/],
    [[arrow, { scheme: 'grey' }], /scheme: expected auto \| light \| dark, got 'grey'/],
    [[arrow, { as: 'canvas', canvas: {} }], /canvas: expected one with a 2d context/],
  ])('wrong arguments %#', (args, message) => {
    const call = () => Reflect.apply(spy, undefined, args);
    expect(call).toThrow(message);
    expect(call).toThrow(SparlaneError);
  });
});
