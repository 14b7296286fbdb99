/**
 * Times the methods of kernels that choose among them, each with every parameter that it may choose, on matrices of several sizes: verified, then timed by the
 * device's clock with L2 cold. `npx bench cuda/methods` judges the choices, `npx bench cuda/refit` fits the constants of what is expected.
 *
 * usage: npx bench cuda/method-times --out LINES.jsonl     (after `npm run build` and `npm run build:cuda`)
 *        --kernels sell,bsr    --dtypes f64,f32
 *        --seeds 25            of random kinds of matrices for sell and csr, beside the grids
 *        --repetitions 15      of each product
 *        --minutes 5           no matrix begins after that time
 *        --commit NAME         of the build, if git is not available
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isRefusal } from '../../dist/formats/format.js';
import { print } from '../contenders.mjs';
import { quantile } from '../times.mjs';
import { openEngine, openLayout } from './library.mjs';
import { describeGpu } from './machine.mjs';
import * as measure from './measure.mjs';
import { caseNames, caseOf, METHODS } from './method-cases.mjs';

const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: 'methods.jsonl' },
    kernels: { type: 'string', default: 'sell,bsr' },
    dtypes: { type: 'string', default: 'f64,f32' },
    seeds: { type: 'string', default: '25' },
    repetitions: { type: 'string', default: '15' },
    minutes: { type: 'string', default: '5' },
    commit: { type: 'string' },
  },
});

const until = Date.now() + 60_000 * Number(flags.minutes);
const engine = await openEngine();
const about = { ...describeGpu(flags.commit), gpu: engine.gpus[0].space.info };
try {
  for (const kernel of flags.kernels.split(',')) {
    for (const name of caseNames(kernel, Number(flags.seeds))) {
      if (Date.now() > until) print(`time is over before ${name}`);
      else await timeCase(name, kernel);
    }
  }
} finally {
  await engine.dispose();
}

async function timeCase(name, kernel) {
  const { matrix, formats } = caseOf(name, kernel);
  const { rows, cols, nnz } = matrix;
  print(`${name}: ${rows} × ${cols}, ${nnz} entries`);
  for (const dtype of flags.dtypes.split(',')) {
    const { expected, onDevice } = measure.caseOf(engine, matrix, dtype);
    for (const format of formats) {
      for await (const line of timesOf(matrix, { format, dtype }, METHODS[kernel].methods, expected, onDevice))
        appendFileSync(
          flags.out,
          `${JSON.stringify({ matrix: name, scale: 1, rows, cols, nnz, ...line, ...about })}\n`,
        );
    }
    for (const vector of Object.values(onDevice)) vector.dispose();
  }
}

async function* timesOf(matrix, asked, methods, expected, onDevice) {
  let layout;
  try {
    layout = openLayout(engine, matrix, asked, onDevice);
  } catch (error) {
    if (isRefusal(error)) return;
    throw error;
  }
  const timed = new Set();
  for (const requested of methods) {
    const opened = openIfKnown(layout, requested);
    if (opened === undefined) continue;
    const { method, estimates, product, time, close } = opened;
    if (requested === '' || !timed.has(method)) {
      timed.add(method);
      measure.verify(await product(), expected);
      const times = await measure.timeCold(time, Number(flags.repetitions));
      const coldUs = Number((1000 * quantile(times, 0.5)).toFixed(2));
      yield {
        kind: 'product',
        library: 'sparlane',
        ...asked,
        requested,
        method,
        coldUs,
        samples: times.length,
        estimates,
      };
    }
    close();
  }
  layout.close();
}

/** Returns undefined for a method that a kernel does not have, as `k3` of small blocks. */
function openIfKnown(layout, method) {
  try {
    return layout.open(method);
  } catch (error) {
    if (error.code === 'argument') return undefined;
    throw error;
  }
}
