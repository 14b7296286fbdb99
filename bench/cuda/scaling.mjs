/**
 * One product over several GPUs of a machine: rows in blocks, and cyclically by length; verified, then timed from the
 * first device's queue, including the distribution of x, all parts, and the collection of y.
 *
 * usage: npx bench cuda/scaling [--gpus 1,2,4] [--matrices 27-point,blocks,rmat] [--formats csr] [--dtype f64] [--scale 1] [--out FILE.jsonl]
 *        --paper   the matrices and formats of Abdelfattah et al., figure 20, and of their reservoir, on 1, 2 and 3 GPUs; --matrices: of these
 *        --until SECONDS   of the clock (date +%s): no matrix begins after it    --commit NAME   of the build, if git is not available
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { createEngine } from '../../dist/index.node.js';
import { benchVector, print } from '../contenders.mjs';
import { median } from '../times.mjs';
import { describeGpu } from './machine.mjs';
import { matrixByName } from './matrices.mjs';
import { CASES } from './papers/cases.mjs';
import { LAMBDA } from './papers/plans.mjs';

const { values: flags } = parseArgs({
  options: {
    gpus: { type: 'string' },
    matrices: { type: 'string' },
    formats: { type: 'string', default: 'csr' },
    dtype: { type: 'string', default: 'f64' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string' },
    paper: { type: 'boolean', default: false },
    until: { type: 'string', default: 'Infinity' },
    commit: { type: 'string' },
  },
});

const REPETITIONS = 50;
/** The matrices of figure 20, and of these some sizes of blocks; the reservoir is in the text after figure 21. */
const IN_PAPER = [...[2, 4, 8, 16, 32].flatMap((b) => [`coater2 b=${b}`, `shermanACb b=${b}`]), 'spe5Ref_dpdp'];
const { dtype } = flags;
const paper = flags.paper ? { paper: 'abdelfattah-gpus', suite: 'abdelfattah-2' } : {};
const gpuCounts = (flags.gpus ?? (flags.paper ? '1,2,3' : '1,2,4')).split(',').map(Number);

keep({ kind: 'machine', ...describeGpu(flags.commit), date: new Date().toISOString() });
for (const { name, formats, make } of flags.paper ? ofPaper() : named()) {
  if (Date.now() / 1000 > Number(flags.until)) print(`no time for ${name}`);
  else await measureMatrix(name, formats, await make());
}

function named() {
  const formats = flags.formats.split(',');
  return (flags.matrices ?? '27-point,blocks,rmat')
    .split(',')
    .map((name) => ({ name, formats, make: () => matrixByName(name).make(Number(flags.scale)) }));
}

function ofPaper() {
  const wanted = flags.matrices?.split(',') ?? IN_PAPER;
  return CASES.abdelfattah()
    .filter(({ name }) => IN_PAPER.includes(name) && wanted.includes(name))
    .map(({ name, block, make }) => {
      const bsr = `bsr?blockSize=${block}`;
      return { name, formats: [bsr, `${bsr}&maxRowBlocks=${LAMBDA}`], make: () => make(Number(flags.scale)) };
    });
}

async function measureMatrix(name, formats, matrix) {
  const x = benchVector(matrix.cols);
  const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
  print(`${name}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries, ${dtype}`);
  for (const format of formats) {
    let alone;
    for (const gpus of gpuCounts) {
      for (const distribution of gpus === 1 ? [undefined] : ['block', 'cyclic']) {
        const us = await measure(matrix, format, x, expected, gpus, distribution);
        alone ??= us;
        const how = `${format.padEnd(34)} ${gpus} GPUs ${(distribution ?? '').padEnd(6)}`;
        print(`  ${how} ${us.toFixed(1).padStart(8)} µs, ${(alone / us).toFixed(2)} × one`);
        const line = { matrix: name, nnz: matrix.nnz, format, dtype, gpus, distribution, us, speedup: alone / us };
        keep({ kind: 'scaling', ...line });
      }
    }
  }
}

function keep(line) {
  if (flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify({ ...paper, ...line })}\n`);
}

async function measure(matrix, format, x, expected, gpus, distribution) {
  const engine = await createEngine({ device: 'cuda', gpus, threads: 1 });
  const operator = engine.operator(matrix, { format, dtype, ...(distribution && { distribution }) });
  const from = engine.vector(x, { dtype });
  const to = engine.vector(matrix.rows, { dtype }).fill(Number.NaN);
  try {
    operator.apply(from, to);
    const { firstWrong } = compareProduct(expected, to.toArray());
    if (firstWrong >= 0) throw new Error(`y[${firstWrong}] is not ${expected.y[firstWrong]}`);
    return 1000 * median([...engine.gpus[0].space.time(() => operator.apply(from, to), REPETITIONS, false)]);
  } finally {
    for (const one of [operator, from, to]) one.dispose();
    await engine.dispose();
  }
}
