/**
 * The suite `cores`: how products scale with the threads of a machine with many cores. For each matrix and number of threads
 * our `csr`, `auto` and plain C with OpenMP, free and pinned to cores, verified, then in turn; with reads of memory by both, the
 * first product after a pause, fork-joins, and the start of an engine. f64. Appends JSON lines; `bench/cores/report.mjs`
 * makes a page of them. It ends with exit code 1 where `auto` is slower than 0.9 × `csr`.
 *
 * usage: npx bench cores --out RESULTS.jsonl        (after `npm run build`)
 *        --threads 1,2,4,…   default: powers of two up to the cores, and the cores
 *        --matrices 5-point,mesh     default: all of cores/matrices.mjs
 *        --program FILE      the C peer, built elsewhere; default: compiled here
 *        --commit ID         of this copy; default: as git has it
 *        --read-mib 1024     size of the buffer that is read: several times the last cache
 *        --rounds 4          --quick: small matrices, a minute
 *        --seconds 450       after which no further matrix or number of threads is begun
 *        npx bench cores --build FILE                 only builds the C peer: a static program for x86-64
 *
 * It needs Node, this folder, `package.json`, `dist`, the production packages of `@sparlane/cli`, and `d3-array`, but no compiler if
 * there is a --program.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { expectedProduct } from '../dist/conformance/expected.js';
import { benchVector, print } from './contenders.mjs';
import { MATRICES, makeMatrix } from './cores/matrices.mjs';
import { measure } from './cores/measure.mjs';
import { buildPeer, compilePeer } from './cores/peer.mjs';
import { slowerThanCsr } from './cores/results.mjs';
import { EMPTY, measureTeam } from './cores/team.mjs';
import { describeMachine } from './machine.mjs';
import { temporaryFolder } from './peers/compile.mjs';
import { writeMatrixFile } from './peers/matrix-file.mjs';

const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: 'cores.jsonl' },
    threads: { type: 'string', default: doubling(availableParallelism()).join() },
    matrices: { type: 'string', default: MATRICES.map(({ name }) => name).join() },
    program: { type: 'string' },
    commit: { type: 'string' },
    build: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '450' },
    'read-mib': { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});

if (flags.build === undefined) await run();
else buildPeer(flags.build);

/** 1, 2, 4 … below the cores, and the cores. */
function doubling(cores) {
  const powers = Array.from({ length: Math.ceil(Math.log2(cores)) }, (_, k) => 2 ** k);
  return [...powers, cores];
}

async function run() {
  const settings = {
    rounds: Number(flags.rounds ?? (flags.quick ? 2 : 4)),
    pauses: flags.quick ? 1 : 3,
    readBytes: Number(flags['read-mib'] ?? (flags.quick ? 128 : 1024)) * 2 ** 20,
  };
  const threadCounts = [...new Set(flags.threads.split(',').map(Number))].sort((a, b) => a - b);
  const { program, missing } = flags.program === undefined ? compilePeer() : { program: flags.program };
  if (missing !== undefined) print(`without C: ${missing}`);
  const machine = await describeMachine();
  emit({ kind: 'machine', ...machine, commit: flags.commit ?? machine.commit });
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(EMPTY, matrixFile);
  for (const threads of threadCounts) {
    for (const line of await measureTeam({ matrixFile, program, threads, settings })) report(line);
  }
  const products = [];
  for (const { name, url, quick } of MATRICES) {
    if (!flags.matrices.split(',').includes(name)) continue;
    const source = flags.quick ? quick : url;
    const matrix = makeMatrix(source);
    const { rows, cols, nnz } = matrix;
    print(`${source}: ${rows} × ${cols}, ${nnz} entries`);
    emit({ kind: 'matrix', matrix: name, source, rows, cols, nnz });
    writeMatrixFile(matrix, matrixFile);
    const x = benchVector(cols);
    const expected = expectedProduct(matrix, 'f64', x, x, 1, 0);
    for (const threads of threadCounts) {
      if (performance.now() > 1000 * Number(flags.seconds)) {
        print(`no time for ${name}, ${threads} threads`);
        continue;
      }
      const lines = await measure({ matrix, matrixFile, program, threads, x, expected, settings });
      for (const line of lines) report({ ...line, matrix: name, threads });
      products.push(
        ...lines.filter(({ kind }) => kind === 'product').map((line) => ({ ...line, matrix: name, threads })),
      );
    }
  }
  rmSync(matrixFile);
  for (const { matrix, threads, contender, format, ratio } of slowerThanCsr({ products })) {
    print(`FAILED  ${matrix}, ${threads} threads: ${contender} (${format}) is ${ratio.toFixed(2)} × as fast as csr`);
    process.exitCode = 1;
  }
}

function report(line) {
  emit(line);
  const { kind, contender, threads, gflops, gbps, format = '', startMs, forkJoinUs } = line;
  const figures = {
    team: () =>
      `fork-join ${forkJoinUs.toFixed(1)} µs${startMs === undefined ? '' : `, start ${startMs.toFixed(0)} ms`}`,
    read: () => `${gbps.toFixed(1).padStart(7)} GB/s`,
    product: () => `${gflops.toFixed(2).padStart(7)} GFLOP/s  ${format}`,
  };
  print(`  ${`${threads}`.padStart(3)} ${kind.padEnd(7)} ${contender.padEnd(14)} ${figures[kind]()}`);
}

function emit(line) {
  appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
}
