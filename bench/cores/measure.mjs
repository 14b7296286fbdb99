/**
 * One matrix and number of threads: `csr`, `auto` without and with trials, C, and reads of memory by both, verified, then timed in turn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createReadStream } from '../../dist/cli/bandwidth.js';
import { compareProduct } from '../../dist/conformance/expected.js';
import { createEngine } from '../../dist/index.node.js';
import { median, takeTurns, time } from '../times.mjs';
import { C, openPeer, PINNED_C } from './peer.mjs';
import { AUTO, CSR, OURS, TRIED } from './results.mjs';

/** Uncounted at the begin of a turn: members are called back, and the caches are full of another contender's data. */
const WARM_UP_MS = 40;

/** Of a turn: as many runs as fit, up to a few. */
const TURN_MS = 120;
const RUNS_PER_TURN = 5;

/** The options of our operators. */
const CHOICES = { [CSR]: { format: 'csr' }, [AUTO]: {}, [TRIED]: { products: 'many' } };

/** After it the members of a team have stood down. */
const PAUSE_MS = 300;

/**
 * Lines of kind `product` and `read`.
 *
 * @param request `program`: of the C peer, or undefined; `expected`: the product, see `expectedProduct`; `x`;
 *   `settings`: `{ rounds, pauses, readBytes }`
 */
export async function measure({ matrix, matrixFile, program, threads, x, expected, settings }) {
  const engine = await createEngine({ threads, onHint: () => {} });
  const scope = engine.heap.scope();
  const peers = [];
  try {
    const { bytes, run } = createReadStream(engine, scope, settings.readBytes);
    const contenders = [...ourContenders(engine, matrix, x), { ...ours(OURS, 'read', run), bytes }];
    if (program !== undefined) {
      for (const name of [C, PINNED_C]) {
        const peer = await openPeer(program, name, { matrixFile, threads, x, readBytes: settings.readBytes });
        peers.push(peer);
        contenders.push(...peerContenders(name, peer, matrix, settings.readBytes));
      }
    }
    for (const one of contenders) await verify(one, expected);
    await takeTurns(contenders, settings.rounds);
    for (let k = 0; k < settings.pauses; k++) await rest(contenders);
    return contenders.map((one) => lineOf(one, matrix.nnz));
  } finally {
    for (const peer of peers) await peer.close();
    scope[Symbol.dispose]();
    await engine.dispose();
  }
}

function ourContenders(engine, matrix, given) {
  const x = engine.vector(given);
  const y = engine.vector(matrix.rows);
  return Object.entries(CHOICES).map(([name, options]) => {
    const operator = engine.operator(matrix, options);
    const run = () => operator.apply(x, y);
    const product = () => {
      y.data.fill(Number.NaN);
      run();
      return y.data;
    };
    const { spec } = operator.matrix;
    return {
      ...ours(name, 'product', run),
      format: spec,
      bytes: operator.matrix.cost().bytes,
      product,
    };
  });
}

function ours(contender, kind, run) {
  return contenderOf(contender, kind, (runs) => Array.from({ length: runs }, () => time(run)));
}

function peerContenders(name, peer, { rows, cols, nnz }, readBytes) {
  const product = async () => {
    const y = new Float64Array(rows);
    await peer.product(y);
    return y;
  };
  const bytes = 12 * nnz + 4 * (rows + 1) + 8 * (rows + cols);
  return [
    { ...contenderOf(name, 'product', peer.time), format: 'csr', bytes, product },
    { ...contenderOf(name, 'read', peer.read), bytes: readBytes },
  ];
}

/** `timed(runs)` returns the milliseconds of each run. */
function contenderOf(contender, kind, timed) {
  const times = [];
  return {
    ...{ contender, kind, timed, times, afterPause: [] },
    async turn() {
      const [once] = await timed(1);
      if (once < WARM_UP_MS) await timed(Math.ceil(WARM_UP_MS / Math.max(once, 0.01)));
      const [warm] = await timed(1);
      times.push(...(await timed(Math.max(1, Math.min(RUNS_PER_TURN, Math.floor(TURN_MS / warm))))));
    },
  };
}

async function verify({ contender, product }, expected) {
  if (product === undefined) return;
  const y = await product();
  const { firstWrong } = compareProduct(expected, y);
  if (firstWrong >= 0) throw new Error(`${contender}: y[${firstWrong}] is not ${expected.y[firstWrong]}`);
}

/** Each contender's first product after a pause. */
async function rest(contenders) {
  for (const { kind, timed, afterPause } of contenders) {
    if (kind !== 'product') continue;
    await pause(PAUSE_MS);
    afterPause.push(...(await timed(1)));
  }
}

function lineOf({ kind, contender, format, bytes, times, afterPause }, nnz) {
  const medianMs = median(times);
  const line = {
    ...{ kind, contender, medianMs, minMs: Math.min(...times), samples: times.length },
    ...{ bytes, gbps: bytes / medianMs / 1e6 },
  };
  if (kind === 'read') return line;
  return { ...line, format, gflops: (2 * nnz) / medianMs / 1e6, afterPauseMs: median(afterPause) };
}
