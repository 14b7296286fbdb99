/** The engine as seen by a page: errors, signals, and its end. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere, ISOLATION, type Stage, setStage } from './harness.js';

const there = browserIsThere('the façade of a page');

describe.runIf(there)('the façade in Chromium', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await setStage('test/browser/app');
    const broken = new TextEncoder().encode('%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n');
    const text = (body: string) => new TextEncoder().encode(body);
    page = await stage.open(ISOLATION, {
      '/broken.mtx': broken,
      '/complex.mtx': text('%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n'),
      '/page.html': text('<!doctype html>'),
      '/throws.js': text('throw new Error("on purpose");'),
      '/silent.js': text('export {};'),
      '/html.wasm': text('<!doctype html>'),
    });
    await page.waitForFunction(() => 'checks' in window);
  });

  afterAll(() => stage?.close());

  it('rejects with the errors of the engine, and stays usable', async () => {
    const failures = await page.evaluate(() =>
      window.checks.withEngine({}, async (engine) => {
        const { failure } = window.checks;
        const csr = { rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [0, 1] };
        const A = await engine.operator(csr);
        const disposed = await engine.vector(2);
        disposed.dispose();
        const other = await window.createAsyncEngine({ threads: 1 });
        const foreign = await other.vector(2);
        const failures = {
          length: await failure(A.apply(new Float64Array(3))),
          resultLength: await failure(A.apply(new Float64Array(2), new Float64Array(3))),
          type: await failure(A.apply(new Int32Array(2) as never)),
          resultType: await failure(A.apply(new Float64Array(2), new Float32Array(2))),
          alpha: await failure(A.apply(new Float64Array(2), undefined, Number.NaN)),
          noResult: await failure(A.apply(new Float64Array(2), undefined, 1, 1)),
          disposed: await failure(A.apply(disposed)),
          foreign: await failure(A.apply(foreign)),
          format: await failure(engine.operator(csr, { format: 'cssr' })),
          option: await failure(engine.operator(csr, { fromat: 'csr' } as object)),
          structure: await failure(engine.operator({ ...csr, colIdx: [0, 2] })),
          clone: await failure(engine.operator({ ...csr, rowPtr: (() => {}) as never })),
          gallery: await failure(engine.operator({ gallery: 'gallery:nope' })),
          missing: await failure(engine.operator({ file: 'missing.mtx' })),
          broken: await failure(engine.operator({ file: 'broken.mtx' })),
          heap: await failure(engine.vector(2 ** 30)),
        };
        await other.dispose();
        return { ...failures, after: [...(await A.apply(Float64Array.of(3, 4)))] };
      }),
    );
    const { after, ...rest } = failures;
    const codes = Object.fromEntries(Object.entries(rest).map(([name, { code }]) => [name, code]));
    expect(codes).toEqual({
      length: 'shape',
      resultLength: 'shape',
      type: 'argument',
      resultType: 'argument',
      alpha: 'argument',
      noResult: 'argument',
      disposed: 'argument',
      foreign: 'argument',
      format: 'argument',
      option: 'argument',
      structure: 'structure',
      clone: 'argument',
      gallery: 'argument',
      missing: 'parse',
      broken: 'parse',
      heap: 'heap',
    });
    expect(failures.missing.message).toContain('HTTP status 404');
    expect(failures.broken.message).toMatch(/broken\.mtx.*3/);
    expect(failures.broken.detail).toMatchObject({ line: 3 });
    expect(failures.heap.detail).toMatchObject({ bytesAsked: 2 ** 33 });
    expect(after).toEqual([3, 4]);
  });

  it('complex matrices: an operator, a solve, and a file', async () => {
    const found = await page.evaluate(() =>
      window.checks.withEngine({ complex: true }, async (engine) => {
        // [2 + i, −i; −i, 3]
        const rows = { rows: 2, cols: 2, rowPtr: [0, 2, 4], colIdx: [0, 1, 0, 1] };
        const matrix = { ...rows, values: [2, 1, 0, -1, 0, -1, 3, 0], field: 'complex' } as const;
        const A = await engine.complexOperator(matrix);
        const { x, converged } = await engine.solve(A, [3, 1, 0, 2], { method: 'cocg', preconditioner: 'none' });
        const B = await engine.complexOperator({ file: 'complex.mtx' });
        const failure = await window.checks.failure(engine.operator({ file: 'complex.mtx' }));
        const product = await A.apply([1, 0, 0, 1], undefined, { re: 0, im: 1 });
        return { x: [...x], converged, product: [...product], nnz: B.nnz, failure };
      }),
    );
    // A (1, i) = (3 + i, 2 i)
    expect(found.product).toEqual([-1, 3, -2, 0]);
    expect(found.converged).toBe(true);
    for (const [k, value] of [1, 0, 0, 1].entries()) expect(found.x[k]).toBeCloseTo(value, 7);
    expect(found.nnz).toBe(4);
    expect(found.failure).toMatchObject({ code: 'parse' });
  });

  it('rejects if the engine cannot be created, and leaves nothing running', async () => {
    const failures = await page.evaluate(async () => {
      const { failure } = window.checks;
      return {
        option: await failure(window.createAsyncEngine({ threds: 2 } as object)),
        threads: await failure(window.createAsyncEngine({ threads: 0 })),
        signal: await failure(window.createAsyncEngine({ signal: 5 as never })),
        onHint: await failure(window.createAsyncEngine({ onHint: 5 as never })),
        aborted: await failure(window.createAsyncEngine({ signal: AbortSignal.abort() })),
        left: await window.checks.lifelines(),
      };
    });
    expect(failures.option).toMatchObject({ code: 'argument', message: expect.stringContaining('threds') });
    expect(failures.threads).toMatchObject({ code: 'argument' });
    expect(failures.signal).toMatchObject({ code: 'argument', message: expect.stringMatching(/^signal: /) });
    expect(failures.onHint).toMatchObject({ code: 'argument', message: expect.stringMatching(/^onHint: /) });
    expect(failures.aborted).toMatchObject({ name: 'AbortError' });
    expect(failures.left).toBe(0);
  });

  it.each([
    ['missing.js', 'HTTP status 404 from SITE/missing.js'],
    ['page.html', 'text/html from SITE/page.html'],
    ['throws.js', 'Uncaught Error: on purpose'],
    ['http://127.0.0.1:1/other-origin.js', expect.stringContaining('SecurityError')],
  ])('a script that is not one is an error that names its option: %s', async (url, got) => {
    const { worker, member, left } = await page.evaluate(async (url) => {
      const { failure, lifelines } = window.checks;
      const worker = await failure(window.createAsyncEngine({ worker: url }));
      const member = await failure(window.createAsyncEngine({ member: url, threads: 2 }));
      return { worker, member, left: await lifelines() };
    }, url);
    const site = new URL(page.url()).origin;
    for (const [option, { code, message }] of Object.entries({ worker, member })) {
      const [, what, reason, advice] = /^(.*): expected a script that loads, got (.*); (.*)$/.exec(message)!;
      expect(code).toBe('backend');
      expect(what).toBe(option);
      expect(reason!.replace(site, 'SITE')).toEqual(got);
      expect(advice).toBe(`pass its URL as the option \`${option}\``);
    }
    expect(left).toBe(0);
  });

  it('so is a script of which only the browser knows the URL', async () => {
    const { code, message } = await page.evaluate(() => {
      const worker = new Worker('missing.js', { type: 'module' });
      return window.checks.failure(window.createAsyncEngine({ worker }));
    });
    expect(code).toBe('backend');
    expect(message).toBe(
      'worker: expected a script that loads, got an error without a reason; pass its URL as the option `worker`',
    );
  });

  it('invalid kernels are an error that names their option', async () => {
    const failures = await page.evaluate(async () => {
      const { failure } = window.checks;
      return {
        missing: await failure(window.createAsyncEngine({ wasm: 'missing.wasm' })),
        html: await failure(window.createAsyncEngine({ wasm: 'html.wasm' })),
      };
    });
    const site = new URL(page.url()).origin;
    const text = (got: string) =>
      `wasm: expected the WebAssembly kernels, got ${got}; pass their URL as the option \`wasm\``;
    expect(failures.missing).toMatchObject({
      code: 'kernel',
      message: text(`HTTP status 404 from ${site}/missing.wasm`),
    });
    expect(failures.html.code).toBe('kernel');
    const [, reason] = /\((.*)\)/.exec(failures.html.message)!;
    expect(failures.html.message).toBe(text(`application/wasm (${reason}) from ${site}/html.wasm`));
    expect(reason).toContain('magic');
  });

  it('invalid URLs are refused', async () => {
    const failures = await page.evaluate(async () => {
      const { failure } = window.checks;
      return {
        worker: await failure(window.createAsyncEngine({ worker: 'http://' })),
        member: await failure(window.createAsyncEngine({ member: 'http://' })),
        wasm: await failure(window.createAsyncEngine({ wasm: 'http://' })),
      };
    });
    for (const [option, failure] of Object.entries(failures)) {
      expect(failure).toMatchObject({ code: 'argument', message: `${option}: expected a URL, got 'http://'` });
    }
  });

  it('a script that does not answer is an error, not a hang', async () => {
    const alone = await stage.browser.newPage();
    await alone.clock.install();
    await alone.goto(page.url());
    await alone.waitForFunction(() => 'checks' in window);
    const failing = alone.evaluate(() => window.checks.failure(window.createAsyncEngine({ worker: 'silent.js' })));
    await alone.clock.runFor(31_000);
    expect(await failing).toMatchObject({ code: 'backend', message: expect.stringMatching(/^worker: .* silence for/) });
    await alone.close();
  });

  it('moves CSR arrays only on request', async () => {
    const lengths = await page.evaluate(() =>
      window.checks.withEngine({}, async (engine) => {
        const csr = { rows: 1, cols: 2, rowPtr: Uint32Array.of(0, 2), colIdx: Uint32Array.of(0, 1) };
        const lengths: number[] = [];
        for (const transfer of [false, true]) {
          const A = await engine.operator(csr, { transfer });
          lengths.push(csr.rowPtr.length, csr.colIdx.length, (await A.apply(Float64Array.of(3, 4)))[0]!);
        }
        return lengths;
      }),
    );
    expect(lengths).toEqual([2, 2, 7, 0, 0, 7]);
  });

  it('takes compressed columns and coordinates, copied or moved', async () => {
    const found = await page.evaluate(() =>
      window.checks.withEngine({}, async (engine) => {
        const found: number[][] = [];
        for (const transfer of [false, true]) {
          const csc = { rows: 1, cols: 2, colPtr: Uint32Array.of(0, 1, 2), rowIdx: Uint32Array.of(0, 0) };
          const coo = {
            rows: 1,
            cols: 2,
            rowIdx: [0, 0],
            colIdx: BigInt64Array.of(1n, 0n),
            values: Float64Array.of(5, 2),
          };
          const fromColumns = await engine.operator(csc, { transfer });
          const fromEntries = await engine.operator(coo, { transfer });
          const x = Float64Array.of(3, 4);
          found.push([(await fromColumns.apply(x))[0]!, csc.colPtr.length, csc.rowIdx.length]);
          found.push([(await fromEntries.apply(x))[0]!, coo.colIdx.length, coo.values.length]);
        }
        return found;
      }),
    );
    expect(found).toEqual([
      [7, 3, 2],
      [26, 2, 2],
      [7, 0, 0],
      [26, 0, 0],
    ]);
  });

  it('takes views of parts of buffers', async () => {
    const result = await page.evaluate(() =>
      window.checks.withEngine({}, async (engine) => {
        const indices = Uint32Array.of(9, 0, 2, 0, 1, 9);
        const numbers = Float64Array.of(9, 5, 6, 3, 4, 9);
        const csr = { rows: 1, cols: 2, rowPtr: indices.subarray(1, 3), colIdx: indices.subarray(3, 5) };
        const A = await engine.operator({ ...csr, values: numbers.subarray(1, 3) });
        const x = await engine.vector(numbers.subarray(3, 5));
        await A.apply(numbers.subarray(3, 5), numbers.subarray(0, 1));
        return { y: [...(await A.apply(x))], numbers: [...numbers] };
      }),
    );
    expect(result).toEqual({ y: [39], numbers: [39, 5, 6, 3, 4, 9] });
  });

  it('vectors made before the memory grew stay valid', async () => {
    const result = await page.evaluate(() =>
      window.checks.withEngine({}, async (engine) => {
        const A = await engine.operator({ rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1] });
        const x = await engine.vector([1, 2]);
        const y = await engine.vector(1);
        const before = await engine.status();
        const large = await engine.vector(1e7);
        large.data[1e7 - 1] = 5;
        x.data[0] = 40;
        await A.apply(x, y);
        const after = await engine.status();
        large.dispose();
        return { y: y.data[0], grown: after.byteLength > before.byteLength, left: await engine.status(), before };
      }),
    );
    expect(result).toMatchObject({ y: 42, grown: true, left: { bytesInUse: result.before.bytesInUse } });
  });

  it('stops reading when its signal is aborted', async () => {
    const result = await page.evaluate(() =>
      window.checks.withEngine({}, async (engine) => {
        const { failure } = window.checks;
        const before = await engine.status();
        const silent = new ReadableStream<Uint8Array>();
        const controller = new AbortController();
        const reading = failure(engine.operator({ file: silent }, { signal: controller.signal }));
        const large = { gallery: 'gallery:laplace2d5?nx=600&ny=600' };
        const making = failure(engine.operator(large, { signal: controller.signal }));
        setTimeout(() => controller.abort(new Error('enough')));
        const failures = [await reading, await making];
        return { failures, before, after: await engine.status() };
      }),
    );
    expect(result.failures).toEqual(Array(2).fill({ name: 'Error', message: 'enough' }));
    expect(result.after.bytesInUse).toBe(result.before.bytesInUse);
  });

  it('ends with the signal of the engine, and rejects from then on', async () => {
    const result = await page.evaluate(async () => {
      const { failure, lifelines } = window.checks;
      const controller = new AbortController();
      const engine = await window.createAsyncEngine({ threads: 2, signal: controller.signal });
      const before = await lifelines();
      controller.abort();
      const late = await failure(engine.vector(1));
      await engine.dispose();
      return { before, late, after: await lifelines() };
    });
    expect(result.before).toBe(2);
    expect(result.late).toMatchObject({ code: 'argument', message: expect.stringContaining('a disposed engine') });
    expect(result.after).toBe(0);
  });

  it('a stray error of a function ends its own call, and the engine goes on', async () => {
    const result = await page.evaluate(() =>
      window.checks.withEngine({ threads: 1 }, async (engine, hints) => {
        const { failure } = window.checks;
        const thrown = await failure(
          engine.run(async () => {
            setTimeout(() => {
              throw new RangeError('a stray exception');
            });
            await new Promise(() => {});
          }, []),
        );
        const rejected = await failure(
          engine.run(async () => {
            void Promise.reject(new RangeError('a stray rejection'));
            await new Promise(() => {});
          }, []),
        );
        hints.length = 0;
        const done = await engine.run(() => {
          setTimeout(() => {
            throw new Error('too late');
          }, 50);
          return 'done';
        }, []);
        for (let turn = 0; turn < 200 && hints.length === 0; turn++)
          await new Promise((resolve) => setTimeout(resolve, 10));
        const A = await engine.operator({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] });
        const y = [...(await A.apply(Float64Array.of(3)))];
        return { thrown, rejected, done, strays: hints.filter(({ name }) => name === 'stray-error'), y };
      }),
    );
    expect(result).toMatchObject({
      thrown: { name: 'RangeError', message: 'a stray exception' },
      rejected: { name: 'RangeError', message: 'a stray rejection' },
      done: 'done',
      strays: [{ message: expect.stringContaining('too late') }],
      y: [6],
    });
  });

  it('refuses more requests than may wait', async () => {
    const result = await page.evaluate(() =>
      window.checks.withEngine({ threads: 1, queue: 4 }, async (engine) => {
        const A = await engine.operator({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] });
        const { failure } = window.checks;
        const all = Array.from({ length: 22 }, () => failure(A.apply(Float64Array.of(3))));
        const busy = (await Promise.all(all)).filter(({ code }) => code === 'busy').length;
        return { busy, y: [...(await A.apply(Float64Array.of(3)))] };
      }),
    );
    expect(result).toEqual({ busy: 2, y: [6] });
  });

  it('rejects pending calls when its worker dies; a bundler may name the scripts', async () => {
    const result = await page.evaluate(async () => {
      const { failure, lifelines, scripts } = window.checks;
      const { worker: url, member } = scripts();
      const worker = new Worker(url, { type: 'module' });
      const engine = await window.createAsyncEngine({ worker, member, threads: 2 });
      const pending = failure(engine.operator({ file: new ReadableStream() }));
      await engine.status();
      worker.terminate();
      const failures = [await pending, await failure(engine.vector(1))];
      await engine.dispose();
      // A browser gives a worker inside, which waits for a product, two seconds more.
      for (let turn = 0; turn < 500 && (await lifelines()) > 0; turn++)
        await new Promise((turn) => setTimeout(turn, 10));
      return { failures, threads: engine.threads, left: await lifelines() };
    });
    for (const failure of result.failures) expect(failure).toMatchObject({ code: 'backend' });
    expect(result).toMatchObject({ threads: 2, left: 0 });
  });

  it('an engine in the window computes on one thread, with a hint', async () => {
    const result = await page.evaluate(() => window.checks.inWindow(2));
    expect(result).toMatchObject({ threads: 1, y: [1, 6] });
    expect(result.hints[0]!.message).toContain('sparlane/async');
    expect(await page.evaluate(() => window.checks.inWindow(1))).toMatchObject({ threads: 1, y: [1, 6], hints: [] });
  });
});
