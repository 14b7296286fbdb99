/** What is checked on every platform, in runtimes and in pages: each check computes with the library, and compares. */

const GRID = { nx: 300, ny: 300 };
const URL_OF_GRID = 'gallery:laplace2d5?nx=300&ny=300';
/** The sum of A 1 on the grid: each row of the boundary has one or two missing entries. */
const SUM = 1200;
/** Products that are timed, so that every thread takes part in one. Chosen. */
const PRODUCTS = 300;
/** After so many ms a check has failed. Chosen: they take less than a second each on an idle machine. */
const PATIENCE_MS = 60_000;

/** A 2 × 2 file. */
const FILE = '%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n1 2 1\n2 2 3\n';

/** Each check has a name, and returns what it has found, which must be `true`. */
const CHECKS = {
  product: ({ createEngine, gallery }) =>
    withEngine(createEngine({ threads: 1, binary: 'simd' }), (engine) => isRight(engine, gallery)),

  relaxed: ({ createEngine, gallery }) =>
    withEngine(createEngine({ threads: 1, binary: 'relaxed-simd' }), (engine) => isRight(engine, gallery)),

  complex: ({ complexOperator, createEngine }) =>
    withEngine(createEngine({ threads: 1, complex: true }), (engine) => {
      const imaginary = { rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [0, 1], field: 'complex' };
      const y = engine.vector(2);
      complexOperator(engine, imaginary).apply([2, 0], y); // i · 2
      return y.data.join() === '0,2';
    }),

  worker: (_, { createAsyncEngine }) =>
    withEngine(createAsyncEngine({ threads: 1 }), async (engine) => {
      const A = await engine.operator({ gallery: URL_OF_GRID });
      return sum(await A.apply(new Float64Array(A.cols).fill(1))) === SUM;
    }),

  threads: (_, { createAsyncEngine }) =>
    withEngine(createAsyncEngine({ threads: 2 }), async (engine) => {
      const A = await engine.operator({ gallery: URL_OF_GRID });
      return (await A.time(PRODUCTS)).ranks.length === 2;
    }),

  solve: (_, { createAsyncEngine }) =>
    withEngine(createAsyncEngine({ threads: 1 }), async (engine) => {
      const A = await engine.operator({ gallery: URL_OF_GRID });
      return (await engine.solve(A, new Float64Array(A.rows).fill(1))).converged;
    }),

  factor: ({ createEngine, factor, gallery }) =>
    withEngine(createEngine({ threads: 1 }), (engine) => {
      const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
      const A = engine.operator(matrix);
      const b = engine.vector(A.rows);
      A.apply(engine.vector(A.cols).fill(1), b);
      const x = factor(engine, matrix).solve(b.toArray());
      return x.every((value) => Math.abs(value - 1) < 1e-10);
    }),

  file: (_, { createAsyncEngine }) =>
    withEngine(createAsyncEngine({ threads: 1 }), async (engine) => {
      const A = await engine.operator({ file: new Blob([FILE]), name: 'a.mtx' });
      return (await A.apply(Float64Array.of(1, 1))).join() === '5,3';
    }),

  pictures: ({ gallery }, _, { spy }) => spy(gallery('laplace2d5', { nx: 3, ny: 2 })).startsWith('<svg'),
};

/** Only runtimes with Node's modules have these checks; pages do not have the functions. */
const OF_RUNTIMES = {
  async path({ gallery, read, save }, { folder, join }) {
    const path = join(folder, 'a.npz');
    await save(path, gallery('laplace2d5', { nx: 3, ny: 2 }));
    return (await read(path)).nnz === 20;
  },

  require: ({ FORMATS }, { require }) => require('sparlane').FORMATS.length === FORMATS.length,

  async ranks({ runRanks }) {
    const sums = await runRanks(new URL('./rank.mjs', import.meta.url), { ranks: 2, threads: 1 });
    return sums.join() === `${SUM},${SUM}`;
  },
};

/**
 * Runs all checks of a platform, one after the other.
 *
 * @param modules `sparlane`, `sparlane/async` and `sparlane/pictures`
 * @param node of a runtime with Node's modules: `{ folder, join, require }`
 * @returns by name: true, or a text that says why not
 */
export async function runChecks(modules, node) {
  const results = {};
  for (const [name, check] of Object.entries(CHECKS)) results[name] = await outcome(() => check(...modules));
  if (node === undefined) return results;
  const [sparlane] = modules;
  for (const [name, check] of Object.entries(OF_RUNTIMES)) results[name] = await outcome(() => check(sparlane, node));
  // Without a GPU nothing is known of the runtime.
  if ((await sparlane.cudaStatus()).state === 'ok') results.cuda = await outcome(() => onGpu(sparlane));
  return results;
}

const onGpu = ({ createEngine, gallery }) =>
  withEngine(createEngine({ device: 'cuda' }), (engine) => isRight(engine, gallery));

async function withEngine(starting, use) {
  const engine = await starting;
  try {
    return await use(engine);
  } finally {
    await engine.dispose();
  }
}

function isRight(engine, gallery) {
  const A = engine.operator(gallery('laplace2d5', GRID));
  const y = engine.vector(A.rows);
  A.apply(engine.vector(A.cols).fill(1), y);
  return sum(y.toArray()) === SUM;
}

function sum(numbers) {
  return numbers.reduce((total, value) => total + value, 0);
}

async function outcome(check) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, `no result after ${PATIENCE_MS} ms`);
  });
  try {
    const found = await Promise.race([check(), late]);
    return found === true || typeof found === 'string' ? found : `expected true, got ${found}`;
  } catch (error) {
    return String(error?.message ?? error);
  } finally {
    clearTimeout(timer);
  }
}
