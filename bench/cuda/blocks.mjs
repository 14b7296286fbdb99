/**
 * Blocks of vectors on an NVIDIA GPU, Y ← A X, row-major: our kernels, and cuSPARSE's SpMM by its fastest algorithm. Medians in µs by the
 * device's clock, L2 cold, verified first. For one column our product of vectors. Then products with Aᵀ.
 *
 * usage: npx bench cuda/blocks [--matrices 5-point,fem,rmat] [--dtypes f64,f32] [--columns 1,4,8,16,32,64] [--repetitions 20]
 *        --formats …      default: those that suit each matrix
 *        --methods …      of the kernels for blocks, separated by commas: strips?unroll=5&slots=1; default: their own choice
 *        --cusparse no    without cuSPARSE; otherwise nvcc compiles its program
 *        --out FILE       JSON lines too
 */
import { execFile, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { vectorArray } from '../../dist/core/types.js';
import { gallery } from '../../dist/gallery/registry.js';
import { print } from '../contenders.mjs';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';
import { median } from '../times.mjs';
import { openEngine } from './library.mjs';

const { values: flags } = parseArgs({
  options: {
    matrices: { type: 'string', default: '5-point,fem,rmat' },
    dtypes: { type: 'string', default: 'f64,f32' },
    columns: { type: 'string', default: '1,4,8,16,32,64' },
    repetitions: { type: 'string', default: '20' },
    formats: { type: 'string' },
    methods: { type: 'string', default: '' },
    cusparse: { type: 'string', default: 'yes' },
    out: { type: 'string' },
  },
});

const REAL = { values: 'real' };
const MATRICES = {
  '5-point': { make: () => gallery('laplace2d5', { nx: 1000, ny: 1000, ...REAL }), formats: ['csr', 'sell', 'dia'] },
  fem: {
    make: () => gallery('laplace3d27', { nx: 30, ny: 30, nz: 30, block: 3, ...REAL }),
    formats: ['csr', 'sell', 'bsr?blockSize=3'],
  },
  rmat: { make: () => gallery('rmat', { scale: 18, edgeFactor: 16 }), formats: ['csr'] },
};

const dtypes = flags.dtypes.split(',');
const widths = flags.columns.split(',').map(Number);
const repetitions = Number(flags.repetitions);

/** The elements of X repeat with this period, from column to column too. */
const PERIOD = 7;
const elementOfX = (i, j) => 1 / (1 + ((i + 3 * j) % PERIOD));

const programs = flags.cusparse === 'no' ? {} : await compilePrograms();
const engine = await openEngine();
for (const name of flags.matrices.split(',')) await benchMatrix(name, MATRICES[name]);
await engine.dispose();

async function benchMatrix(name, { make, formats }) {
  const matrix = make();
  print(`\n${name}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries`);
  const file = join(temporaryFolder(), 'blocks-matrix');
  if (Object.keys(programs).length > 0) writeMatrixFile(matrix, file);
  for (const dtype of dtypes) {
    const rows = new Map(widths.map((columns) => [columns, { ours: [], theirs: [] }]));
    benchOurs(matrix, flags.formats?.split(',') ?? formats, dtype, rows);
    if (programs[dtype] !== undefined) await benchCusparse(programs[dtype], file, rows);
    for (const [columns, found] of rows) report(name, dtype, columns, found);
    benchTransposed(matrix, name, dtype);
  }
}

function benchOurs(matrix, formats, dtype, rows) {
  const operators = formats.map((format) => engine.operator(matrix, { format, dtype }));
  const expected = new Map();
  for (const [columns, { ours }] of rows) {
    const x = engine.vector(numbersOf(matrix.cols, columns, dtype), { dtype, columns });
    const nothing = new (vectorArray(dtype))(matrix.rows * columns).fill(Number.NaN);
    const y = engine.vector(nothing, { dtype, columns });
    for (const operator of operators) {
      for (const method of columns === 1 ? [''] : flags.methods.split(',')) {
        const plan = planOf(operator, columns, method);
        plan.run(x, y.set(nothing), 1, 0);
        verify(matrix, dtype, y, columns, expected);
        const us = timesOf(() => plan.run(x, y, 1, 0));
        ours.push({ name: `${operator.format} ${plan.methods.join(' + ')}`, us });
        if (plan !== operator.plan) plan[Symbol.dispose]();
      }
    }
    x.dispose();
    y.dispose();
  }
  for (const operator of operators) operator.dispose();
}

function planOf({ plan, matrix }, columns, method) {
  if (columns === 1) return plan;
  return engine.gpus[0].plan(matrix, 'spmm', { columns, ...(method !== '' && { method }) });
}

/** Microseconds. */
function timesOf(queue) {
  const [gpu] = engine.gpus;
  gpu.space.time(queue, 3, true);
  return gpu.space.time(queue, repetitions, true).map((ms) => 1e3 * ms);
}

function numbersOf(length, columns, dtype) {
  const numbers = new (vectorArray(dtype))(length * columns);
  for (let i = 0, at = 0; i < length; i++) for (let j = 0; j < columns; j++) numbers[at++] = elementOfX(i, j);
  return numbers;
}

/** The first and the last column of Y. */
function verify(matrix, dtype, y, columns, expected) {
  const numbers = y.toArray();
  for (const j of new Set([0, columns - 1])) {
    const wanted = expected.get(j % PERIOD) ?? expectedColumn(matrix, dtype, j);
    expected.set(j % PERIOD, wanted);
    const column = Float64Array.from({ length: matrix.rows }, (_, i) => numbers[i * columns + j]);
    const { firstWrong } = compareProduct(wanted, column);
    if (firstWrong >= 0)
      throw new Error(`Y[${firstWrong}][${j}] is ${column[firstWrong]}, not ${wanted.y[firstWrong]}`);
  }
}

function expectedColumn(matrix, dtype, j) {
  const x = vectorArray(dtype).from({ length: matrix.cols }, (_, i) => elementOfX(i, j));
  return expectedProduct(matrix, dtype, x, new Float64Array(matrix.rows), 1, 0);
}

async function benchCusparse(program, file, rows) {
  const { stdout, stderr } = await promisify(execFile)(program, [file, `${repetitions}`, ...widths.map(String)]);
  if (stderr !== '') print(stderr);
  for (const line of stdout.trim().split('\n').filter(Boolean)) {
    const { columns, algorithm, us } = JSON.parse(line);
    rows.get(columns).theirs.push({ name: algorithm, us });
  }
}

function report(matrix, dtype, columns, { ours, theirs }) {
  for (const one of [...ours, ...theirs]) {
    one.median = median([...one.us]);
    emit({ matrix, dtype, columns, name: one.name, us: one.median });
  }
  const [best] = ours.toSorted((a, b) => a.median - b.median);
  const [peer] = theirs.toSorted((a, b) => a.median - b.median);
  const all = ours.map(({ name, median: us }) => `${name} ${us.toFixed(1)}`).join(', ');
  const against =
    peer && `cuSPARSE ${peer.name} ${peer.median.toFixed(1)}: ${(peer.median / best.median).toFixed(2)} ×`;
  print(`  ${dtype} k=${`${columns}`.padEnd(3)} ${best.median.toFixed(1).padStart(8)} µs  ${against ?? ''}   (${all})`);
}

/** Products with Aᵀ by csr: from entries of its own, and scattered. */
function benchTransposed(matrix, name, dtype) {
  const operator = engine.operator(matrix, { format: 'csr', dtype });
  const start = performance.now();
  const own = operator.transposed({ format: 'csr' });
  const setupMs = performance.now() - start;
  const shared = operator.transposed({ memory: 'shared' });
  const x = engine.vector(numbersOf(matrix.rows, 1, dtype), { dtype });
  const y = engine.vector(matrix.cols, { dtype });
  const z = engine.vector(matrix.cols, { dtype });
  own.apply(x, y);
  shared.apply(x, z);
  const [a, b] = [y.toArray(), z.toArray()];
  const wrong = a.findIndex((value, i) => !(Math.abs(value - b[i]) <= 1e-3 * (1 + Math.abs(value))));
  if (wrong >= 0) throw new Error(`(Aᵀ x)[${wrong}] is ${b[wrong]} if scattered, else ${a[wrong]}`);
  const [ownUs, sharedUs] = [own, shared].map((one) => median([...timesOf(() => one.apply(x, one === own ? y : z))]));
  emit({ matrix: name, dtype, name: 'transposed', ownUs, sharedUs, setupMs });
  const setup = `made in ${setupMs.toFixed(0)} ms`;
  print(`  ${dtype} Aᵀ    ${ownUs.toFixed(1).padStart(8)} µs, ${setup}; scattered ${sharedUs.toFixed(1)}`);
  for (const one of [x, y, z, operator]) one.dispose();
}

function emit(line) {
  if (flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
}

/** cuSPARSE's program for each dtype. The toolkit's libraries need not be on the system's library path. */
async function compilePrograms() {
  const { stderr } = spawnSync('nvcc', ['--dryrun', '-x', 'cu', '/dev/null'], { encoding: 'utf8' });
  const [, toolkit] = /^#\$ TOP=(.*)$/m.exec(stderr) ?? [];
  const paths = ['targets/x86_64-linux/lib', 'lib64'].map((folder) => `-Xlinker=-rpath,${join(toolkit, folder)}`);
  const made = dtypes.map(async (dtype) => {
    const program = join(temporaryFolder(), `cusparse-spmm-${dtype}`);
    const real = `-DREAL=${dtype === 'f32' ? 'float' : 'double'}`;
    const source = new URL('cusparse-spmm.cu', import.meta.url).pathname;
    await promisify(execFile)('nvcc', [
      '-std=c++20',
      '-O3',
      '-arch=native',
      real,
      '-o',
      program,
      source,
      '-lcusparse',
      ...paths,
    ]);
    return [dtype, program];
  });
  return Object.fromEntries(await Promise.all(made));
}
