/** The example of a bridge that swings, as a user builds it: it moves, and has the frequencies of the last mass after a fast drag. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, eigs } from '#dist/index.node.js';
import { browserIsThere, ISOLATION, type Stage, setStage } from './harness.js';

/** The module of the example is not of the project of the tests: that it passes the type checker is a test. */
const BRIDGE = '../../examples/truss-modes/page/bridge.js';
const { bridgeOf, frequencyOf, matricesOf } = await import(BRIDGE);

describe.runIf(browserIsThere('the example of a bridge'))('examples/truss-modes/page', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage('examples/truss-modes/page');
  });

  afterAll(() => stage?.close());

  /** Waits until the page has printed its answer for a mass, and returns that. */
  async function printedFor(page: Page, tonnes: number): Promise<string> {
    const isThere = (start: string) => document.querySelector('pre')?.textContent?.startsWith(start);
    await page.waitForFunction(isThere, `train ${tonnes} t:`);
    return (await page.locator('pre').textContent())!;
  }

  /** Moves a slider, with an event for each value, some of which come while a search is under way. */
  function drag(page: Page, slider: string, values: readonly number[]): Promise<void> {
    return page.locator(slider).evaluate(async (slider: HTMLInputElement, values) => {
      for (const value of values) {
        slider.value = String(value);
        slider.dispatchEvent(new Event('input'));
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
    }, values);
  }

  async function frequenciesInNode(tonnes: number): Promise<string> {
    await using engine = await createEngine({ threads: 1 });
    const { K, M } = matricesOf(bridgeOf(), 1000 * tonnes);
    const { values, vectors } = eigs(engine, K, 12, { B: M });
    vectors.dispose();
    return Array.from(values, (value) => frequencyOf(value).toFixed(3)).join(', ');
  }

  /** The pixels of the canvas that are drawn, as a text. */
  const pictureOf = (page: Page) =>
    page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return Array.from({ length: data.length / 4 }, (_, k) => (data[4 * k + 3]! > 0 ? '1' : '0')).join('');
    });

  it('passes the type checker', async () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const options =
      '--noEmit --strict --allowJs --checkJs --noUncheckedIndexedAccess --target es2022 --module esnext --moduleResolution bundler --types --skipLibCheck';
    const libraries = ['--lib', 'es2023,esnext.disposable,dom,dom.iterable'];
    const args = [tsc, ...options.split(' '), ...libraries, '--ignoreConfig', join(stage.folder, 'main.ts')];
    await promisify(execFile)(process.execPath, args, { cwd: stage.folder });
  });

  it('finds the modes for the last mass of a fast drag, and leaves out masses in between', async () => {
    const page = await stage.open(ISOLATION);
    expect(await printedFor(page, 0)).toContain(`train 0 t: ${await frequenciesInNode(0)} Hz\n`);
    const masses = Array.from({ length: 100 }, (_, k) => 200 - k);
    await drag(page, '#load', [...masses, 30]);
    const printed = await printedFor(page, 30);
    expect(printed).toContain(`train 30 t: ${await frequenciesInNode(30)} Hz\n`);
    expect(printed).toMatch(/\nshift-invert, tolerance, \d+ ms\n/);
    expect(printed).toMatch(/1209 unknowns, 2 threads/);
    const searches = Number(/(\d+) searches/.exec(printed)![1]);
    expect(searches).toBeGreaterThan(1);
    expect(searches).toBeLessThan(masses.length);
  });

  it('swings in the mode that is chosen', async () => {
    const page = await stage.open(ISOLATION);
    const printed = await printedFor(page, 0);
    const third = /train 0 t: \S+, \S+, (\S+),/.exec(printed)![1];
    await drag(page, '#mode', [3]);
    await page.waitForFunction((text) => document.querySelector('#mode-shown')?.textContent === text, `3, ${third} Hz`);
    const before = await pictureOf(page);
    expect(before.match(/1/g)!.length).toBeGreaterThan(2000);
    await page.waitForTimeout(300);
    expect(await pictureOf(page)).not.toBe(before);
  });

  it('works on one thread without the headers', async () => {
    const page = await stage.open({});
    expect(await printedFor(page, 0)).toMatch(/1 threads[\s\S]*Hint: one thread instead of/);
  });
});
