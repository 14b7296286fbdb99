/** The live page multiplies and solves, with and without cross-origin isolation. */
import { availableParallelism } from 'node:os';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere } from '../../test/browser/harness.js';
import { type Stage, setStage } from './browser.js';

const CORES = availableParallelism();

/** [10 0 20; 0 0 0; 0 0 30; 40 50 60], with the sums 30, 0, 30 and 150. */
const FILE = '%%MatrixMarket matrix coordinate real general\n4 3 6\n1 1 10\n1 3 20\n3 3 30\n4 1 40\n4 2 50\n4 3 60\n';

describe.runIf(browserIsThere('the live page'))('live page', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });

  afterAll(() => stage?.close());

  const textOf = (page: Page, part: string) => page.locator(`[data-live="${part}"]`).textContent();

  /** Waits for a part of the page to say something, and returns it. */
  async function said(page: Page, part: string, what: RegExp): Promise<string> {
    const isSaid = ([name, source]: [string, string]) =>
      new RegExp(`${source}|Error`).test(document.querySelector(`[data-live="${name}"]`)?.textContent ?? '');
    await page.waitForFunction(isSaid, [part, what.source] as [string, string], { timeout: 50_000 });
    const text = (await textOf(page, part))!;
    expect(text).toMatch(what);
    return text;
  }

  const PLACES: [string, (stage: Stage) => string, number][] = [
    ['isolated by headers', ({ isolated }) => `${isolated.url}live.html`, CORES],
    ['isolated by the service worker', ({ plain }) => `${plain.url}live.html`, CORES],
    ['not isolated', ({ plain }) => `${plain.url}live.html?isolation=off`, 1],
  ];

  describe.each(PLACES)('%s', (_, urlOf, threads) => {
    let page: Page;

    beforeAll(async () => {
      page = await (await stage.browser.newContext()).newPage();
      await page.goto(urlOf(stage));
      if (threads > 1) await page.waitForFunction(() => crossOriginIsolated);
      await said(page, 'engine', /Ready/);
    });

    afterAll(() => page?.context().close());

    it('uses the threads that it may', async () => {
      expect(await textOf(page, 'engine')).toMatch(new RegExp(`Ready: ${threads} thread`));
    });

    it('reads, draws, multiplies and checks a file', async () => {
      await page.setInputFiles('[data-live="file"]', { name: 'a.mtx', mimeType: '', buffer: Buffer.from(FILE) });
      await said(page, 'matrix-state', /ready/);
      expect(await textOf(page, 'found')).toMatch(/4 × 3, 6 entries, general/);
      expect(await textOf(page, 'error')).toMatch(/at most 0\.0e\+0/);
      const drawn = await page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('.live-spy')!;
        const context = canvas.getContext('2d')!;
        // 4 × 3 cells as large as fit, in the middle.
        const side = canvas.height / 4;
        const left = (canvas.width - 3 * side) / 2;
        const colours = Array.from({ length: 12 }, (_, cell) => {
          const [x, y] = [left + side * ((cell % 3) + 0.5), side * (Math.floor(cell / 3) + 0.5)];
          return context.getImageData(x, y, 1, 1).data.join();
        });
        return colours.map((colour) => (colour === colours[1] ? 0 : 1));
      });
      expect(drawn).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    });

    it('says what is wrong with a file', async () => {
      const buffer = Buffer.from(FILE.replace('1 1 10', '9 1 10'));
      await page.setInputFiles('[data-live="file"]', { name: 'a.mtx', mimeType: '', buffer });
      await said(page, 'matrix-state', /a\.mtx:3: .*9/);
    });

    it('chooses a format and times it', async () => {
      await page.click('[data-live="example"]');
      await said(page, 'matrix-state', /ready/);
      expect(await textOf(page, 'found')).toMatch(/20000 × 20000.*GFLOP\/s/);
      const error = /at most ([\d.e+-]+)/.exec((await textOf(page, 'error'))!)![1];
      expect(Number(error)).toBeLessThan(1e-14);
    });

    it('solves the heat equation to its end', async () => {
      await page.click('[data-live="heat"]');
      const text = await said(page, 'heat-state', /Mean temperature/);
      // Nearly at rest after the last step: u = ln r / ln 0.25; the nodes are spread evenly over the ring.
      expect(text).toMatch(/step 120: \d+ iterations, t = 0\.240/);
      expect(Math.abs(Number(/Mean temperature: (\d\.\d+)/.exec(text)![1]) - MEAN)).toBeLessThan(0.01);
    });
  });

  it('measures the machine', async () => {
    const page = await stage.browser.newPage();
    await page.goto(`${stage.isolated.url}live.html`);
    await said(page, 'engine', /Ready/);
    await page.click('[data-live="measure"]');
    await said(page, 'measured', /Measured\./);
    const heads = await page.locator('thead').first().textContent();
    expect(heads).toMatch(new RegExp(`you, 1.*you, ${CORES}.*ours, 1`));
    const figures = await page.locator('tbody').first().locator('td').allTextContents();
    expect(figures.every((figure) => Number(figure) > 0)).toBe(true);
  });
});

/** ∫ ln r / ln a · r dr over ∫ r dr, from a = 0.25 to 1. */
const MEAN = (() => {
  const a = 0.25;
  const integral = -1 / 4 - (a ** 2 / 2) * Math.log(a) + a ** 2 / 4;
  return integral / Math.log(a) / ((1 - a ** 2) / 2);
})();
