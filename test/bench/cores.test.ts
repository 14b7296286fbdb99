/** The suite `cores`: its C peer, the arithmetic of its results, and the page. (`bench/cores.mjs` itself is run by hand.) */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareProduct, expectedProduct } from '#dist/conformance/expected.js';
import { gallery } from '#dist/gallery/registry.js';
import { renderCores } from '../../bench/cores/page.mjs';
import { C, compilePeer, openPeer, PINNED_C } from '../../bench/cores/peer.mjs';
import { AUTO, boundOf, CSR, curvesOf, overC, parseCores, slowerThanCsr, TRIED } from '../../bench/cores/results.mjs';
import { temporaryFolder, writeMatrixFile } from '../../bench/peers/index.mjs';
import { standalone } from '../../bench/report/draw.mjs';
import { unbalanced } from './markup.js';

const { program, missing } = compilePeer();
if (missing !== undefined) process.emitWarning(`the test of the C peer is skipped: ${missing}`);
const skipNote = missing === undefined ? '' : ` — SKIPPED: ${missing}`;

describe.skipIf(missing !== undefined)(`the C peer${skipNote}`, () => {
  test.each([
    [C, 1],
    [C, 3],
    [PINNED_C, 2],
  ])('%s multiplies on %i threads, and reads a buffer', async (name, threads) => {
    const matrix = gallery('rmat', { scale: 9, edgeFactor: 6 });
    const matrixFile = join(temporaryFolder(), 'cores');
    writeMatrixFile(matrix, matrixFile);
    const x = Float64Array.from({ length: matrix.cols }, (_, j) => 1 / (1 + (j % 7)));
    const peer = await openPeer(program, name, { matrixFile, threads, x, readBytes: 2 ** 20 });
    try {
      const y = new Float64Array(matrix.rows).fill(Number.NaN);
      await peer.product(y);
      expect(compareProduct(expectedProduct(matrix, 'f64', x, y, 1, 0), y).firstWrong).toBe(-1);
      const reads = await peer.read(3);
      expect(reads).toHaveLength(3);
      // 2²⁰ bytes in less than 100 ns would be more than 10 TB/s.
      expect(Math.min(...reads)).toBeGreaterThan(1e-4);
    } finally {
      await peer.close();
    }
  });
});

const MATRICES = [
  { kind: 'matrix', matrix: 'grid', rows: 200, cols: 200, nnz: 1000 },
  { kind: 'matrix', matrix: 'web <&> "graph"', rows: 500, cols: 500, nnz: 4000 },
];
/** GFLOP/s on one thread; on more, as many times as much. */
const SPEEDS: Record<string, number> = { [CSR]: 1, [AUTO]: 3, [C]: 1, [PINNED_C]: 2 };
const THREADS = [1, 8, 32];

function results(contenders: readonly string[]): string {
  const lines = [
    { kind: 'machine', cpu: 'a processor', cores: 32, node: '24.0.0', date: '2026-11-22T00:00:00.000Z' },
    ...THREADS.map((threads) => ({
      kind: 'team',
      contender: 'sparlane',
      threads,
      startMs: 50,
      forkJoinUs: 3,
      afterPauseUs: 700,
    })),
    ...MATRICES,
    ...MATRICES.flatMap(({ matrix, nnz }) =>
      THREADS.flatMap((threads) => [
        ...['sparlane', 'gcc'].map((contender, k) => ({
          kind: 'read',
          matrix,
          contender,
          threads,
          gbps: (k + 1) * 6 * threads,
        })),
        ...contenders.map((contender) => ({
          ...{ kind: 'product', matrix, contender, threads, bytes: 12 * nnz, afterPauseMs: 2 },
          gflops: SPEEDS[contender]! * threads,
        })),
      ]),
    ),
  ];
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

const ALL = [CSR, AUTO, C, PINNED_C];

describe('the results', () => {
  const parsed = parseCores([results(ALL)]);

  test('the bound: the best read bandwidth over the bytes of csr', () => {
    // 12 GB/s with one thread; 12 bytes and 2 operations for each entry.
    const { points } = boundOf(parsed, MATRICES[0]);
    expect(points.map(({ threads, gflops }: { threads: number; gflops: number }) => [threads, gflops])).toEqual([
      [1, 2],
      [8, 16],
      [32, 64],
    ]);
  });

  test('the mean over C takes the faster one of C', () => {
    expect(overC(parsed, CSR, 32)).toBeCloseTo(0.5, 12);
    expect(overC(parsed, AUTO, 32)).toBeCloseTo(1.5, 12);
    expect(overC(parseCores([results([CSR, C])]), CSR, 32)).toBeCloseTo(1, 12);
    expect(overC(parseCores([results([CSR])]), CSR, 32)).toBeUndefined();
  });

  test('of lines with the same key the last one counts', () => {
    const again = { kind: 'product', matrix: 'grid', contender: CSR, threads: 8, bytes: 1, gflops: 99 };
    const [curve] = curvesOf(parseCores([results(ALL), JSON.stringify(again)]), MATRICES[0]);
    expect(curve.points.map(({ gflops }: { gflops: number }) => gflops)).toEqual([1, 99, 32]);
  });

  test('a line of another kind is refused', () => {
    expect(() => parseCores(['{"kind":"other"}'])).toThrow(
      'kind: expected machine | team | matrix | read | product, got other',
    );
    expect(() => parseCores([''])).toThrow('expected at least one line of kind product');
  });
});

describe('the page', () => {
  test('has a chart for each matrix, with every contender and the bandwidth', () => {
    const { text, svgs } = renderCores([results(ALL)]);
    expect(unbalanced(text)).toEqual([]);
    expect([...svgs.keys()]).toEqual(['cores-1', 'cores-2']);
    for (const svg of svgs.values()) {
      expect(unbalanced(standalone(svg))).toEqual([]);
      for (const label of ['csr 32.0', 'auto 96.0', 'gcc 32.0', 'gcc, pinned 64.0', 'read bandwidth 64.0'])
        expect(svg.text).toContain(`>${label}<`);
    }
    expect(text).toContain('web &lt;&amp;&gt; &quot;graph&quot;');
    expect(text).toMatch(/<b>0\.50 ×<\/b><span>csr over C/);
    expect(text).not.toMatch(/undefined|NaN/);
  });

  test('without C, and with one number of threads only: tables, but no charts', () => {
    expect(unbalanced(renderCores([results([CSR, AUTO])]).text)).toEqual([]);
    const once = results(ALL)
      .split('\n')
      .filter((line) => !/"threads":(8|32)\b/.test(line))
      .join('\n');
    const { text, svgs } = renderCores([once]);
    expect(svgs.size).toBe(0);
    expect(text).toContain('grid, 1 thread');
    expect(text).not.toMatch(/undefined|NaN/);
  });
});

test('a choice that is slower than csr is named, and no other contender', () => {
  const product = (contender: string, medianMs: number, threads = 8) => ({
    matrix: 'grid',
    contender,
    threads,
    medianMs,
    format: 'panels',
  });
  const products = [
    product(CSR, 9),
    product(AUTO, 9.9),
    product(TRIED, 12),
    product(C, 20),
    product(CSR, 2, 16),
    product(AUTO, 1, 16),
  ];
  expect(slowerThanCsr({ products })).toEqual([
    { matrix: 'grid', threads: 8, contender: TRIED, format: 'panels', ratio: 0.75 },
  ]);
});
