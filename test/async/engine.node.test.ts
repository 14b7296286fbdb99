/** The asynchronous engine in Node: products, signals, and its end. In pages: `test/browser`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import { availableCores } from '#dist/execution/cores.node.js';
import { createEngine, gallery, writeMatrixMarket } from '#dist/index.node.js';

const ENTRY = new URL('../../dist/async/index.node.js', import.meta.url).href;
const SCRIPT = new URL('../../dist/async/worker.node.cjs', import.meta.url);
const SWAP = { rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [3, -2] };

describe('the asynchronous engine', () => {
  let engine: AsyncEngine;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 2, binary: 'simd' });
  });
  afterAll(() => engine.dispose());

  test('has the bits of the synchronous one, for every way of passing vectors', async () => {
    const matrix = gallery('banded', { rows: 20_000, perRow: 9 });
    await using here = await createEngine({ threads: 2, binary: 'simd' });
    const numbers = Float64Array.from({ length: 20_000 }, (_, i) => Math.sin(i));
    const expected = new Float64Array(20_000).fill(1);
    here.operator(matrix, { format: 'csr' }).apply(numbers, expected, 1.5, -0.5);
    const A = await engine.operator(matrix, { format: 'csr' });
    const x = await engine.vector(numbers);
    const y = await engine.vector(new Float64Array(20_000).fill(1));
    expect(await A.apply(x, y, 1.5, -0.5)).toBe(y.data);
    expect(y.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(y.data).toEqual(expected);
    expect(await A.apply(numbers, new Float64Array(20_000).fill(1), 1.5, -0.5)).toEqual(expected);
    expect(engine).toMatchObject({ threads: 2, shared: true, binary: 'simd' });
  });

  test('leaves a core to the event loop, unless told otherwise', async () => {
    await using other = await createAsyncEngine();
    expect(other.threads).toBe(Math.max(1, availableCores() - 1));
  });

  test('products run in the order of the calls', async () => {
    const A = await engine.operator(SWAP);
    const [x, y, z] = await Promise.all([engine.vector([1, 2]), engine.vector(2), engine.vector(2)]);
    void A.apply(x, y);
    void A.apply(y, z);
    await A.apply(z, x);
    expect([...x.data]).toEqual([-36, 12]);
  });

  test('reads files by path and URL, bytes and streams', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sparlane-async-'));
    const path = join(folder, 'swap.mtx');
    const bytes = new Uint8Array(await new Response(writeMatrixMarket(SWAP)).arrayBuffer());
    await writeFile(path, bytes);
    const sources = [
      path,
      new URL(`file://${path}`),
      new Blob([bytes]),
      new Blob([bytes]).stream(),
      new Response(bytes),
    ];
    for (const file of sources) {
      const A = await engine.operator({ file });
      expect([...(await A.apply(Float64Array.of(1, 2)))]).toEqual([6, -2]);
    }
    await rm(folder, { recursive: true });
    await expect(engine.operator({ file: path })).rejects.toMatchObject({ code: 'parse' });
  });

  test('no product of the worker delays the event loop', async () => {
    const A = await engine.operator({ gallery: 'gallery:laplace2d5?nx=1000&ny=1000' }, { format: 'coo' });
    const [x, y] = [await engine.vector(A.cols), await engine.vector(A.rows)];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    delay.enable();
    const begin = performance.now();
    await Promise.all(Array.from({ length: 32 }, () => A.apply(x, y)));
    const elapsed = performance.now() - begin;
    delay.disable();
    isOver = true;
    await counting;
    // Blocked by a product, it would turn 32 times.
    expect(turns).toBeGreaterThan(200);
    expect(delay.percentile(50) / 1e6).toBeLessThan(elapsed / 4);
  });

  test('a product that is aborted before its turn is not computed', async () => {
    const A = await engine.operator(SWAP);
    const [x, y] = [await engine.vector([1, 2]), await engine.vector([5, 5])];
    const controller = new AbortController();
    const reason = new Error('enough');
    const busy = engine.run(() => {
      for (const end = performance.now() + 50; performance.now() < end; );
    }, []);
    const product = A.apply(x, y, 1, 0, { signal: controller.signal });
    controller.abort(reason);
    await expect(product).rejects.toBe(reason);
    await busy;
    await engine.status();
    // The order to cancel comes after the product, which may have been computed; it was not if the worker was busy until then.
    expect([
      [5, 5],
      [6, -2],
    ]).toContainEqual([...y.data]);
    await expect(A.apply(x, y, 1, 0, { signal: 5 as never })).rejects.toThrow(/^signal: expected an AbortSignal/);
  });

  test('engines, operators and vectors are not cloned silently', async () => {
    const A = await engine.operator(SWAP);
    const x = await engine.vector(2);
    await using here = await createEngine({ threads: 1 });
    const [B, v] = [here.operator(SWAP), here.vector(2)];
    for (const [name, object] of Object.entries({
      engine,
      here,
      operator: A,
      B,
      vector: x,
      v,
      scalar: here.scalar(),
    })) {
      expect(() => structuredClone(object), name).toThrow(
        /Symbol\((engine|operator|vector|scalar) of one thread; .*could not be cloned/,
      );
    }
    await expect(engine.operator(B as never)).rejects.toMatchObject({ code: 'argument' });
  });

  test.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['an option', () => createAsyncEngine({ threds: 2 } as never), 'argument', /threds/],
    ['threads', () => createAsyncEngine({ threads: 0 }), 'argument', /^threads: expected/],
    ['worker', () => createAsyncEngine({ worker: 'worker.js' }), 'argument', /^worker: expected an absolute URL/],
    [
      'a script that is missing',
      () => createAsyncEngine({ worker: new URL('./none.js', import.meta.url) }),
      'backend',
      /^worker: expected a script that loads, got .*none\.js.*option `worker`$/,
    ],
    [
      'a script that is none',
      () => createAsyncEngine({ worker: new URL('data:text/javascript,throw new Error("on purpose")') }),
      'backend',
      /^worker: expected a script that loads, got .*on purpose/,
    ],
    ['onHint', () => createAsyncEngine({ onHint: 5 as never }), 'argument', /^onHint: /],
  ])('a clear error: %s', async (_, call, code, message) => {
    await expect(call()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('rejects what is open when its worker ends, and from then on', async () => {
    const worker = new Worker(SCRIPT);
    const lost = await createAsyncEngine({ worker, threads: 2 });
    const open = lost.operator({ file: new ReadableStream() });
    await lost.status();
    await worker.terminate();
    await expect(open).rejects.toMatchObject({ code: 'backend', message: expect.stringContaining("engine's worker") });
    await expect(lost.vector(1)).rejects.toMatchObject({ code: 'backend' });
    await lost.dispose();
  });

  test('is disposed by its signal, and then rejects', async () => {
    const controller = new AbortController();
    const short = await createAsyncEngine({ threads: 2, signal: controller.signal });
    const endless = short.solve({ gallery: 'gallery:laplace2d5?nx=200&ny=200' }, new Float64Array(40_000).fill(1), {
      rtol: 0,
      maxIterations: 1e6,
    });
    controller.abort();
    await expect(short.vector(1)).rejects.toThrow('a disposed engine');
    await expect(endless).rejects.toThrow('a disposed engine');
    await short.dispose();
    await expect(createAsyncEngine({ signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('an idle engine lets the program end, an open request does not', async () => {
    const program = `
      import { createAsyncEngine } from ${JSON.stringify(ENTRY)};
      const engine = await createAsyncEngine({ threads: 2 });
      const A = await engine.operator({ gallery: 'gallery:laplace2d5?nx=300&ny=300' });
      engine.solve(A, new Float64Array(A.rows).fill(1)).then(({ converged }) => console.log(converged));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 30_000,
    });
    expect(stdout.trim()).toBe('true');
  });
});
