/**
 * The conformance suite for one format: all properties that it must have, for one dtype on one backend. The checks are
 * plain functions, which a test runner, `sparlane selftest` and a page can run. Every registered format is checked.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Dtype } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { StoredMatrix } from '../formats/format.js';
import { storeMatrix } from '../formats/store.js';
import { gallery } from '../gallery/registry.js';
import { checkBlocks, checkFastBlocks } from './block-checks.js';
import { checkDeviceBlocks } from './device-block-checks.js';
import { Findings } from './findings.js';
import { spoilFreeMemory } from './garbage.js';
import { checkLayout } from './layout-checks.js';
import { type ConformanceMatrix, conformanceMatrices, type DataKind, withValues } from './matrices.js';
import { type BackendName, checkProducts } from './product-checks.js';
import { checkTransposed, transposeOf } from './transposed-checks.js';

export interface FormatCheck {
  /** A format and its parameters: `csrk?k=3`. */
  readonly spec: string;
  readonly dtype: Dtype;
  readonly backend: BackendName;
  /** Checks every kernel on every matrix, but only once, with real numbers and two pairs of factors. Default: false. */
  readonly brief?: boolean;
}

/**
 * Checks a format with an engine: of one thread for `wasm`, of several for `threads`, of any number for `reference`.
 * Asynchronous, because threads start and end only with the caller's event loop. Products are synchronous.
 */
export async function checkFormat(
  engine: Engine,
  check: FormatCheck,
  matrices: readonly ConformanceMatrix[] = conformanceMatrices(),
): Promise<Findings> {
  const findings = new Findings();
  await eventLoopTurn();
  for (const { name, matrix } of matrices) {
    const kinds: readonly DataKind[] = check.brief ? ['real'] : ['real', 'integer', 'special'];
    for (const kind of kinds) checkMatrix(findings, engine, check, name, withValues(matrix, kind), kind);
  }
  if (check.backend === 'threads') await checkRanks(findings, engine, check);
  return findings;
}

function checkMatrix(
  findings: Findings,
  engine: Engine,
  { spec, dtype, backend, brief = false }: FormatCheck,
  name: string,
  matrix: CsrMatrix,
  kind: DataKind,
): void {
  const { heap } = engine;
  const bytesBefore = heap.bytesInUse;
  spoilFreeMemory(heap);
  findings.about(name);
  findings.attempt(`${kind} data`, () => {
    using stored = storeMatrix(heap, matrix, spec, dtype, { onDevice: backend === 'cuda' });
    checkStored(findings, engine, stored, matrix, backend, kind, brief);
  });
  findings.expect(
    heap.bytesInUse === bytesBefore,
    'memory given back',
    () => `${heap.bytesInUse - bytesBefore} bytes kept`,
  );
}

/** Checks one matrix, as stored in the heap, against its original arrays. */
export function checkStored(
  findings: Findings,
  engine: Engine,
  stored: StoredMatrix,
  matrix: CsrMatrix,
  backend: BackendName,
  kind: DataKind,
  brief = false,
): void {
  checkLayout(findings, stored, matrix);
  checkProducts(findings, engine, stored, matrix, backend, kind, brief);
  if (isTransposable(engine, stored, backend))
    checkProducts(findings, engine, stored, transposeOf(matrix), backend, kind, brief, 'spmv_t');
  if (backend !== 'reference' && kind !== 'special') checkTransposed(findings, engine, stored, transposeOf(matrix));
  if (backend === 'cuda') checkDeviceBlocks(findings, engine, stored, matrix, kind, brief);
  else if (kind === 'real') checkBlocks(findings, engine, stored, backend, brief);
  if (kind === 'real' && (backend === 'wasm' || backend === 'threads'))
    checkFastBlocks(findings, engine, stored, matrix, brief);
}

/** Whether the backend has kernels that scatter the entries. */
function isTransposable({ cpu, gpus }: Engine, stored: StoredMatrix, backend: BackendName): boolean {
  if (backend === 'reference') return true;
  return (backend === 'cuda' ? gpus[0]! : cpu).computes(stored, 'spmv_t');
}

/**
 * The caller may finish a small product before another thread is awake. Alone, it needs half a millisecond for this
 * one.
 */
const RANKS_MATRIX = { rows: 700, cols: 700, values: 'ones' };

/** Time limit until every thread has computed a part of such a product. It takes milliseconds with enough cores. */
const RANKS_DEADLINE_MS = 2_000;

/** Every thread of the engine must have computed a part, with the same bits as the caller alone. */
async function checkRanks(findings: Findings, engine: Engine, { spec, dtype }: FormatCheck): Promise<void> {
  const { heap, team, threads, cpu } = engine;
  if (findings.ranks.size < threads) {
    findings.about(`dense ${RANKS_MATRIX.rows} × ${RANKS_MATRIX.cols}`);
    using stored = storeMatrix(heap, gallery('dense', RANKS_MATRIX), spec, dtype);
    using x = engine.vector(stored.cols, { dtype }).fill(1);
    using y = x.like();
    using alone = x.like();
    using planAlone = cpu.plan(stored, 'spmv', { parts: 1 });
    planAlone.run(x, alone, 1, 0);
    using plan = cpu.plan(stored, 'spmv', { parts: 4 * threads });
    const deadline = performance.now() + RANKS_DEADLINE_MS;
    while (findings.ranks.size < threads && performance.now() < deadline) {
      plan.run(x, y, 1, 0);
      for (let part = 0; part < plan.parts; part++) findings.ranks.add(team.rankOf(part));
      const wrong = y.data.findIndex((value, i) => value !== alone.data[i]);
      findings.expect(wrong < 0, 'threads agree', () => `y[${wrong}] is ${y.data[wrong]}, not ${alone.data[wrong]}`);
      await eventLoopTurn();
    }
  }
  const everyRank = findings.ranks.size === threads;
  findings.expect(everyRank, 'every thread computes', () => `only ${[...findings.ranks]} of ${threads}`);
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
