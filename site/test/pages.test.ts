/** axe finds nothing on the main pages, in light and dark, narrow and wide; every page opens without an error. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere } from '../../test/browser/harness.js';
import { type Stage, setStage } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAGES = [
  'index',
  'start',
  'docs/solving',
  'docs/multigrid',
  'cookbook',
  'live',
  'reports',
  'papers',
  'limits',
  'api/index',
  'api/sparlane/functions/cg',
];
const WIDTHS = [400, 1400];

/** The dark pages are the light ones in other colours, on which only contrasts depend. */
const VIEWS = [
  { colorScheme: 'light', rules: undefined },
  { colorScheme: 'dark', rules: ['color-contrast'] },
] as const;

describe.runIf(browserIsThere('the site'))('pages', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });

  afterAll(() => stage?.close());

  describe.each(VIEWS)('$colorScheme', ({ colorScheme, rules }) => {
    it.each(PAGES)('%s', async (name) => {
      const context = await stage.browser.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${stage.isolated.url}${name}.html`, { waitUntil: 'networkidle' });
        await page.evaluate(AXE);
        const found = await page.evaluate(async (runOnly) => {
          const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(runOnly && { runOnly });
          return violations.map(
            ({ id, nodes }) =>
              `${id}: ${nodes
                .slice(0, 3)
                .map(({ html }) => html.slice(0, 200))
                .join(' | ')}`,
          );
        }, rules);
        expect(found).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
      }
      expect(errors).toEqual([]);
      await context.close();
    });
  });
});

interface Axe {
  run(options?: { runOnly: readonly string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}
