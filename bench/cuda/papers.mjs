/**
 * The papers' experiments on a GPU, at full size: the paper's kernels, ours and cuSPARSE's on the matrices of its tables
 * (`papers/cases.mjs`, `papers/plans.mjs`), each product verified, then timed by the device's clock, L2 cold and warm. Several processes make and
 * convert matrices; on the device they take turns. Writes JSON lines, of which `npx bench papers` makes the page.
 *
 * usage: npx bench cuda/papers --paper NAME --out RESULTS.jsonl     (after `npm run build` and `npm run build:cuda`)
 *        --programs FOLDER     of the native programs (papers-on-gpu-machine compiles them); default: without
 *        --dtypes f64,f32      default: those of the paper
 *        --scale 1             --repetitions 30        --only NAME,…   matrices by name
 *        --part 1/2            of the matrices, for a run in pieces
 *        --processes N         default: as many as cores
 *        --until SECONDS       of the clock (date +%s): nothing begins after it
 *        --commit NAME         of the build, if git is not available
 */
import { fork } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { print } from '../contenders.mjs';
import { describeGpu } from './machine.mjs';
import { CASES } from './papers/cases.mjs';

const DTYPES = {
  'bell-garland': 'f32,f64',
  'lane-booth': 'f64',
  abdelfattah: 'f64',
  jindal: 'f32,f64',
  flegar: 'f64',
  lp: 'f64,f32',
};

const { values: flags } = parseArgs({
  options: {
    paper: { type: 'string' },
    out: { type: 'string', default: 'papers.jsonl' },
    programs: { type: 'string', default: '/nowhere' },
    dtypes: { type: 'string' },
    scale: { type: 'string', default: '1' },
    repetitions: { type: 'string', default: '30' },
    only: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    processes: { type: 'string', default: `${availableParallelism()}` },
    until: { type: 'string', default: 'Infinity' },
    commit: { type: 'string' },
  },
});
const { paper } = flags;
if (CASES[paper] === undefined) throw new Error(`--paper: expected ${Object.keys(CASES).join(' | ')}, got ${paper}`);

const all = CASES[paper]();
const only = flags.only?.split(',');
const queue = all
  .map((one, index) => ({ index, ...one }))
  .filter(({ name }) => only === undefined || only.includes(name));
// The largest matrices come first, so that the last process ends soon after the others.
queue.sort((a, b) => (b.published.nnz ?? 0) - (a.published.nnz ?? 0));
const [part, parts] = flags.part.split('/').map(Number);
if (!(part >= 1 && part <= parts)) throw new Error(`--part: expected 1/2 or 2/2, got ${flags.part}`);
// Each part has matrices of all sizes.
queue.splice(0, queue.length, ...queue.filter((_, place) => place % parts === part - 1));

emit({ kind: 'machine', ...describeGpu(flags.commit), date: new Date().toISOString() });
const count = { product: 0, failed: 0, refused: 0 };
await Promise.all(Array.from({ length: Math.min(Number(flags.processes), queue.length) }, work));
print(
  `${paper}: ${count.product} products, ${count.refused} refused, ${count.failed} failed; ${queue.length} matrices were not begun`,
);

/** Starts a process after the other, until the queue is empty: one that ends early loses its matrix alone. A process that takes none is the last one. */
async function work() {
  const given = JSON.stringify({ ...flags, dtypes: flags.dtypes ?? DTYPES[paper] });
  const program = fileURLToPath(new URL('papers/child.mjs', import.meta.url));
  while (queue.length > 0 && !isOver()) if (!(await serve(fork(program, [given])))) return;
}

/** Sends matrices to a process until it ends. Resolves to whether it took one. */
function serve(child) {
  let current;
  let took = false;
  const next = () => {
    current = isOver() ? undefined : queue.shift();
    took ||= current !== undefined;
    child.send(current === undefined ? 'end' : { index: current.index });
  };
  child.on('message', (line) => {
    if (line === 'next') next();
    else keep({ suite: current.suite, matrix: current.name, ...line });
  });
  return new Promise((resolve) => {
    child.on('exit', (status, signal) => {
      const about = { suite: current?.suite, matrix: current?.name };
      if (status !== 0) keep({ kind: 'failed', ...about, error: `the process ended with ${signal ?? status}` });
      resolve(took);
    });
  });
}

function keep(line) {
  emit(line);
  if (line.kind === 'product') count.product++;
  if (line.kind !== 'failed') return;
  count[line.isRefusal ? 'refused' : 'failed']++;
  if (!line.isRefusal) print(`  ${line.matrix}, ${line.dtype} ${line.library} ${line.requested}: ${line.error}`);
}

function emit(line) {
  appendFileSync(flags.out, `${JSON.stringify({ paper, scale: Number(flags.scale), ...line })}\n`);
}

function isOver() {
  return Date.now() / 1000 > Number(flags.until);
}
