/**
 * Ranks on GPUs of one machine, a rank's part of every vector on its device. `check`: conformance of products, sums and solves, by peer links
 * and through the host. `sequence`: products y ← α A x, x ← y, with x left distributed; beside those of the own columns alone, which exchange
 * nothing. `step`: a recorded step of cg with jacobi. `solve`: iterations of cg on one device and several, and their time. `multigrid`: cg with amg
 * of the whole matrix. All verified; JSON lines are appended to a file.
 *
 * usage: npx bench cuda/ranks [--tasks check,sequence,step,solve,multigrid] [--ranks 1,2] [--matrices 27-point,blocks,5-point-4000]
 *        [--formats auto,csr] [--scale 1] [--steps 100] [--minutes 5] [--threads 4] [--coarsest 1000] [--out FILE.jsonl]
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cudaStatus, gallery, runRanks } from '../../dist/index.node.js';
import { print } from '../contenders.mjs';
import { blockModes, cube } from '../multigrid/problems.mjs';
import { matrixByName } from './matrices.mjs';

const { values: flags } = parseArgs({
  options: {
    tasks: { type: 'string', default: 'check,sequence,step,solve,multigrid' },
    ranks: { type: 'string', default: '1,2' },
    matrices: { type: 'string', default: '27-point,blocks,5-point-4000' },
    formats: { type: 'string', default: 'auto,csr' },
    scale: { type: 'string', default: '1' },
    steps: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '5' },
    threads: { type: 'string', default: '4' },
    coarsest: { type: 'string', default: '1000' },
    out: { type: 'string' },
  },
});

const SAMPLES = 5;
const ITERATIONS = 200;
/** (r, z) after some steps may differ by so much between numbers of ranks, because of rounding errors. */
const SAME = 1e-6;
const CHECKED_FORMATS = ['csr', 'sell', 'dia', 'csrk', 'coo', 'bsr'];
const end = performance.now() + 60_000 * Number(flags.minutes);
const scale = Number(flags.scale);
const program = new URL('./ranks/program.mjs', import.meta.url);
const apart = new URL('./ranks/apart.mjs', import.meta.url);

const status = await cudaStatus();
print(`CUDA: ${status.state}, ${status.message}; Node ${process.version}`);
const TASKS = { check, sequence, step, solve, multigrid };
for (const task of flags.tasks.split(',')) await TASKS[task]();

/** Undefined if the time is over. */
async function run(label, url, ranks, data) {
  if (performance.now() > end) return void print(`${label}: left out, the time is over`);
  const start = performance.now();
  const all = await runRanks(url, { ranks, threads: Number(flags.threads), device: 'cuda', data });
  return { all, seconds: (performance.now() - start) / 1000 };
}

function keep(line) {
  if (flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
}

async function check() {
  const cases = [
    ['vectors', program, 2],
    ['vectors', apart, 2],
    ['vectors', program, 3],
    ['products', program, 2],
    ['products', program, 3],
    ['products', apart, 2],
    ['solvers', program, 2],
  ];
  for (const [task, url, ranks] of cases) {
    const how = url === apart ? 'through the host' : 'by peers';
    const specs = url === program && ranks === 2 ? CHECKED_FORMATS : ['csr'];
    const label = `check ${task} of ${ranks} ranks ${how}`;
    const done = await run(label, url, ranks, { task, specs });
    if (done === undefined) continue;
    const { all, seconds } = done;
    const [{ checks, refused, hasPeers }] = all;
    const failed = all.reduce((sum, rank) => sum + rank.failed, 0);
    const places = all.map(({ place }) => place).join();
    print(
      `${label}: ${checks} checks, ${failed} failed, ${refused} refused; devices ${places}, peers ${hasPeers}, ${seconds.toFixed(1)} s`,
    );
    for (const failure of all.flatMap(({ failures }) => failures)) print(`  ${JSON.stringify(failure)}`);
    keep({ kind: 'check', task, ranks, how, checks, failed, refused, places, hasPeers, seconds });
  }
}

async function sequence() {
  for (const name of flags.matrices.split(',')) {
    const matrix = made(name);
    print(`${name}: ${matrix.rows} rows, ${matrix.nnz} entries; µs of a product in a sequence of ${flags.steps}`);
    for (const format of flags.formats.split(',')) {
      let alone;
      for (const ranks of flags.ranks.split(',').map(Number)) {
        const data = { task: 'sequence', matrix, format, steps: Number(flags.steps), samples: SAMPLES };
        const done = await run(`  ${format}, ${ranks} ranks`, program, ranks, data);
        if (done === undefined) continue;
        const [first] = done.all;
        const wrong = done.all.reduce((sum, rank) => sum + rank.wrong, 0);
        if (wrong > 0) throw new Error(`${name}, ${format}, ${ranks} ranks: ${wrong} wrong elements of y`);
        const { product, own } = first;
        alone ??= product.us;
        const line = {
          matrix: name,
          nnz: matrix.nnz,
          requested: format,
          formats: done.all.map((one) => one.format),
          ranks,
        };
        const speedup = alone / product.us;
        print(
          `  ${format.padEnd(6)} ${ranks} ranks ${product.us.toFixed(1).padStart(8)} (median ${product.medianUs.toFixed(1)}), ${speedup.toFixed(2)} × one; ` +
            `own columns ${own.us.toFixed(1)}, queueing ${product.queueUs.toFixed(1)}; ${line.formats.join(' ')}, ${first.halo} ghosts, peers ${first.hasPeers}, ${done.seconds.toFixed(0)} s`,
        );
        keep({
          kind: 'sequence',
          ...line,
          steps: data.steps,
          product,
          own,
          speedup,
          halo: first.halo,
          hasPeers: first.hasPeers,
          device: first.device,
        });
      }
    }
  }
}

async function step() {
  for (const name of flags.matrices.split(',')) {
    const matrix = made(name);
    let first;
    for (const ranks of flags.ranks.split(',').map(Number)) {
      const data = {
        task: 'step',
        matrix,
        format: flags.formats.split(',')[0],
        steps: Number(flags.steps),
        samples: SAMPLES,
      };
      const done = await run(`step ${name}, ${ranks} ranks`, program, ranks, data);
      if (done === undefined) continue;
      const [{ time, residual, format, device, hasPeers }] = done.all;
      first ??= { time, residual };
      const error = Math.abs(residual / first.residual - 1);
      if (!(error <= SAME))
        throw new Error(`${name}, ${ranks} ranks: (r, z) is ${residual} instead of ${first.residual}`);
      const speedup = first.time.us / time.us;
      print(
        `step of cg with jacobi, ${name}, ${ranks} ranks: ${time.us.toFixed(1)} µs (median ${time.medianUs.toFixed(1)}), ${speedup.toFixed(2)} × one; ` +
          `host ${time.queueUs.toFixed(1)}; ${format}, peers ${hasPeers}, ${done.seconds.toFixed(0)} s`,
      );
      keep({ kind: 'step', matrix: name, ranks, ...time, speedup, format, device, hasPeers });
    }
  }
}

function made(name) {
  return shared(name === '5-point-4000' ? fivePoint() : matrixByName(name).make(scale));
}

function fivePoint() {
  const n = Math.max(2, Math.round(4000 * Math.sqrt(scale)));
  return gallery('laplace2d5', { nx: n, ny: n, values: 'real' });
}

/** Ranks get the arrays without a copy. */
function shared({ rowPtr, colIdx, values, ...matrix }) {
  const copy = (array) => {
    const copied = new array.constructor(new SharedArrayBuffer(array.byteLength));
    copied.set(array);
    return copied;
  };
  return { ...matrix, rowPtr: copy(rowPtr), colIdx: copy(colIdx), values: copy(values) };
}

async function solve() {
  const n = Math.max(2, Math.round(128 * Math.cbrt(scale)));
  const problems = {
    '27-point': () => gallery('laplace3d27', { nx: n, ny: n, nz: n }),
    '5-point-2000': () => gallery('laplace2d5', { nx: Math.round(15.6 * n), ny: Math.round(15.6 * n) }),
  };
  for (const [name, make] of Object.entries(problems)) {
    const matrix = shared(make());
    let alone;
    for (const ranks of flags.ranks.split(',').map(Number)) {
      const data = { task: 'solve', matrix, format: flags.formats.split(',')[0], iterations: ITERATIONS, samples: 3 };
      const done = await run(`cg ${name}, ${ranks} ranks`, program, ranks, data);
      if (done === undefined) continue;
      const [{ plain, jacobi, us, medianUs, format, device }] = done.all;
      alone ??= us;
      print(
        `cg ${name}, ${ranks} ranks: ${plain.count} iterations, ${jacobi.count} with jacobi, converged ${plain.converged && jacobi.converged}; ` +
          `${us.toFixed(1)} µs an iteration (median ${medianUs.toFixed(1)}), ${(alone / us).toFixed(2)} × one; ${format}, ${done.seconds.toFixed(0)} s`,
      );
      keep({ kind: 'solve', matrix: name, ranks, plain, jacobi, us, medianUs, speedup: alone / us, format, device });
    }
  }
}

async function multigrid() {
  const n = (side) => Math.max(6, Math.round(side * Math.cbrt(scale)));
  const elements = n(60);
  const { coarsest } = flags;
  const problems = [
    {
      name: `7-point ${n(200)}³`,
      make: () => gallery('laplace3d7', cube(n(200))),
      spec: `amg?coarsest=${coarsest}`,
    },
    {
      ...{
        name: `elasticity ${elements}³`,
        make: () => gallery('elasticity3d', cube(elements)),
      },
      ...{ spec: `amg?block=3&theta=0.02&coarsest=${coarsest}`, block: 3, near: () => blockModes(cube(elements)) },
    },
  ];
  for (const { name, make, near, ...problem } of problems) {
    const matrix = shared(make());
    const found = near?.();
    for (const dtype of ['f64', 'mixed']) {
      let alone;
      for (const ranks of flags.ranks.split(',').map(Number)) {
        const data = { task: 'multigrid', matrix, dtype, ...problem, ...(found && { near: found }), samples: SAMPLES };
        const done = await run(`multigrid ${name}, ${ranks} ranks`, program, ranks, data);
        if (done === undefined) continue;
        const [{ levels, device, hasPeers, ...one }] = done.all;
        alone ??= one.solveMs;
        const speedup = alone / one.solveMs;
        print(
          `cg with ${problem.spec}, ${name} in ${dtype}, ${ranks} ranks: ${one.iterations} iterations in ${one.solveMs.toFixed(2)} ms, ${speedup.toFixed(2)} × one; ` +
            `${one.reason}, residual ${one.relativeResidual.toExponential(1)}, set-up ${one.setupMs.toFixed(0)} ms, peers ${hasPeers}; ` +
            `rows ${levels.map(({ rows }) => rows).join(' ')}`,
        );
        keep({
          kind: 'multigrid',
          matrix: name,
          spec: problem.spec,
          dtype,
          ranks,
          ...one,
          speedup,
          levels,
          device,
          hasPeers,
        });
      }
    }
  }
}
