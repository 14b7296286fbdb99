/** The built site in Debian's Chromium. */
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM, FLAGS, ISOLATION } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve.mjs';
import type { Site } from '../../test/browser/harness.js';

export const DIST = fileURLToPath(new URL('../dist', import.meta.url));

export interface Stage {
  readonly browser: Browser;
  /** Served with the headers of cross-origin isolation, and without them. */
  readonly isolated: Site;
  readonly plain: Site;
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const [browser, isolated, plain] = await Promise.all([
    chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
    serve(DIST, ISOLATION),
    serve(DIST, {}),
  ]);
  return {
    browser,
    isolated,
    plain,
    async close() {
      await browser.close();
      await Promise.all([isolated.close(), plain.close()]);
    },
  };
}
