/**
 * Times every format on many matrices, in turn, and writes a line of JSON for each matrix, dtype and number of threads.
 * `bench/choice.mjs` judges the automatic choice by them.
 *
 * All layouts of a matrix are in the heap side by side, `csr` twice: this shows the effect of the place in memory.
 *
 * usage: npx bench collect --out FILE [--rounds 6] [--threads 1,2] [--dtypes f64,f32] [matrix …]     (after `npm run build`)
 *        a matrix is gallery:… or a Matrix Market file; default: `choice-suite.mjs`, and the files in --real FOLDER
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../dist/cli/load.js';
import { storeMatrix } from '../dist/formats/store.js';
import { createEngine } from '../dist/index.node.js';
import { CANDIDATES, SUITE } from './choice-suite.mjs';
import { benchVector, bus, print } from './contenders.mjs';
import { median, time } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    real: { type: 'string' },
    rounds: { type: 'string', default: '6' },
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    dtypes: { type: 'string', default: 'f64,f32' },
  },
});
const real = flags.real === undefined ? [] : readdirSync(flags.real).map((file) => `${flags.real}/${file}`);
const sources = positionals.length > 0 ? positionals : [...Object.values(SUITE).flat(), ...real];
const rounds = Number(flags.rounds);

/**
 * Duration of the uncounted products at the begin of a round (see `contenders.mjs`), and their number at the begin of a
 * turn.
 */
const ROUND_WARM_UP_MS = 40;
const TURN_WARM_UP = 2;
const TURN_MS = 5;
const MIN_PRODUCTS = 3;

for (const source of sources) {
  const matrix = await loadMatrix(source);
  for (const threads of flags.threads.split(',').map(Number)) {
    for (const dtype of flags.dtypes.split(',')) {
      const engine = await createEngine({ threads, tuning: 'built-in' });
      const start = performance.now();
      const tuned = chosenByMeasuring(engine, matrix, dtype);
      const formats = measure(engine, matrix, dtype);
      const readGbps = busSpeed(engine);
      await engine.dispose();
      const { rows, cols, nnz } = matrix;
      const line = { source, rows, cols, nnz, threads, dtype, readGbps, tuned, formats };
      appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
      const best = formats.reduce((a, b) => (b.ms < a.ms ? b : a));
      const gflops = (2 * nnz) / best.ms / 1e6;
      const seconds = (performance.now() - start) / 1000;
      print(`${source} ${threads} ${dtype}: ${best.format} ${gflops.toFixed(2)} GFLOP/s (${seconds.toFixed(1)} s)`);
    }
  }
}

function chosenByMeasuring(engine, matrix, dtype) {
  const operator = engine.operator(matrix, { dtype, products: 'many', tune: true });
  operator.dispose();
  return operator.decision.chosen.spec;
}

function busSpeed(engine) {
  const stream = bus(engine);
  stream.turn();
  stream.close();
  return stream.bytes / median(stream.times) / 1e6;
}

function measure(engine, matrix, dtype) {
  const vectorType = dtype === 'f32' ? 'f32' : 'f64';
  const x = engine.vector(benchVector(matrix.cols), { dtype: vectorType });
  const y = engine.vector(matrix.rows, { dtype: vectorType });
  const contenders = [...CANDIDATES, 'csr'].flatMap((format) => contender(engine, matrix, dtype, format, x, y) ?? []);
  for (let round = 0; round < rounds; round++) {
    for (const end = performance.now() + ROUND_WARM_UP_MS; performance.now() < end; ) contenders[0].run();
    for (const one of round % 2 ? contenders.toReversed() : contenders) one.turns.push(turn(one.run));
  }
  return contenders.map(({ format, spec, bytes, conversionMs, turns }) => {
    const sorted = turns.toSorted((a, b) => a - b);
    return { format, spec, bytes, conversionMs, ms: sorted[sorted.length >> 1], minMs: sorted[0] };
  });
}

/** One layout and its product; undefined if the format does not suit this matrix. */
function contender(engine, matrix, dtype, format, x, y) {
  try {
    const conversionMs = conversion(engine, matrix, dtype, format);
    const operator = engine.operator(matrix, { format, dtype });
    const { spec } = operator.matrix;
    return {
      ...{ format, spec, conversionMs, bytes: operator.matrix.cost().bytes, turns: [] },
      run: () => operator.apply(x, y),
    };
  } catch (error) {
    if (['fill-in', 'shape', 'structure', 'heap'].includes(error.code)) return undefined;
    throw error;
  }
}

function conversion(engine, matrix, dtype, format) {
  let stored;
  const ms = time(() => {
    stored = storeMatrix(engine.heap, matrix, format, dtype);
  });
  stored[Symbol.dispose]();
  return ms;
}

/** The median of a few products. */
function turn(run) {
  for (let k = 0; k < TURN_WARM_UP; k++) run();
  const times = [];
  for (const end = performance.now() + TURN_MS; times.length < MIN_PRODUCTS || performance.now() < end; ) {
    times.push(time(run));
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}
