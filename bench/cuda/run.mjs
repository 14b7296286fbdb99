/**
 * One matrix on an NVIDIA GPU: our formats and cuSPARSE's, verified, then timed by the device's clock. Prints a table,
 * and writes JSON lines, of which `bench/cuda/report.mjs` makes tables and a page.
 *
 * usage: npx bench cuda/run --matrix NAME --out RESULTS.jsonl     (after `npm run build` and `npm run build:cuda`)
 *        --dtypes f64,f32      --scale 1           --repetitions 50
 *        --formats …           of `sparlane formats`, or auto, each with a method after it if wanted (csr balanced); default: see contenders.mjs
 *        --methods chosen      of each kernel; every: also its other methods
 *        --cusparse FOLDER     with the programs cusparse-f64 and cusparse-f32 (on-gpu-machine compiles them); default: without
 *        --products …          of cuSPARSE, as in cusparse.cu
 *        --until SECONDS       of the clock (date +%s): nothing begins after it
 *        --commit NAME         of the build, if git is not available
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print } from '../contenders.mjs';
import { cusparseProducts, formatsFor } from './contenders.mjs';
import { openEngine } from './library.mjs';
import { describeGpu } from './machine.mjs';
import { matrixByName } from './matrices.mjs';
import { describeMatrix, measureMatrix } from './measure.mjs';

const { values: flags } = parseArgs({
  options: {
    matrix: { type: 'string', default: '5-point' },
    out: { type: 'string', default: 'cuda.jsonl' },
    dtypes: { type: 'string', default: 'f64,f32' },
    scale: { type: 'string', default: '1' },
    repetitions: { type: 'string', default: '50' },
    formats: { type: 'string' },
    methods: { type: 'string', default: 'chosen' },
    cusparse: { type: 'string' },
    products: { type: 'string' },
    until: { type: 'string', default: 'Infinity' },
    commit: { type: 'string' },
  },
});

const entry = matrixByName(flags.matrix);
const dtypes = flags.dtypes.split(',');
/** Only at scale 1 the figures to beat belong to the same matrix. */
const isFullSize = Number(flags.scale) === 1;
const about = describeGpu(flags.commit);
const products = [];

await run();
for (const dtype of dtypes) printTable(dtype);

async function run() {
  const matrix = entry.make(Number(flags.scale));
  describe(matrix);
  const engine = await openEngine();
  const lines = measureMatrix({
    ...{ engine, matrix, dtypes, repetitions: Number(flags.repetitions), cusparse: flags.cusparse },
    formats: flags.formats?.split(',') ?? formatsFor(entry),
    everyMethod: flags.methods === 'every',
    products: flags.cusparse === undefined ? [] : (flags.products?.split(',') ?? cusparseProducts(entry)),
    isOver: () => Date.now() / 1000 > Number(flags.until),
  });
  for await (const line of lines) {
    emit({ ...line, ...about });
    if (line.kind === 'product') products.push(line);
    if (line.kind === 'failed') print(`  ${line.dtype} ${line.library} ${line.requested}: ${line.error}`);
    if (line.kind === 'stopped') print(`  time is over before ${line.library} ${line.requested}`);
  }
  await engine.dispose();
}

function emit(line) {
  appendFileSync(flags.out, `${JSON.stringify({ matrix: entry.name, scale: Number(flags.scale), ...line })}\n`);
}

function describe(matrix) {
  const { rows, cols, nnz } = matrix;
  emit(describeMatrix(entry, matrix));
  const differs = isFullSize && entry.differs ? ` (${entry.differs})` : '';
  print(`${entry.title}, scale ${flags.scale}: ${rows} × ${cols}, ${nnz} entries${differs}`);
}

function printTable(dtype) {
  const figures = isFullSize && entry.figures?.[dtype];
  const aim = figures ? `   to beat: cuSPARSE CSR ${figures.csr}, its best ${figures.best}; aim ${figures.aim}` : '';
  print(`\n${entry.title}, ${dtype}: µs${aim}`);
  const inOrder = products.filter((line) => line.dtype === dtype).sort((a, b) => a.coldUs - b.coldUs);
  for (const { library, requested, method, coldUs, warmUs, spread, gbps, setupMs } of inOrder) {
    const name = library === 'sparlane' ? `${requested} → ${method}` : `cuSPARSE ${requested}`;
    const cold = `${coldUs.toFixed(1).padStart(9)} cold ± ${spread.toFixed(0)} %`;
    const rest = `${warmUs.toFixed(1).padStart(9)} warm ${gbps.toFixed(0).padStart(6)} GB/s  setup ${setupMs.toFixed(0)} ms`;
    print(`  ${name.padEnd(60)} ${cold} ${rest}`);
  }
}
