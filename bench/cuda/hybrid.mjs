/**
 * Products with vectors in the heap: on the CPU, on the GPU with copies over the bus, and on both at once. Milliseconds by the host's clock.
 *
 * usage: npx bench cuda/hybrid [--matrices 5-point,27-point,rmat] [--threads N] [--dtype f64] [--scale 1]
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { createEngine } from '../../dist/index.node.js';
import { benchVector, print } from '../contenders.mjs';
import { median } from '../times.mjs';
import { matrixByName } from './matrices.mjs';

const { values: flags } = parseArgs({
  options: {
    matrices: { type: 'string', default: '5-point,27-point,rmat' },
    threads: { type: 'string', default: `${availableParallelism()}` },
    dtype: { type: 'string', default: 'f64' },
    scale: { type: 'string', default: '1' },
  },
});

const REPETITIONS = 20;
const { dtype } = flags;

for (const name of flags.matrices.split(',')) {
  const matrix = matrixByName(name).make(Number(flags.scale));
  const x = benchVector(matrix.cols);
  const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
  print(`${name}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries, ${dtype}, ${flags.threads} threads`);
  for (const device of ['cpu', 'cuda', 'hybrid']) {
    const engine = await createEngine({ device, threads: Number(flags.threads) });
    const operator = engine.operator(matrix, { dtype });
    const from = engine.vector(x, { dtype, device: 'cpu' });
    const to = engine.vector(matrix.rows, { dtype, device: 'cpu' });
    const ms = measure(operator, from, to);
    const { firstWrong } = compareProduct(expected, to.data);
    if (firstWrong >= 0) throw new Error(`${device}: y[${firstWrong}] is not ${expected.y[firstWrong]}`);
    const rows = operator.parts?.map((part) => part.operator.rows).join(' + ') ?? `${matrix.rows}`;
    const setup = `set up in ${operator.setupMs.toFixed(0)} ms`;
    print(`  ${device.padEnd(7)} ${ms.toFixed(3).padStart(8)} ms  ${operator.matrix.spec}, rows ${rows}, ${setup}`);
    await engine.dispose();
  }
}

function measure(operator, from, to) {
  for (let count = 0; count < 5; count++) operator.apply(from, to);
  const times = Array.from({ length: REPETITIONS }, () => {
    const begin = performance.now();
    operator.apply(from, to);
    return performance.now() - begin;
  });
  return median(times);
}
