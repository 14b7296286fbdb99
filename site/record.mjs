/**
 * Records the figures of this machine that the live page shows beside the reader's: opens the built page in Chromium and measures there.
 *
 * usage: node record.mjs      (after `npm run docs`, on a quiet machine)
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { CHROMIUM, FLAGS, ISOLATION } from '../scripts/chromium.mjs';

const server = await preview({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  preview: { port: 0, host: '127.0.0.1', headers: ISOLATION },
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
try {
  const page = await browser.newPage();
  await page.goto(`${server.resolvedUrls.local[0]}live.html`);
  const saying = (part, what) =>
    page.waitForFunction(
      ([p, w]) => document.querySelector(`[data-live="${p}"]`)?.textContent?.includes(w),
      [part, what],
    );
  await saying('engine', 'Ready');
  await page.click('[data-live="measure"]');
  await saying('measured', 'Measured.');
  const runs = JSON.parse(await page.locator('[data-live="runs"]').getAttribute('data-runs'));
  const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(new Date());
  const machine = `${cpus().length} cores of an ${cpus()[0].model.trim()}, Chromium ${browser.version().split('.')[0]}`;
  const file = new URL('.vitepress/live/recorded.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify({ machine, date: month, runs }, null, 2)}\n`);
} finally {
  await browser.close();
  await server.close();
}
