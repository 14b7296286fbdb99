/** "Your machine": the bandwidth of memory, and products in several formats on one thread and on all. */
import type { Engine } from 'sparlane';
import { type AsyncEngine, newEngine } from './engine.js';

/** Matrices of three kinds, each of 1 to 3 million entries. */
export const MATRICES: Readonly<Record<string, string>> = {
  '5-point grid, 700²': 'gallery:laplace2d5?nx=700&ny=700',
  '27-point grid, 45³': 'gallery:laplace3d27?nx=45&ny=45&nz=45',
  'power-law graph, 2¹⁶': 'gallery:rmat?scale=16',
};
const FORMATS = ['csr', 'sell', 'auto'];

/** Numbers of the vectors that are copied: 32 MiB each. */
const COPIED = 1 << 22;

export interface Product {
  readonly matrix: string;
  /** As asked for; `stored` is what `auto` chose. */
  readonly format: string;
  readonly stored: string;
  readonly ms: number;
  readonly gflops: number;
}

export interface Run {
  readonly threads: number;
  /** Bytes read and written by a copy of a vector, per second. */
  readonly copyGbps: number;
  readonly products: readonly Product[];
}

export interface MachineReport {
  readonly machine: string;
  readonly date: string;
  readonly runs: readonly Run[];
}

/** Measures on one thread, and on all that the page may have. @param say told what is being measured */
export async function measureMachine(engine: AsyncEngine, say: (doing: string) => void): Promise<Run[]> {
  const single = engine.threads === 1 ? engine : await newEngine(1);
  try {
    const runs = [await measureRun(single, say)];
    return engine === single ? runs : [...runs, await measureRun(engine, say)];
  } finally {
    if (single !== engine) await single.dispose();
  }
}

async function measureRun(engine: AsyncEngine, say: (doing: string) => void): Promise<Run> {
  const { threads } = engine;
  const on = `on ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  say(`memory ${on}`);
  const copyGbps = await engine.run(copySpeed, [COPIED]);
  const products: Product[] = [];
  for (const [matrix, gallery] of Object.entries(MATRICES)) {
    for (const format of FORMATS) {
      say(`${matrix}, ${format}, ${on}`);
      const A = await engine.operator({ gallery }, { format });
      const { medianMs, gflops } = await A.time();
      products.push({ matrix, format, stored: A.format, ms: medianMs, gflops });
      A.dispose();
    }
  }
  return { threads, copyGbps, products };
}

/** Runs in the engine's worker. @returns GB/s of the fastest of twelve copies */
function copySpeed(engine: Engine, length: number): number {
  const from = engine.vector(length).fill(1);
  const to = engine.vector(length);
  let best = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 12; k++) {
    const start = performance.now();
    to.copyFrom(from);
    best = Math.min(best, performance.now() - start);
  }
  from.dispose();
  to.dispose();
  return (16 * length) / best / 1e6;
}
