/**
 * Judges the automatic choice on kinds of matrices that nobody looked at (`matrices/kinds/kinds.mjs`): for every seed each format
 * that fits is timed in turn, and the chosen one is compared with the best; on the CPU those that seem faster meet it again, alone in new
 * engines. The choice is made for many products, with trials, on the CPU in a process of its own; the verdict also says what the prediction alone
 * would choose. Odd seeds judge; even ones are for fitting.
 *
 * usage: npx bench judge --seeds 1..999 [--half judge | fit | all] [--threads 1,2] [--dtype f64,f32] [--minutes 6] --out FILE
 *          writes a line of JSON for each matrix, dtype and number of threads, until the seeds or the minutes end
 *        --no-trials       times of formats only, which is what a fit needs
 *        --native          also times the C loop, compiled with -O3 and with -Ofast
 *        --device cuda     on a GPU, by its clock, caches emptied; --cusparse FOLDER: also cuSPARSE's products, by the programs
 *                          cusparse-f64 and cusparse-f32 (compiled as in cuda/gpu-machine.bash)
 *        --sizes cpu|gpu   up to 8 million entries, or up to 50 (default with --device): a third of the seeds below one
 *                          million, a third to ten, a third above
 *        npx bench judge --report [--again] [--half judge | fit] [--worst 15] FILE …
 *          the verdict; --again: with the prediction of the present build, examining each matrix again (on a GPU from the recorded
 *          features and prospects)
 *
 * Needs `dist`; of node_modules: d3-array delaunator env-paths internmap modern-tar pure-rand robust-predicates tslib wasm-feature-detect, on a
 * GPU @sparlane/cuda too.
 */
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { DEVICE_COSTS } from '../dist/backends/cuda/costs.js';
import { modelOf } from '../dist/backends/cuda/model.js';
import { rank } from '../dist/choice/choose.js';
import { machineCosts } from '../dist/choice/machine.js';
import { measureCosts } from '../dist/cli/tune-costs.js';
import { examine } from '../dist/features/features.js';
import { chosenFor } from './judge/choose.mjs';
import { contest } from './judge/contest.mjs';
import { measureOnCpu, openCpu } from './judge/cpu.mjs';
import { readRecords } from './judge/records.mjs';
import { verdict } from './judge/report.mjs';
import { nameOf } from './judge/threads.mjs';
import { kind } from './matrices/kinds/kinds.mjs';
import { median, takeTurns } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1..200' },
    half: { type: 'string' },
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    dtype: { type: 'string', default: 'f64,f32' },
    minutes: { type: 'string', default: '6' },
    out: { type: 'string', default: 'judge.jsonl' },
    device: { type: 'string', default: 'cpu' },
    sizes: { type: 'string' },
    cusparse: { type: 'string' },
    products: { type: 'string' },
    native: { type: 'boolean' },
    'no-trials': { type: 'boolean' },
    report: { type: 'boolean' },
    again: { type: 'boolean' },
    worst: { type: 'string', default: '15' },
  },
});

const C_ROUNDS = 3;

/**
 * V8 optimizes a kernel only after many calls: until then it takes two to three times as long, and a format that few matrices have
 * would be judged by it. So all kernels are optimized at once.
 */
setFlagsFromString('--no-liftoff');

const REMAINDERS = { judge: [1], fit: [0], all: [0, 1] };

if (flags.report) report(readRecords(positionals));
else await collect();

async function collect() {
  const threads = flags.threads.split(',').map(Number);
  const dtypes = flags.dtype.split(',');
  const end = performance.now() + 60_000 * Number(flags.minutes);
  const onDevice = flags.device === 'cuda';
  const device = onDevice ? await import('./judge/cuda.mjs') : undefined;
  const hasTrials = !onDevice && !flags['no-trials'];
  const teams = onDevice ? [{ engine: await device.openDevice() }] : await teamsOf(threads);
  const machine = onDevice
    ? teams[0].engine.gpus[0].space.info.name
    : `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores`;
  try {
    for (const seed of seedsOf(flags.seeds, flags.half ?? 'judge')) {
      if (performance.now() > end) break;
      const { matrix, ...about } = kind(seed, flags.sizes ?? (onDevice ? 'gpu' : 'cpu'));
      const choices = hasTrials ? chosenFor(seed, about.sizes, dtypes, threads) : [];
      const { rows, cols, nnz } = matrix;
      for (const dtype of dtypes) {
        const lines = onDevice
          ? await device.measureOnDevice(teams[0].engine, matrix, dtype, flags)
          : teams.flatMap((team) => measureOnTeam(team, matrix, dtype));
        for (const line of lines) {
          if (hasTrials) {
            const found = choices.find((choice) => choice.dtype === dtype && choice.threads === line.threads);
            const { chosen, ...trials } = found;
            const isTimed = (name) => line.formats.some(({ asked }) => asked.includes(name));
            Object.assign(line, trials, { auto: nameOf(chosen, isTimed) });
            await contest(matrix, line);
          }
          if (flags.native) line.peers = await timeC(matrix, dtype, line.threads);
          const record = { ...about, rows, cols, nnz, machine, node: process.versions.node, ...line };
          appendFileSync(flags.out, `${JSON.stringify(record)}\n`);
        }
      }
    }
  } finally {
    for (const { engine } of teams) await engine.dispose();
  }
  report(readRecords([flags.out]));
}

/**
 * Starts an engine for each number of threads above one, since all threads of an engine take part in its products. Each engine times products on one
 * thread, too, for the names of `judge/threads.mjs`; the lines of one thread are kept of the first engine only.
 */
async function teamsOf(threads) {
  const one = threads.filter((count) => count === 1);
  const several = threads.filter((count) => count > 1);
  const wanted = several.length === 0 ? [one] : several.map((count) => [...one, count]);
  const teams = [];
  for (const [k, counts] of wanted.entries()) {
    const engine = await openCpu(counts);
    teams.push({
      engine,
      counts,
      kept: k === 0 ? counts : counts.slice(-1),
      tuned: await measureCosts(engine, () => {}),
    });
  }
  return teams;
}

function measureOnTeam({ engine, counts, kept, tuned }, matrix, dtype) {
  const lines = measureOnCpu(engine, matrix, dtype, counts);
  return lines.filter(({ threads }) => kept.includes(threads)).map((line) => ({ ...line, tuned }));
}

function* seedsOf(text, half) {
  const [first, last = first] = text.split('..').map(Number);
  for (let seed = first; seed <= last; seed++) if (REMAINDERS[half].includes(seed % 2)) yield seed;
}

async function timeC(matrix, dtype, threads) {
  const { nativeLoops } = await import('./contenders.mjs');
  const loops = await nativeLoops(matrix, dtype, threads);
  await takeTurns(loops, C_ROUNDS);
  for (const loop of loops) await loop.close();
  return loops.map(({ name, times }) => ({ name, ms: median(times) }));
}

function report(all) {
  const records = all.filter(({ seed }) => REMAINDERS[flags.half ?? 'all'].includes(seed % 2));
  const autoOf = flags.again ? chosenAgain(records) : undefined;
  for (const text of verdict(records, { worst: Number(flags.worst), ...(autoOf && { autoOf }) })) {
    process.stdout.write(`${text}\n`);
  }
}

/** The choice of the present build. Each matrix that is not on a device is made once; its records follow one another. */
function chosenAgain(records) {
  const chosen = new Map();
  let seed;
  let examined;
  for (const record of records) {
    const { dtype, threads = 1, times, features, prospects } = record;
    if (record.device !== undefined) examined = { features };
    else if (record.seed !== seed) examined = examine(kind(record.seed, record.sizes).matrix);
    seed = record.device === undefined ? record.seed : undefined;
    const device = record.device === undefined ? undefined : { ...modelOf(DEVICE_COSTS), prospectsOf: () => prospects };
    const ranking = rank(examined, { dtype, threads, products: 'many', costs: machineCosts(threads), device });
    chosen.set(
      record,
      ranking.map((format) => nameOf(format, (name) => times.has(name))).find((name) => name !== undefined),
    );
  }
  return (record) => chosen.get(record);
}
