/**
 * PageRank from a file to ranks, beside SciPy: each round runs a new process of either in turn, since who ranks a graph once pays for the
 * reading, the engine, the set-up and kernels that are not yet optimized, too. SciPy reads edges with pandas, or with NumPy's `loadtxt`
 * without it, and has one textbook loop with the same tolerance, in the form that is fastest there: Aᵀ as CSR, of x over the sums of rows.
 * Milliseconds after the imports, of the clock and of all threads of the process, each the least of the rounds.
 *
 * usage: npx bench page-rank [--rounds 5] [--scale 1] [--cases npz,packed,coo,edges,shuffled]
 *        (after `npm run build`; PYTHON names an interpreter that has SciPy, default python3)
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine, pageRank, read } from '../dist/node/index.js';
import { print } from './contenders.mjs';
import { printMachine, printRow } from './operations.mjs';
import { cpuMs } from './times.mjs';

const FILES = { npz: 'npz.npz', packed: 'packed.npz', coo: 'coo.npz', edges: 'edges.txt', shuffled: 'shuffled.txt' };
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    cases: { type: 'string', default: Object.keys(FILES).join() },
    /** Ranks the vertices of one file and prints the times: how this program starts itself. */
    file: { type: 'string' },
  },
});
const WIDTH = 13;

/** The times and the ranks of one process, as a line of JSON. */
const LAPS = ['read', 'rank'];

if (flags.file !== undefined) {
  const laps = [lap()];
  const links = await read(flags.file);
  laps.push(lap());
  const engine = await createEngine();
  const { ranks, iterations } = pageRank(engine, links);
  laps.push(lap());
  const greatest = ranks.data.reduce((most, rank) => Math.max(most, rank), 0);
  print(JSON.stringify({ laps, iterations, greatest }));
  process.exit();
}

/** Milliseconds of the clock and of this process. */
function lap() {
  return [performance.now(), cpuMs()];
}

const PYTHON = `
import sys, time, json, numpy as np, scipy.sparse as sp
def lap(): return [time.perf_counter() * 1e3, time.process_time() * 1e3]
def write(folder, scale):
    n, m = int(1_000_000 * scale), int(6_000_000 * scale)
    random = np.random.default_rng(1)
    draw = lambda power: random.permutation(n)[np.minimum((n * random.random(m) ** power).astype(np.int64), n - 1)]
    A = sp.coo_matrix((np.ones(m), (draw(2), draw(3))), shape=(n, n)).tocsr()
    A.data[:] = 1
    sp.save_npz(folder + '/npz.npz', A, compressed=False)
    sp.save_npz(folder + '/packed.npz', A)
    C = A.tocoo()
    order = random.permutation(A.nnz)
    sp.save_npz(folder + '/coo.npz', sp.coo_matrix((C.data[order], (C.row[order], C.col[order])), shape=(n, n)))
    np.savetxt(folder + '/edges.txt', np.column_stack([C.row, C.col]), fmt='%d')
    np.savetxt(folder + '/shuffled.txt', np.column_stack([C.row[order], C.col[order]]), fmt='%d')
def links(path):
    if path.endswith('.npz'): return sp.load_npz(path).tocsr()
    edges = pd.read_csv(path, sep=' ', header=None).to_numpy() if pd else np.loadtxt(path, dtype=np.int64)
    n = int(edges.max()) + 1
    return sp.csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
try: import pandas as pd
except ImportError: pd = None
if sys.argv[1] == 'write': write(sys.argv[2], float(sys.argv[3])); sys.exit()
laps = [lap()]
A = links(sys.argv[2])
laps.append(lap())
sums = np.asarray(A.sum(axis=1)).ravel()
inverse = np.divide(1, sums, out=np.zeros_like(sums), where=sums != 0)
At = A.T.tocsr()
n = A.shape[0]
x, iterations, change = np.full(n, 1 / n), 0, 1
while change > 1e-8:
    y = At @ (x * inverse)
    y *= 0.85
    y += (1 - y.sum()) / n
    change = np.linalg.norm(y - x) / np.linalg.norm(x)
    x, iterations = y, iterations + 1
laps.append(lap())
print(json.dumps(dict(laps=laps, iterations=iterations, greatest=x.max())))
`;

function python(...parameters) {
  const env = { ...process.env, OPENBLAS_NUM_THREADS: '1' };
  return execFileSync(process.env.PYTHON ?? 'python3', ['-c', PYTHON, ...parameters], { encoding: 'utf8', env });
}

const CONTENDERS = {
  sparlane: (path) => execFileSync(process.execPath, [import.meta.filename, '--file', path], { encoding: 'utf8' }),
  SciPy: (path) => python('rank', path),
};

printMachine();
const folder = mkdtempSync(join(tmpdir(), 'sparlane-rank-'));
try {
  python('write', folder, flags.scale);
  const columns = Object.keys(CONTENDERS).flatMap((name) => LAPS.map((what) => `${name} ${what}`));
  printRow(['case', 'MB', ...columns, 'ratio', 'CPU ratio'], WIDTH);
  for (const name of flags.cases.split(',')) compare(name, join(folder, FILES[name]));
} finally {
  rmSync(folder, { recursive: true });
}

function compare(name, path) {
  const rounds = Array.from({ length: Number(flags.rounds) }, () =>
    Object.values(CONTENDERS).map((run) => JSON.parse(run(path))),
  );
  for (const [ours, peer] of rounds)
    if (ours.iterations !== peer.iterations || Math.abs(ours.greatest / peer.greatest - 1) > 1e-6)
      throw new Error(`${name}: expected the ranks of SciPy, got ${JSON.stringify([ours, peer])}`);
  /** The least time of a contender from one mark to another. The clock's times have index 0, those of the CPU 1. */
  const least = (contender, clock, from, to) =>
    Math.min(...rounds.map((round) => round[contender].laps[to][clock] - round[contender].laps[from][clock]));
  const ratio = (clock) => (least(0, clock, 0, LAPS.length) / least(1, clock, 0, LAPS.length)).toFixed(2);
  const cell = (contender, k) =>
    `${least(contender, 0, k, k + 1).toFixed(0)}/${least(contender, 1, k, k + 1).toFixed(0)}`;
  const cells = [0, 1].flatMap((contender) => LAPS.map((_, k) => cell(contender, k)));
  printRow([name, (statSync(path).size / 1e6).toFixed(0), ...cells, ratio(0), ratio(1)], WIDTH);
}
