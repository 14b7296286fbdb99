import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dtype } from '#dist/core/types.js';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';
import { createEngine, factor, solve } from '#dist/index.node.js';
import { writeMatrixMarket } from '#dist/io/matrix-market/writer.js';
import { write } from '#dist/io/write.js';
import { digest, realNumbers } from './app/data.js';
import { browserIsThere, ISOLATION, type Stage, setStage } from './harness.js';

const MATRIX = 'gallery:banded?rows=60000&perRow=9';
const SYMMETRIC = 'gallery:laplace2d5?nx=60&ny=60';

/** A module for `engine.run`: Aⁿ x. */
const TASK = `export default (engine, A, x, count) => {
  const y = engine.vector(A.rows);
  for (let product = 0; product < count; product++) {
    A.apply(x, y);
    x.copyFrom(y);
  }
  return y.toArray();
}`;

/** The suite takes half a minute on two cores, and three times as long on a busy machine. */
const CONFORMANCE_MS = 300_000;

const there = browserIsThere('sparlane in a page');

function matrixOf(url: string) {
  const { name, given } = parseGalleryUrl(url);
  return gallery(name, given);
}

/** Bits of y = 1.5 A x − 0.5 y as Node computes them. */
async function bitsInNode(url: string, format: string, dtype: Dtype): Promise<string> {
  await using engine = await createEngine({ threads: 2, binary: 'simd' });
  const A = engine.operator(matrixOf(url), { format, dtype });
  const y = engine.vector(realNumbers(A.rows, dtype, 2), { dtype });
  A.apply(realNumbers(A.cols, dtype, 1), y, 1.5, -0.5);
  return digest(y.data);
}

/** In members of 64 KiB, as bgzip writes them. */
async function matrixMarketFile(): Promise<Uint8Array> {
  const text = new Uint8Array(await new Response(writeMatrixMarket(matrixOf(SYMMETRIC))).arrayBuffer());
  const parts = Array.from({ length: Math.ceil(text.length / 65_280) }, (_, k) => text.subarray(k * 65_280));
  return Buffer.concat([...parts.map((part) => gzipSync(part.subarray(0, 65_280))), gzipSync('')]);
}

describe.runIf(there)('in Chromium', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage('test/browser/app');
  });

  afterAll(() => stage?.close());

  for (const isolated of [true, false]) {
    describe(isolated ? 'a page that is isolated' : 'a page that is not isolated', () => {
      let page: Page;

      beforeAll(async () => {
        const npz = await new Response(await write('laplace.npz', matrixOf(SYMMETRIC))).arrayBuffer();
        const files = {
          '/laplace.mtx.gz': await matrixMarketFile(),
          '/laplace.npz': new Uint8Array(npz),
          '/task.js': new TextEncoder().encode(TASK),
        };
        page = await stage.open(isolated ? ISOLATION : {}, files);
        await page.waitForFunction(() => 'checks' in window);
      });

      it('is isolated as expected', async () => {
        const facts = await page.evaluate(() => window.checks.isolated());
        expect(facts).toEqual({ isolated, sharedArrayBuffer: isolated });
      });

      it('solves in the worker, with the bits of Node, until it is told to stop', async () => {
        const system = 'gallery:laplace2d5?nx=150&ny=150';
        await using engine = await createEngine({ threads: 2, binary: 'simd' });
        const { x, iterations, decision } = solve(engine, matrixOf(system), realNumbers(22_500, 'f64', 1));
        const found = await page.evaluate(([url, rows]) => window.checks.solve(url, rows), [system, 22_500] as const);
        const bits = await digest(x.data);
        const expected = { bits, reason: 'tolerance', iterations, method: decision.method, stopped: 'stopped' };
        expect(found).toEqual(expected);
      });

      it('factors in the worker, with the bits of Node, until it is told to stop', async () => {
        const system = 'gallery:laplace2d5?nx=60&ny=60';
        await using engine = await createEngine({ threads: 2, binary: 'simd' });
        using F = factor(engine, matrixOf(system));
        const x = F.solve(realNumbers(3600, 'f64', 1));
        const large = 'gallery:laplace3d7?nx=30&ny=30&nz=30';
        const found = await page.evaluate(([url, other, rows]) => window.checks.factor(url, other, rows), [
          system,
          large,
          3600,
        ] as const);
        const { relativeResidual } = F.lastSolve!;
        expect(found).toMatchObject({ bits: await digest(x), relativeResidual, method: F.method });
        expect(found.log).toBe(F.logDeterminant.log);
        expect(found.aborted.name).toBe('AbortError');
      });

      it('runs loops in the worker, and a message costs little', async () => {
        const A = matrixOf(SYMMETRIC);
        await using engine = await createEngine({ threads: 1, binary: 'simd' });
        const operator = engine.operator(A);
        const [x, y] = [engine.vector(realNumbers(A.cols, 'f64', 1)), engine.vector(A.rows)];
        for (let product = 0; product < 3; product++) {
          operator.apply(x, y);
          x.copyFrom(y);
        }
        const found = await page.evaluate((url) => window.checks.run(url, 'task.js'), SYMMETRIC);
        expect(found).toMatchObject({ power: await digest(y.data), text: [2, 2, 2] });
        expect(found.wrong.message).toMatch(/^task: expected the URL of a module/);
        // Where vectors are in messages, the browser takes 0.5 ms for the same numbers there and back.
        expect(found.beyondMs).toBeLessThan(0.2 + 5 * found.echoMs);
      });

      for (const format of ['csr', 'csrk', 'csrk?k=3']) {
        for (const dtype of ['f64', 'f32', 'mixed'] as const) {
          it(`gives the bits of Node: ${format}, ${dtype}`, async () => {
            const expected = await bitsInNode(MATRIX, format, dtype);
            const { bits, ...facts } = await page.evaluate(
              ([url, format, dtype]) => window.checks.bits(url, format, dtype, 2),
              [MATRIX, format, dtype] as const,
            );
            expect(bits).toEqual({ vectors: expected, inPlace: expected, arrays: expected, mixture: expected });
            expect(facts).toMatchObject({ threads: isolated ? 2 : 1, shared: isolated, binary: 'simd' });
            expect(facts.format).toBe(format);
            expect(facts.info).toMatchObject({ format, dtype, field: 'real', backend: isolated ? 'threads' : 'wasm' });
            expect(facts.ranks).toEqual(isolated ? [0, 1] : [0]);
            expect(facts.hints.map(({ name }) => name)).toEqual(
              isolated ? ['copying-vectors', 'copying-vectors'] : ['not-isolated'],
            );
          });
        }
      }

      it.each([
        ['laplace.mtx.gz', 'integer symmetric'],
        ['laplace.npz', 'real general'],
      ])('reads a file by URL, fetch, stream, Blob and File: %s', async (file, facts) => {
        const A = matrixOf(SYMMETRIC);
        await using engine = await createEngine({ threads: 1 });
        const y = engine.vector(A.rows);
        engine.operator(A).apply(realNumbers(A.cols, 'f64', 1), y);
        const expected = `${A.nnz} ${facts} ${await digest(y.data)}`;
        const results = await page.evaluate((url) => window.checks.sources(url), file);
        expect(results).toEqual(
          Object.fromEntries(['url', 'URL', 'response', 'stream', 'blob', 'file'].map((name) => [name, expected])),
        );
      });

      it(
        'passes the conformance suite',
        async () => {
          const report = await page.evaluate(
            (threads) => window.checks.scenario('conformance', threads),
            isolated ? 2 : 1,
          );
          // Debian's Chromium validates both binaries; the bits above are those of the other one.
          expect(report).toMatchObject({ failures: [], binary: 'relaxed-simd', ranks: isolated ? [0, 1] : [] });
          expect((report as { checks: number }).checks).toBeGreaterThan(1000);
        },
        CONFORMANCE_MS,
      );
    });
  }
});
