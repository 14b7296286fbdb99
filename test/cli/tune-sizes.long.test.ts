/** `sparlane tune --device cuda` without a GPU: on matrices with prescribed times, and on a device that computes here. */

import { describe, expect, it, vi } from 'vitest';
import { createCudaBackend } from '#dist/backends/cuda/backend.js';
import { DEVICE_SUITE, openMatrix } from '#dist/cli/tune-device-suite.js';
import { PROPOSERS, type SizableMatrix, tuneSizes } from '#dist/cli/tune-sizes.js';
import { printSizes } from '#dist/cli/tune-sizes-table.js';
import { CSRK_HEADER } from '#dist/formats/csrk/csrk.js';
import { caseOf, GPU_GROUP_SIZES, type GroupSizes, gpuSizes } from '#dist/formats/csrk/sizes.js';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';
import { placeOf } from '#dist/memory/header.js';
import { Heap } from '#dist/memory/heap.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { runCli } from './run-cli.js';

/** Fastest with the sizes of `bestAt`, a tenth slower for every factor of two away; counts products that were not disposed. */
function fake(density: number, best: GroupSizes, open: { count: number }): SizableMatrix {
  const withSizes = ({ superRowSize, superSuperRowSize }: GroupSizes) => {
    open.count++;
    const off = [superRowSize / best.superRowSize, superSuperRowSize / best.superSuperRowSize];
    const ms = 1 + off.reduce((sum, ratio) => sum + 0.1 * Math.abs(Math.log2(ratio)), 0);
    return {
      time: (repetitions: number) => new Float64Array(repetitions).fill(ms),
      [Symbol.dispose]: () => void open.count--,
    };
  };
  const rows = 1_000_000;
  return {
    ...{ source: `gallery:${density} in a row`, dtype: 'f64', rows, nnz: density * rows, withSizes },
    [Symbol.dispose]: () => {},
  };
}

const sizes = (superSuperRowSize: number, superRowSize: number): GroupSizes => ({ superSuperRowSize, superRowSize });

describe('times that are made up', () => {
  const open = { count: 0 };
  const best = [sizes(16, 48), sizes(12, 32), sizes(24, 12), sizes(8, 8)];
  const matrices = [4, 12, 24, 60].map((density, place) => fake(density, best[place]!, open));
  const said: string[] = [];
  const outcome = tuneSizes(matrices, (text) => said.push(text));

  it('every pair of sizes is timed on every matrix, and every product disposed', () => {
    for (const { times } of outcome.matrices) {
      const pairs = new Set(times.map(({ superRowSize, superSuperRowSize }) => `${superRowSize} ${superSuperRowSize}`));
      expect(pairs.size).toBe(GPU_GROUP_SIZES.length ** 2);
    }
    expect(open.count).toBe(0);
    expect(said.length).toBe(2 * matrices.length);
  });

  it('the fit by case finds the best sizes again, and loses nothing', () => {
    expect(outcome.byCase).toBe(true);
    expect(outcome.losses.byCase).toEqual({ medianLoss: 0, meanLoss: 0, worstLoss: 0 });
    for (const [place, { trials }] of outcome.matrices.entries()) {
      expect(trials.find(({ proposer }) => proposer === 'byCase')).toMatchObject({ ...best[place]!, loss: 0 });
    }
  });

  it('the sizes of the paper’s formulas are timed as they are, on the list or not', () => {
    const { trials } = outcome.matrices[2]!;
    const { superRowSize, superSuperRowSize } = gpuSizes('volta', 24);
    expect([superSuperRowSize, superRowSize]).toEqual([20, 10]);
    const off = Math.abs(Math.log2(10 / 12)) + Math.abs(Math.log2(20 / 24));
    const loss = expect.closeTo(0.1 * off, 9);
    expect(trials.find(({ proposer }) => proposer === 'volta')).toMatchObject({
      superRowSize,
      superSuperRowSize,
      loss,
    });
    expect(outcome.losses.volta.worstLoss).toBeGreaterThanOrEqual(outcome.losses.volta.meanLoss);
  });

  it('the tables have a line for each matrix, the formulas as they are written down, and all losses', () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    printSizes(outcome);
    write.mockRestore();
    const text = lines.join('');
    expect(text).toMatch(/^matrix +per row +fastest +µs +regression +by case\n/);
    expect(text).toMatch(/\nmatrix +regression +by case +Volta +Ampere +Hopper +8 × 96\n4 in a row( +\d+\.\d %){6}\n/);
    expect(text.split('\n').filter(({ length }) => length > 100)).toEqual([]);
    expect(text).toMatch(/\n24 in a row +24\.0 +24 × 12 +1000 /);
    expect(text).toMatch(
      /\nregression: SSRS = ⌊\d+\.\d{3} [−+] \d+\.\d{3} ln\(entries per row\)⌉, root mean square error \d/,
    );
    expect(text).toMatch(/\nby case loses 0\.0 % \(mean 0\.0 %, worst 0\.0 %\)\nVolta loses \d/);
  });

  it('if cases gain nothing, the regression alone is enough', () => {
    const level = [4, 12, 24, 60].map((density) => fake(density, sizes(8, 12), open));
    const { byCase, fit, losses } = tuneSizes(level, () => {});
    expect([byCase, fit.superSuperRows, fit.superRows]).toEqual([false, [8, 0], [12, 0]]);
    for (const proposer of PROPOSERS.slice(0, 2)) expect(losses[proposer].worstLoss).toBe(0);
  });
});

/** Super-row pointers and super-super-row pointers of a plan. */
function groupsOf(heap: ArrayBufferLike, header: number): [Uint32Array, Uint32Array] {
  const [units = 0, superRowAt, superSuperRowAt] = new Uint32Array(heap, header, 13).subarray(
    placeOf(CSRK_HEADER, 'units'),
  );
  const superSuperRowPtr = new Uint32Array(heap, superSuperRowAt, units + 1).slice();
  return [new Uint32Array(heap, superRowAt, superSuperRowPtr[units]! + 1).slice(), superSuperRowPtr];
}

describe('a matrix of the suite', () => {
  const heap = new Heap();
  const matrix = gallery('laplace2d5', { nx: 10, ny: 9 });

  it('is converted once, verified, and multiplied in groups of any sizes; disposal frees everything', () => {
    const groups: [Uint32Array, Uint32Array][] = [];
    const { device, objects } = fakeCsrDevice(undefined, (at, header) => groups.push(groupsOf(at, header)));
    const before = heap.bytesInUse;
    const opened = openMatrix(heap, createCudaBackend(device, heap), 'gallery:it', matrix, 'f64');
    expect(opened).toMatchObject({ source: 'gallery:it', rows: 90, nnz: matrix.nnz });
    const laidOut = heap.bytesInUse;
    {
      using product = opened.withSizes(sizes(2, 20));
      expect(product.time(3)).toEqual(Float64Array.of(0.5, 0.5, 0.5));
      expect(groups.at(-1)).toEqual([Uint32Array.of(0, 20, 40, 60, 80, 90), Uint32Array.of(0, 2, 4, 5)]);
      expect(heap.bytesInUse).toBe(laidOut);
    }
    opened[Symbol.dispose]();
    expect([heap.bytesInUse, objects()]).toEqual([before, 0]);
  });

  it('with a wrong product is an error, and frees everything too', () => {
    const { device, objects } = fakeCsrDevice((y) => y.fill(1e9, 7, 8));
    const before = heap.bytesInUse;
    expect(() => openMatrix(heap, createCudaBackend(device, heap), 'gallery:it', matrix, 'f64')).toThrow(
      /^gallery:it by gpuspmv in f64: y\[7\]: expected .*, got 1000000000$/,
    );
    expect([heap.bytesInUse, objects()]).toEqual([before, 0]);
  });
});

it('the suite goes up in row density, with several matrices in each case but none beyond 10 million entries', () => {
  const shapes = DEVICE_SUITE.map((source) => {
    const { name, given } = parseGalleryUrl(source);
    const { rows, nnz } = gallery(name, given);
    return { density: nnz / rows, nnz };
  });
  const densities = shapes.map(({ density }) => density);
  expect(densities).toEqual([...densities].sort((a, b) => a - b));
  for (const place of [0, 1, 2, 3])
    expect(densities.filter((density) => caseOf(density) === place).length).toBeGreaterThanOrEqual(3);
  for (const { nnz } of shapes) expect(nnz).toBeLessThan(1e7);
});

it.each([['--time', '5'], ['--threads', '2'], ['--dry-run']])('%s is for the CPU only', async (...flags) => {
  const { code, stderr } = await runCli('tune', '--device', 'cuda', ...flags);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    new RegExp(`^sparlane: ${flags[0]}: expected no value .* \\(only valid with --device cpu\\), got`),
  );
});
