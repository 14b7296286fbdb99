/** The whole conformance suite on one machine: every format × dtype × backend × binary, and input validation. */
import { relaxedSimd, simd } from 'wasm-feature-detect';
import { csrMatrix } from '../core/csr.js';
import { DTYPES, type Dtype } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { DEVICE_SPECS, FORMAT_SPECS } from '../formats/registry.js';
import { storeMatrix } from '../formats/store.js';
import type { KernelBinary } from '../kernels/abi.js';
import { checkFormat } from './check-format.js';
import { checkAllComplex } from './complex-checks.js';
import { checkDivided } from './divided-checks.js';
import { Findings } from './findings.js';
import { isBriefFor, LARGE_BLOCK_SPECS, matricesFor } from './large-blocks.js';
import type { BackendName } from './product-checks.js';
import { checkRandomProducts } from './random-products.js';
import { checkSolvers } from './solver-checks.js';
import { type CreateEngine, checkCase } from './validation.js';
import { validationCases } from './validation-cases.js';
import { checkVectors } from './vector-checks.js';

/** The backend of the products, and the settings of its engine. */
export interface SuiteTarget {
  readonly backend: BackendName;
  /** Undefined for the reference, which has no kernels. */
  readonly binary: KernelBinary | undefined;
  readonly threads: number;
  /**
   * Whether a few checks of every kernel on every matrix are enough. With one thread the results of kernels are
   * checked, with all numbers and factors and in all partitions; with several threads, the distribution of the parts;
   * with the reference, the entries that a layout reports.
   */
  readonly brief: boolean;
}

/** The reference, and the backends `wasm` and `threads` with every binary that this machine validates. */
export async function suiteTargets(threads: number): Promise<SuiteTarget[]> {
  const binaries: KernelBinary[] = [];
  if (await simd()) binaries.push('simd');
  if (await relaxedSimd()) binaries.push('relaxed-simd');
  const compiled = binaries.flatMap((binary): SuiteTarget[] => [
    { backend: 'wasm', binary, threads: 1, brief: false },
    { backend: 'threads', binary, threads, brief: true },
  ]);
  return [{ backend: 'reference', binary: undefined, threads: 1, brief: true }, ...compiled];
}

/** The target for the device. */
export const CUDA_TARGET: SuiteTarget = { backend: 'cuda', binary: undefined, threads: 1, brief: false };

export function createTarget(createEngine: CreateEngine, { backend, binary, threads }: SuiteTarget): Promise<Engine> {
  const common = { threads, complex: true };
  if (backend === 'cuda') return createEngine({ ...common, device: 'cuda' });
  return createEngine(binary === undefined ? common : { ...common, binary });
}

export interface SuiteOptions {
  readonly createEngine: CreateEngine;
  /**
   * Formats with parameters. Default: all registered formats, in all their layouts for the CPU or the device, and large blocks. A layout
   * for which the device has no kernel is then left out: the format is one for the CPU only.
   */
  readonly specs?: readonly string[];
  /** Default: all. */
  readonly dtypes?: readonly Dtype[];
  /** Threads of the `threads` backend, at least 2. More threads than cores are allowed, but slower. Default 2. */
  readonly threads?: number;
  /** Only a few checks of every kernel on every matrix, for use with slow tools. Default: false. */
  readonly brief?: boolean;
  /** Products with random matrices and options, for each backend but the reference. Default 10,000; brief: 1,000. */
  readonly random?: number;
  /** The first of the random cases; a failure names the seed of its case. Default 0. */
  readonly seed?: number;
  /** `cuda`: the suite of the device instead of the CPU's. Default `cpu`. */
  readonly device?: 'cpu' | 'cuda';
}

/** One line of the suite's report. */
export interface SuiteResult {
  /**
   * A format and its parameters. `validation`: bad input. `complex`: all complex layouts, unless formats are named. `vectors`: vectors,
   * scalars and recordings. `solvers`: every method with every preconditioner. `random products`: random matrices and options. `hybrid`:
   * products on GPU and CPU. `memories`: products of rows in several memories, in Node. `gpus`: products on two GPUs, if there are two.
   */
  readonly name: string;
  readonly dtype: Dtype | undefined;
  readonly target: SuiteTarget;
  readonly findings: Findings;
  readonly ms: number;
}

/** Yields each result as soon as it is complete. */
export async function* runSuite({
  createEngine,
  dtypes = DTYPES,
  threads = 2,
  device = 'cpu',
  brief = false,
  random = brief ? 1_000 : 10_000,
  seed = 0,
  specs,
}: SuiteOptions): AsyncGenerator<SuiteResult> {
  for (const target of device === 'cuda' ? [CUDA_TARGET] : await suiteTargets(threads)) {
    await using engine = await createTarget(createEngine, target);
    for (const spec of specs ?? [...specsOf(engine), ...LARGE_BLOCK_SPECS]) {
      for (const dtype of dtypes) {
        const start = performance.now();
        const check = { spec, dtype, backend: target.backend, brief: brief || target.brief || isBriefFor(spec) };
        const findings = await checkFormat(engine, check, matricesFor(spec));
        yield { name: spec, dtype, target, findings, ms: performance.now() - start };
      }
    }
    if (specs === undefined) yield timed('complex', target, () => checkAllComplex(engine, target.backend, true));
    // Long vectors need several threads, or a device.
    if (target.backend !== 'reference')
      yield timed('vectors', target, () => checkVectors(engine, brief || target.backend === 'wasm'));
    if (target.backend !== 'reference')
      yield timed('solvers', target, () => checkSolvers(engine, brief || target.backend === 'threads'));
    if (target.backend !== 'reference' && random > 0)
      yield timed('random products', target, () => checkRandomProducts(engine, { products: random, seed }));
    // Several threads compute in all memories of an operator; one thread does what it does with one memory.
    if (target.backend === 'threads' && !brief && engine.team.servesOthers)
      yield timed('memories', target, () => checkDivided(engine, [{ memories: 2 }, { memories: 3 }]));
    if (target.backend === 'threads') yield await checkValidation(engine, createEngine, target);
    if (target.backend === 'cuda') {
      // The following checks have no kernels of their own.
      if (brief) continue;
      yield await checkBoth(createEngine, target, threads);
      yield* checkGpus(createEngine, target);
    }
  }
}

/** The registered layouts that an engine has kernels for: on a CPU all of them. */
export function specsOf({ gpus: [gpu], heap }: Engine): readonly string[] {
  if (gpu === undefined) return FORMAT_SPECS;
  const matrix = csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [1] });
  return DEVICE_SPECS.filter((spec) => {
    using stored = storeMatrix(heap, matrix, spec, 'f64');
    return gpu.computes(stored, 'spmv');
  });
}

async function checkBoth(createEngine: CreateEngine, target: SuiteTarget, threads: number): Promise<SuiteResult> {
  await using engine = await createEngine({ threads, device: 'hybrid' });
  return timed('hybrid', { ...target, threads }, () => checkDivided(engine));
}

async function* checkGpus(createEngine: CreateEngine, target: SuiteTarget): AsyncGenerator<SuiteResult> {
  await using engine = await createEngine({ threads: 1, device: 'auto', gpus: 2 });
  if (engine.gpus.length < 2) return;
  yield timed('gpus', target, () => checkDivided(engine, [{ distribution: 'block' }, { distribution: 'cyclic' }]));
}

function timed(name: string, target: SuiteTarget, check: () => Findings): SuiteResult {
  const start = performance.now();
  const findings = check();
  return { name, dtype: undefined, target, findings, ms: performance.now() - start };
}

async function checkValidation(engine: Engine, createEngine: CreateEngine, target: SuiteTarget): Promise<SuiteResult> {
  const start = performance.now();
  const findings = new Findings();
  for (const one of validationCases) {
    const fault = await checkCase(engine, createEngine, one);
    findings.expect(fault === undefined, one.name, () => fault!);
  }
  return { name: 'validation', dtype: undefined, target, findings, ms: performance.now() - start };
}
