/** A page with a strict Content Security Policy: what an engine needs of it, and the errors that name the directive which forbids it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#dist/index.node.js';
import { browserIsThere, ISOLATION, type Stage, setStage } from './harness.js';

const there = browserIsThere('a Content Security Policy');

/** All that `docs/in-your-library.md` lists. */
const ENOUGH = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'connect-src': "'self'",
  'worker-src': "'self'",
};

describe.runIf(there)('under a Content Security Policy', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage('test/browser/app');
  });

  afterAll(() => stage?.close());

  async function open(changes: Partial<typeof ENOUGH> = {}, headers = ISOLATION, files = {}): Promise<Page> {
    const policy = Object.entries({ ...ENOUGH, ...changes }).map((directive) => directive.join(' '));
    const page = await stage.open({ ...headers, 'Content-Security-Policy': policy.join('; ') }, files);
    await page.waitForFunction(() => 'checks' in window);
    return page;
  }

  /** The script of the engine's worker, or of its threads, with its path in the page. */
  function assetOf(name: 'worker' | 'member'): string {
    const file = readdirSync(join(stage.folder, 'dist/assets')).find((file) => file.startsWith(`${name}.browser-`));
    return `assets/${file}`;
  }

  /** The errors of an engine in the window and of one in a worker, without what the browser says and the address of the site. */
  async function failures(page: Page): Promise<{ code: string | undefined; message: string }[]> {
    const site = new URL(page.url()).origin;
    const found = await page.evaluate(async () => [
      await window.checks.failure(window.checks.inWindow(1)),
      await window.checks.failure(window.createAsyncEngine({ threads: 2 })),
    ]);
    return found.map(({ code, message }) => ({ code, message: message.replaceAll(site, 'SITE') }));
  }

  it('an engine in the window, and one in a worker with threads, need these directives', async () => {
    const page = await open();
    expect(await page.evaluate(() => window.checks.inWindow(1))).toMatchObject({ threads: 1, y: [1, 6] });
    const y = await page.evaluate(() =>
      window.checks.withEngine({ threads: 2 }, async (engine) => {
        const A = await engine.operator({ rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1] });
        const B = await engine.operator({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [4] });
        const { x } = await engine.solve(B, [8]);
        const { message } = await window.checks.failure(engine.run(() => 1, []));
        return { threads: engine.threads, y: [...(await A.apply([1, 2]))], x: x[0], message };
      }),
    );
    // Only functions as texts need more.
    expect(y).toEqual({
      threads: 2,
      y: [3],
      x: 2,
      message: expect.stringContaining("allow 'unsafe-eval', or give the URL of a module"),
    });
  });

  it('an engine in the window with one thread needs neither workers nor isolation', async () => {
    const page = await open({ 'worker-src': "'none'" }, {});
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    expect(await page.evaluate(() => window.checks.inWindow(1))).toMatchObject({ threads: 1, y: [1, 6], hints: [] });
  });

  it('an engine in one file needs no other file: examples/one-file as a plain script', async () => {
    const example = fileURLToPath(new URL('../../examples/one-file/build.mjs', import.meta.url));
    execFileSync(process.execPath, [example, stage.folder, 'iife']);
    const script = readFileSync(join(stage.folder, 'fast.js'));
    const page = await open({ 'connect-src': "'none'", 'worker-src': "'none'" }, {}, { '/fast.js': script });
    await page.addScriptTag({ url: '/fast.js' });
    const y = await page.evaluate(async () => {
      const { fast } = globalThis as unknown as { fast: { startEngine(): Promise<Engine> } };
      const engine = await fast.startEngine();
      const y = new Float64Array(2);
      engine
        .operator([
          [4, 1],
          [1, 3],
        ])
        .apply([1, 2], y);
      return [engine.threads, ...y];
    });
    expect(y).toEqual([1, 6, 7]);
  });

  it("without 'wasm-unsafe-eval' the error names it", async () => {
    const [inWindow, inWorker] = await failures(await open({ 'script-src': "'self'" }));
    const cure = (place: string) =>
      `; let script-src in the Content Security Policy of SITE/${place} allow 'wasm-unsafe-eval'`;
    expect(inWindow!.code).toBe('kernel');
    expect(inWindow!.message.endsWith(cure(''))).toBe(true);
    expect(inWorker!.code).toBe('kernel');
    // A worker has the policy of its own response.
    expect(inWorker!.message.endsWith(cure(assetOf('worker')))).toBe(true);
  });

  it('without connect-src the error names it', async () => {
    const [inWindow, inWorker] = await failures(await open({ 'connect-src': "'none'" }));
    const cure = (place: string) =>
      new RegExp(`; let connect-src in .* of SITE/${place} allow SITE/assets/kernels\\.[-.\\w]+\\.wasm$`);
    expect(inWindow).toEqual({ code: 'kernel', message: expect.stringMatching(cure('')) });
    expect(inWorker).toEqual({ code: 'kernel', message: expect.stringMatching(cure(assetOf('worker'))) });
  });

  it('without worker-src the error of createAsyncEngine names it', async () => {
    const [, inWorker] = await failures(await open({ 'worker-src': "'none'" }));
    const got = 'worker: expected a script that loads, got a refusal of the browser';
    const cure = `let worker-src in the Content Security Policy of SITE/ allow SITE/${assetOf('worker')}`;
    expect(inWorker).toEqual({ code: 'backend', message: `${got}; ${cure}` });
  });

  it('so does the error of the threads, which the worker starts', async () => {
    const worker = assetOf('worker');
    const [, inWorker] = await failures(await open({ 'worker-src': `http://127.0.0.1:*/${worker}` }));
    const got = 'member: expected a script that loads, got a refusal of the browser';
    const cure = `let worker-src in the Content Security Policy of SITE/${worker} allow SITE/${assetOf('member')}`;
    expect(inWorker).toEqual({ code: 'backend', message: `${got}; ${cure}` });
  });
});
