/** `solve` of a page: the page's half and the worker's half of the protocol in one thread, with cloned messages between them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Host } from '#dist/browser/host.js';
import { Link } from '#dist/browser/link.js';
import { PageEngine } from '#dist/browser/page.js';
import type { PageSolution } from '#dist/browser/page-solve.js';
import { gallery } from '#dist/index.node.js';
import { relativeResidual } from '../solvers/residual.js';

/** A worker that is none: it runs here, and its messages are cloned. */
class SameThread extends EventTarget {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  readonly #host = new Host((answer, transfer = []) => this.#say(answer, transfer));

  #say(answer: unknown, transfer: Transferable[]): void {
    const data = structuredClone(answer, { transfer: transfer as never });
    setTimeout(() => {
      this.dispatchEvent(new Event('message'));
      this.onmessage?.({ data });
    });
  }

  postMessage(request: never, transfer: Transferable[]): void {
    const data = structuredClone(request, { transfer: transfer as never });
    setTimeout(() => void this.#host.hear(data));
  }

  terminate(): void {}
}

const LAPLACE = 'gallery:laplace2d5?nx=30&ny=20';
const MATRIX = gallery('laplace2d5', { nx: 30, ny: 20 });
const LARGE = { gallery: 'gallery:laplace2d5?nx=150&ny=150' };
const SLOW = { rtol: 0, preconditioner: 'none', method: 'gmres?restart=200' };

describe('solve', () => {
  let engine: PageEngine;
  let link: Link;

  beforeAll(async () => {
    vi.stubGlobal('crossOriginIsolated', false);
    vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
    link = new Link(new SameThread() as never, { option: 'worker', url: undefined }, () => {});
    const wasm = new WebAssembly.Module(readFileSync(new URL('../../dist/kernels/kernels.simd.wasm', import.meta.url)));
    const info = await link.call('create', { threads: 1, binary: 'simd', wasm }).result;
    engine = new PageEngine(link, info, undefined);
  });
  afterAll(() => vi.unstubAllGlobals());

  const b = Float64Array.from({ length: 600 }, (_, i) => Math.sin(i));

  function expectSolved({ x, converged, decision, relativeResidual: reported, residualNorms }: PageSolution): void {
    expect([converged, decision.method]).toEqual([true, 'cg']);
    expect(x).toBeInstanceOf(Float64Array);
    expect(relativeResidual(MATRIX, x, b)).toBeCloseTo(reported, 12);
    expect(reported).toBeLessThan(1.01e-8);
    expect(residualNorms.length).toBeGreaterThan(10);
  }

  test('a matrix by its source, an operator, a vector of the engine, x0', async () => {
    expectSolved(await engine.solve({ gallery: LAPLACE }, b));
    const A = await engine.operator({ gallery: LAPLACE }, { format: 'csr' });
    const solution = await engine.solve(A, await engine.vector(b));
    expectSolved(solution);
    const again = await engine.solve(A, b, { x0: solution.x });
    expect([again.iterations, again.reason]).toEqual([0, 'tolerance']);
    expect(again.x).toEqual(solution.x);
  });

  test('progress is told, and an abort ends the solve with the x it has', async () => {
    const controller = new AbortController();
    const iterations: number[] = [];
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), {
      ...SLOW,
      signal: controller.signal,
      onProgress: ({ iteration }) => {
        iterations.push(iteration);
        if (iterations.length === 3) controller.abort();
      },
    });
    const { reason, x, relativeResidual } = await solving;
    expect([reason, x.length]).toEqual(['stopped', 22_500]);
    expect(relativeResidual).toBeLessThan(1);
    expect(iterations.length).toBeGreaterThanOrEqual(3);
    const aborted = await engine.solve({ gallery: LAPLACE }, b, { signal: AbortSignal.abort() });
    expect(aborted.reason).toBe('stopped');
  });

  test('the engine answers while it solves', async () => {
    const controller = new AbortController();
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), { ...SLOW, signal: controller.signal });
    const A = await engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0] });
    expect([...(await A.apply(Float64Array.of(3, 4)))]).toEqual([4, 3]);
    controller.abort();
    expect((await solving).reason).toBe('stopped');
  });

  test('an error of onProgress ends the solve', async () => {
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), {
      ...SLOW,
      onProgress() {
        throw new Error('on purpose');
      },
    });
    await expect(solving).rejects.toThrow('on purpose');
  });

  test('nothing stays allocated', async () => {
    const before = await engine.status();
    await engine.solve({ gallery: LAPLACE }, b);
    expect((await engine.status()).bytesInUse).toBe(before.bytesInUse);
  });

  test.each([
    ['b', () => engine.solve({ gallery: LAPLACE }, new Float64Array(3)), /^b: expected length 600/],
    ['an option', () => engine.solve({ gallery: LAPLACE }, b, { tol: 1 } as never), /^options: expected only/],
    ['method', () => engine.solve({ gallery: LAPLACE }, b, { method: 'lu' }), /^method: expected cg/],
    ['signal', () => engine.solve({ gallery: LAPLACE }, b, { signal: 5 as never }), /^signal: expected/],
    ['options', () => engine.solve({ gallery: LAPLACE }, b, null as never), /^options: expected an object/],
    ['matrix', () => engine.solve({ gallery: 'gallery:nope' }, b), /^gallery matrix: expected/],
  ])('a wrong argument: %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});
