/** The example: an app as a user writes it, with the package as npm installs it. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere, ISOLATION, type Stage, setStage, viteConfig } from './harness.js';

const there = browserIsThere('the example of a Vite app');

describe.runIf(there)('examples/vite-app', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage('examples/vite-app');
  });

  afterAll(() => stage?.close());

  /** Presses the button, and returns what the page has printed when it has printed a time. */
  async function multiplyOn(page: Page): Promise<string> {
    await page.waitForFunction(() => document.querySelector('pre')?.textContent?.includes('Ready'));
    await page.click('button');
    await page.waitForFunction(() => /GFLOP|Error/.test(document.querySelector('pre')?.textContent ?? ''));
    return (await page.locator('pre').textContent())!;
  }

  it('passes the type checker', async () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const options =
      '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --types --skipLibCheck';
    const libraries = ['--lib', 'es2023,esnext.disposable,dom,dom.iterable'];
    const args = [tsc, ...options.split(' '), ...libraries, '--ignoreConfig', join(stage.folder, 'main.ts')];
    await promisify(execFile)(process.execPath, args, { cwd: stage.folder });
  });

  it('works when it is built, on all threads', async () => {
    const printed = await multiplyOn(await stage.open(ISOLATION));
    expect(printed).toMatch(/490000 × 490000, 2447200 entries/);
    expect(printed).toMatch(/Sum of y: 2800\./);
    expect(printed).toMatch(/GFLOP\/s, [\d.]+ GB\/s, 2 threads/);
    expect(printed).not.toContain('Hint');
  });

  it('works when it is built, on one thread without the headers', async () => {
    const printed = await multiplyOn(await stage.open({}));
    expect(printed).toMatch(/Hint: one thread instead of \d+: .*Cross-Origin-Opener-Policy/);
    expect(printed).toMatch(/Sum of y: 2800\./);
    expect(printed).toMatch(/GFLOP\/s, [\d.]+ GB\/s, 1 threads/);
  });

  it('works while it is developed', async () => {
    const server = await createServer({ ...viteConfig(stage.folder), server: { port: 0, host: '127.0.0.1' } });
    await server.listen();
    const { port } = server.httpServer!.address() as AddressInfo;
    const page = await stage.browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    const printed = await multiplyOn(page);
    await server.close();
    expect(printed).toMatch(/Sum of y: 2800\./);
    expect(printed).toMatch(/2 threads\.$/m);
  });
});
