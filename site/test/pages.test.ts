/** axe finds nothing on the main pages, in light and dark, narrow and wide; every page opens without an error, and shows what it should. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere } from '../../test/browser/harness.js';
import { type Stage, setStage } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAGES = [
  'index',
  'start',
  'docs/solving',
  'docs/coming-from',
  'docs/platforms',
  'docs/multigrid',
  'cookbook',
  'live',
  'reports',
  'papers',
  'limits',
  'api/index',
  'api/sparlane/functions/cg',
];
/** Contrasts take most of the time: a page shows them in light colours in one width and in dark ones in the other, in turn. All else is tried in both widths. */
const CONTRAST = 'color-contrast';
const viewsOf = (k: number) => {
  const [one, other] = k % 2 === 0 ? [400, 1400] : [1400, 400];
  return [
    { colorScheme: 'light', width: one, options: {} },
    { colorScheme: 'light', width: other, options: { rules: { [CONTRAST]: { enabled: false } } } },
    { colorScheme: 'dark', width: other, options: { runOnly: [CONTRAST] } },
  ] as const;
};

describe.runIf(browserIsThere('the site'))('pages', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });

  afterAll(() => stage?.close());

  it.each(PAGES.map((name, k) => [name, viewsOf(k)] as const))('%s', async (name, views) => {
    const context = await stage.browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${stage.isolated.url}${name}.html`, { waitUntil: 'networkidle' });
    await page.evaluate(AXE);
    for (const { colorScheme, width, options } of views) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
      expect(await violations(page, options)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});

/** What axe finds. */
function violations(page: Page, options: object): Promise<string[]> {
  return page.evaluate(async (given) => {
    const found = await (globalThis as unknown as { axe: Axe }).axe.run(given);
    return found.violations.map(({ id, nodes }) => {
      const first = nodes.slice(0, 3).map(({ html }) => html.slice(0, 200));
      return `${id}: ${first.join(' | ')}`;
    });
  }, options);
}

describe.runIf(browserIsThere('the site'))('what the pages show', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await setStage();
    page = await stage.browser.newPage({ viewport: { width: 1280, height: 900 } });
  });

  afterAll(() => stage?.close());

  const open = (name: string) => page.goto(`${stage.isolated.url}${name}.html`, { waitUntil: 'networkidle' });

  it('code of 100 characters at 1280 pixels', async () => {
    await open('docs/coming-from');
    const lines = await page.evaluate(() => {
      const pre = document.querySelector('.vp-doc div[class*=language-] pre')!;
      const widest = [...pre.querySelectorAll('.line')].filter(({ textContent }) => textContent!.length <= 100);
      const row = Number.parseFloat(getComputedStyle(pre).lineHeight);
      return { count: widest.length, whole: widest.every((line) => line.getBoundingClientRect().height < 1.5 * row) };
    });
    expect(lines.count).toBeGreaterThan(80);
    expect(lines.whole).toBe(true);
  });

  it('programs without a part that scrolls, on a narrow page too', async () => {
    const narrow = await stage.browser.newPage({ viewport: { width: 390, height: 844 } });
    await narrow.goto(`${stage.isolated.url}docs/solving.html`, { waitUntil: 'networkidle' });
    const cut = await narrow
      .locator('.language-ts pre')
      .evaluateAll((all) => all.map((pre) => pre.scrollWidth - pre.clientWidth));
    expect(cut.length).toBeGreaterThan(3);
    expect(Math.max(...cut)).toBeLessThanOrEqual(0);
    await narrow.close();
  });

  it('the functions of the library first in the reference, each with a sentence', async () => {
    await open('api/sparlane/index');
    expect(await page.locator('.VPSidebar h2').first().textContent()).toBe('sparlane');
    const rows = await page.locator('.vp-doc table').first().locator('tbody tr').allTextContents();
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((text) => / - *$/.test(text))).toEqual([]);
  });

  it('the first screen: code, a picture, the way to install, live and further', async () => {
    await open('index');
    for (const shown of ['h1', 'text=npm install sparlane', 'text=createEngine', 'figure svg', 'text=Try it live']) {
      const box = (await page.locator(`.home-first >> ${shown}`).first().boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(900);
    }
  });

  it('no part beyond the edge of a tablet', async () => {
    await page.setViewportSize({ width: 768, height: 900 });
    for (const name of ['index', 'start', 'api/sparlane/functions/cg']) {
      await open(name);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(768);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('types in the signatures of the reference', async () => {
    await open('api/sparlane/functions/cg');
    expect(await page.locator('.vp-doc pre').first().textContent()).toContain('A: LinearOperator');
  });

  it('results of the search, whose index is packed', async () => {
    await open('index');
    await page.click('.DocSearch-Button');
    await page.fill('.VPLocalSearchBox input', 'kroneckerProduct');
    await page.locator('.VPLocalSearchBox .result >> text=Algebra').first().waitFor({ timeout: 20_000 });
  });

  it('a record, filtered and sorted', async () => {
    await open('reports');
    await page.selectOption('[data-live="record"]', '2026-11-22-solve.jsonl.gz');
    const said = page.locator('[data-live="record-state"]');
    await said.filter({ hasText: 'lines' }).waitFor({ timeout: 20_000 });
    const [, all] = /(\d+) of \1 lines/.exec((await said.textContent())!)!;
    await page.fill('[data-live="record-filter"]', 'PETSc');
    await said.filter({ hasText: new RegExp(`^(?!${all} )\\d+ of ${all} lines`) }).waitFor();
    const texts = await page.locator('.record-table tbody tr').allTextContents();
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.every((text) => /petsc/i.test(text))).toBe(true);
  });
});

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}
