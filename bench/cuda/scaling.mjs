/**
 * One product over several GPUs of a machine: rows in blocks, and cyclically by length; verified, then timed from the
 * first device's queue, including the distribution of x, all parts, and the collection of y.
 *
 * usage: npx bench cuda/scaling [--gpus 1,2,4] [--matrices 27-point,blocks,rmat] [--format csr] [--dtype f64] [--scale 1] [--out FILE.jsonl]
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { createEngine } from '../../dist/index.node.js';
import { benchVector, print } from '../contenders.mjs';
import { median } from '../times.mjs';
import { matrixByName } from './matrices.mjs';

const { values: flags } = parseArgs({
  options: {
    gpus: { type: 'string', default: '1,2,4' },
    matrices: { type: 'string', default: '27-point,blocks,rmat' },
    format: { type: 'string', default: 'csr' },
    dtype: { type: 'string', default: 'f64' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});

const REPETITIONS = 50;
const { dtype } = flags;

for (const name of flags.matrices.split(',')) {
  const matrix = matrixByName(name).make(Number(flags.scale));
  const x = benchVector(matrix.cols);
  const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
  print(`${name}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries, ${flags.format} ${dtype}`);
  let alone;
  for (const gpus of flags.gpus.split(',').map(Number)) {
    for (const distribution of gpus === 1 ? [undefined] : ['block', 'cyclic']) {
      const us = await measure(matrix, x, expected, gpus, distribution);
      alone ??= us;
      print(
        `  ${gpus} GPUs ${(distribution ?? '').padEnd(7)} ${us.toFixed(1).padStart(8)} µs, ${(alone / us).toFixed(2)} × one`,
      );
      const line = {
        matrix: name,
        nnz: matrix.nnz,
        format: flags.format,
        dtype,
        gpus,
        distribution,
        us,
        speedup: alone / us,
      };
      if (flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
    }
  }
}

async function measure(matrix, x, expected, gpus, distribution) {
  const engine = await createEngine({ device: 'cuda', gpus, threads: 1 });
  try {
    const operator = engine.operator(matrix, { format: flags.format, dtype, ...(distribution && { distribution }) });
    const from = engine.vector(x, { dtype });
    const to = engine.vector(matrix.rows, { dtype }).fill(Number.NaN);
    operator.apply(from, to);
    const { firstWrong } = compareProduct(expected, to.toArray());
    if (firstWrong >= 0) throw new Error(`y[${firstWrong}] is not ${expected.y[firstWrong]}`);
    return 1000 * median([...engine.gpus[0].space.time(() => operator.apply(from, to), REPETITIONS, false)]);
  } finally {
    await engine.dispose();
  }
}
