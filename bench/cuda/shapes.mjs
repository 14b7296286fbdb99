/**
 * The launch shapes of our own kernels: the defaults against the best of a grid around them. Shows the loss of a
 * constant that is chosen once for all matrices.
 */
import { table } from './table.mjs';

/** Far beyond L2, and quick to make. */
const SCALE = 0.25;

const BLOCKS = [64, 128, 256, 512];

const grid = (name, first, firsts, second, seconds) =>
  firsts.flatMap((one) => seconds.map((other) => `${name}?${first}=${one}&${second}=${other}`));

/** The first method of each is the default. */
const PRODUCTS = [
  { format: 'csr', methods: ['', ...[1, 2, 4, 8].map((run) => `stream?run=${run}`)] },
  { format: 'sell', methods: ['', ...grid('row', 'unroll', [5, 7, 14], 'block', BLOCKS)] },
  { format: 'sell?index=16', methods: ['', ...grid('slices', 'unroll', [5, 7, 14], 'block', BLOCKS)] },
  { format: 'dia', methods: ['', ...grid('row', 'unroll', [5, 7, 9], 'block', BLOCKS)] },
  { format: 'inode', methods: ['', ...grid('group', 'lanes', [8, 16, 32], 'each', [1, 4, 16])] },
];

export const SHAPES = {
  matrices: ['5-point', '27-point', 'band', 'blocks', 'circuit'],
  products: PRODUCTS,
  cases: (names) => names.map((name) => ({ name, scale: SCALE })),
  report,
};

/** `lines`: a product each: { matrix, title, format, requested, method, us }. */
function* report(lines) {
  yield `Matrices at a scale of ${SCALE}; µs, f64, L2 cold.`;
  yield '';
  yield* table(['matrix', 'format', 'chosen', 'µs', 'best', 'µs', 'the chosen one takes longer by'], rowsOf(lines));
}

function rowsOf(lines) {
  const titles = [...new Set(lines.map(({ title }) => title))];
  return titles.flatMap((title) =>
    PRODUCTS.flatMap(({ format }) => {
      const own = lines.filter((line) => line.title === title && line.format === format);
      const chosen = own.find(({ requested }) => requested === '');
      if (chosen === undefined) return [];
      const best = own.reduce((least, line) => (line.us < least.us ? line : least));
      const loss = `${(100 * (chosen.us / best.us - 1)).toFixed(1)} %`;
      return [[title, format, chosen.method, chosen.us.toFixed(1), best.method, best.us.toFixed(1), loss]];
    }),
  );
}
