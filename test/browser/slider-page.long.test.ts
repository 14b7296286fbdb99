/** The example of a slider, as a user builds it: dragged fast, it ends with the temperature of the last value. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, solve } from '#dist/index.node.js';
import { browserIsThere, ISOLATION, type Stage, setStage } from './harness.js';

/** The modules of the example are not of the project of the tests: that they pass the type checker is a test. */
const PLATE = '../../examples/slider-page/plate.ts';
const { flowOf, matrixOf, plateOf } = await import(PLATE);

/** The whole plate takes 450. */
const SIDE = 150;

describe.runIf(browserIsThere('the example of a slider'))('examples/slider-page', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage('examples/slider-page');
  });

  afterAll(() => stage?.close());

  async function open(headers: Readonly<Record<string, string>>): Promise<Page> {
    const page = await stage.open(headers);
    await page.goto(`${page.url()}?side=${SIDE}`);
    return page;
  }

  /** What the page prints for a conductivity, when it has. */
  async function printedFor(page: Page, kappa: string): Promise<string> {
    const isThere = (start: string) => document.querySelector('pre')?.textContent?.startsWith(start);
    await page.waitForFunction(isThere, `conductivity ${kappa}:`);
    return (await page.locator('pre').textContent())!;
  }

  /** Moves the slider, with an event for each value, some of which come while a solve is under way. */
  function drag(page: Page, exponents: readonly number[]): Promise<void> {
    return page.locator('input').evaluate(async (slider: HTMLInputElement, exponents) => {
      for (const exponent of exponents) {
        slider.value = String(exponent);
        slider.dispatchEvent(new Event('input'));
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
    }, exponents);
  }

  /** The flow through the plate as Node computes it. */
  async function flowInNode(kappa: number): Promise<number> {
    await using engine = await createEngine({ threads: 1 });
    const plate = plateOf(SIDE);
    using x = solve(engine, matrixOf(plate, kappa), plate.b, { rtol: 1e-10 }).x;
    return flowOf(plate, x.data);
  }

  const flowIn = (printed: string) => Number(/flow (\S+),/.exec(printed)![1]);

  it('passes the type checker', async () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const options =
      '--noEmit --strict --noUncheckedIndexedAccess --target es2022 --module esnext --moduleResolution bundler --types --skipLibCheck';
    const libraries = ['--lib', 'es2023,esnext.disposable,dom,dom.iterable'];
    const args = [tsc, ...options.split(' '), ...libraries, '--ignoreConfig', join(stage.folder, 'main.ts')];
    await promisify(execFile)(process.execPath, args, { cwd: stage.folder });
  });

  it('solves for the last value of a fast drag, and leaves out values in between', async () => {
    const page = await open(ISOLATION);
    expect(flowIn(await printedFor(page, '1.00'))).toBeCloseTo(1, 3);
    const values = Array.from({ length: 150 }, (_, k) => 3 - k / 50);
    await drag(page, [...values, 2]);
    const printed = await printedFor(page, '100');
    expect(flowIn(printed)).toBeCloseTo(await flowInNode(100), 3);
    expect(printed).not.toContain('not converged');
    expect(printed).toMatch(/, [1-9]\d? iterations\nupdate \d+ ms, solve \d+ ms, drawn in \d+ ms\n/);
    expect(printed).toMatch(/22500 unknowns, 2 threads/);
    const solves = Number(/(\d+) solves/.exec(printed)![1]);
    expect(solves).toBeGreaterThan(2);
    expect(solves).toBeLessThan(values.length);
  });

  it('draws bands from the hot side to the cold one', async () => {
    const page = await open(ISOLATION);
    await printedFor(page, '1.00');
    const reds = await page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data, width } = canvas.getContext('2d')!.getImageData(0, canvas.height >> 1, canvas.width, 1);
      return Array.from({ length: width }, (_, k) => data[4 * k]!);
    });
    expect(reds).toEqual(reds.toSorted((a, b) => b - a));
    expect(new Set(reds).size).toBe(20);
  });

  it('works on one thread without the headers', async () => {
    const page = await open({});
    await drag(page, [-2]);
    const printed = await printedFor(page, '0.0100');
    expect(flowIn(printed)).toBeCloseTo(await flowInNode(0.01), 3);
    expect(printed).toMatch(/1 threads[\s\S]*Hint: one thread instead of/);
  });
});
