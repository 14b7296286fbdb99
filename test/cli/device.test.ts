/** The output of the command line for products on a device; the device is a fake. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGathers, createReadStream } from '#dist/cli/bandwidth.js';
import { type BenchLine, measureGroup, type TimedLine } from '#dist/cli/bench-group.js';
import { printTables } from '#dist/cli/bench-table.js';
import { printDecision, printMethods } from '#dist/cli/explain.js';
import { computerOf } from '#dist/cli/product.js';
import type { Engine } from '#dist/engine/engine.js';
import { gallery } from '#dist/gallery/registry.js';
import { createFakeEngine, FAKE_GPU } from '../backends/fake-device.js';

const SOURCE = 'gallery:laplace2d5?nx=40&ny=40';
const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
/** A read of 2³⁰ bytes in this time is 4295 GB/s, 2²⁴ gathers are 168 per ns. */
const CLOCK = { coldMs: 0.003, warmMs: 0.002, readMs: 0.25, gatherMs: 0.1 };

let engine: Engine;
let said: string;

beforeEach(async () => {
  engine = await createFakeEngine(matrix, CLOCK);
  said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await engine.dispose();
});

function bench(formats: readonly string[]): Promise<BenchLine[]> {
  const lanes = [{ engine, stream: createReadStream(engine, engine.heap.scope()), gathers: createGathers(engine) }];
  return measureGroup(lanes, { source: SOURCE, matrix, dtype: 'f64', formats, timeMs: 6, say: () => {} });
}

describe('bench', () => {
  test('times by the clock of the device: cold, the basis of speeds, and warm; also reads of its memory', async () => {
    const [csr, auto] = (await bench(['csr', 'auto'])) as TimedLine[];
    for (const line of [csr!, auto!]) {
      expect(line).toMatchObject({ device: 'cuda', binary: FAKE_GPU, threads: null, medianMs: 0.003, warmMs: 0.002 });
      expect(line.gflops).toBeCloseTo((2 * matrix.nnz) / 0.003 / 1e6, 9);
      expect(line.bandwidthGbps).toBeCloseTo(2 ** 30 / 0.25 / 1e6, 9);
      expect(line.gathersPerNs).toBeCloseTo(2 ** 24 / 0.1 / 1e6, 9);
      expect(line.products).toBeGreaterThan(5);
      expect(line.maxError).toBeLessThan(1e-15);
    }
    expect(auto).toMatchObject({ requested: 'auto', setupProducts: expect.any(Number) });
  });

  test('its table has cold and warm times, and no threads', async () => {
    printTables(await bench(['csr']), 'cuda');
    const [matrix, head, row] = said.split('\n');
    expect(matrix).toBe('laplace2d5?nx=40&ny=40, f64: 1,600 × 1,600, 7,840 entries');
    expect(head).toMatch(/^format +setup ms +cold ms +warm ms +spread .* of bus +paid back$/);
    expect(row).toMatch(/^csr .* 0\.00300 +0\.00200 .* \d+ %$/);
  });

  test('formats that refuse the matrix are named in a line for each reason, wrong products one by one', () => {
    const line = { matrix: SOURCE, dtype: 'f64', threads: null, error: 'why', wrong: false } as const;
    const failures: readonly BenchLine[] = [
      { ...line, requested: 'ell', format: 'ell', code: 'fill-in' },
      { ...line, requested: 'sss', format: 'sss', code: 'structure' },
      { ...line, requested: 'dia', format: 'dia', code: 'fill-in' },
      {
        ...line,
        requested: 'pkt',
        format: 'pkt',
        code: 'kernel',
        wrong: true,
        error: 'wrong: y[7]: expected 1, got 2',
      },
      { ...line, requested: 'dia', format: 'dia', code: 'fill-in', threads: 2 },
      { ...line, requested: 'csr', format: 'csr', code: 'heap' },
    ];
    printTables(failures, 'cuda');
    expect(said.trimEnd().split('\n')).toEqual([
      'laplace2d5?nx=40&ny=40, f64',
      'refused as mostly padding: ell, dia',
      'not applicable to this matrix: sss',
      'larger than the memory left: csr',
      'pkt: wrong: y[7]: expected 1, got 2',
    ]);
  });
});

test('explain speaks of the device, and of no threads', () => {
  using operator = engine.operator(matrix, { products: 'many' });
  printDecision(SOURCE, operator.decision!, computerOf(engine), false);
  expect(said).toMatch(/^ +format +bytes per entry +predicted ms +× csr +conversion/m);
  expect(said).toContain(`  f64, ${FAKE_GPU}, many products expected\n`);
  expect(said).not.toMatch(/thread/);
});

test('explain names the method of the kernel, and the times that were expected of those among which it chose', () => {
  using operator = engine.operator(matrix, { format: 'csr' });
  printMethods(operator.plan);
  expect(said).toBe('  method: vector?width=8; expected: vector 7.10 µs, stream 8.23 µs\n');
});
