/**
 * The built package in a real page: packed like npm does, installed into a copy of an app, bundled by Vite, served with
 * or without the headers of cross-origin isolation, opened in Debian's Chromium.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build, type InlineConfig } from 'vite';
import { CHROMIUM, FLAGS, ISOLATION as HEADERS } from '../../scripts/chromium.mjs';
import { packLibrary } from '../../scripts/installed.mjs';
import { serve } from '../../scripts/serve.mjs';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Headers that make a page cross-origin isolated. */
export const ISOLATION: Readonly<Record<string, string>> = HEADERS;

/** False, and a conspicuous line, if there is no browser; an error if one is required. */
export function browserIsThere(what: string): boolean {
  if (existsSync(CHROMIUM)) return true;
  if (process.env.SPARLANE_REQUIRE_BROWSER === '1') {
    throw new Error(`${CHROMIUM}: expected a browser, since SPARLANE_REQUIRE_BROWSER is 1, got no file`);
  }
  const line = `SKIPPED: ${what} was not tested, for there is no ${CHROMIUM} (apt-get install chromium)`;
  process.stderr.write(`\n${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}\n\n`);
  return false;
}

export interface Stage {
  readonly browser: Browser;
  /** Where the copy of the app is. */
  readonly folder: string;
  /** Serves the built app, and files from memory by path, and opens it. */
  open(headers: Readonly<Record<string, string>>, files?: Readonly<Record<string, Uint8Array>>): Promise<Page>;
  close(): Promise<void>;
}

/**
 * Copies an app to a folder of its own, with the package in its `node_modules`, builds it, and starts a browser.
 *
 * @param packages others that the app needs, by their names in `node_modules` of the checkout. Those of the checkout itself are copied, since they
 *   import the app's sparlane
 */
export async function setStage(source: string, packages: readonly string[] = []): Promise<Stage> {
  const [folder, browser] = await Promise.all([
    installApp(source, packages),
    chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
  ]);
  const sites: Site[] = [];
  return {
    browser,
    folder,
    async open(headers, files) {
      const site = await serve(join(folder, 'dist'), headers, files);
      sites.push(site);
      const page = await browser.newPage();
      await page.goto(site.url);
      return page;
    },
    async close() {
      await browser.close();
      for (const site of sites) await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function installApp(source: string, packages: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sparlane-app-'));
  await cp(join(ROOT, source), folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  await mkdir(join(folder, 'node_modules'));
  await installPackage(join(folder, 'node_modules'));
  for (const name of packages) {
    const from = join(ROOT, 'node_modules', name);
    const to = join(folder, 'node_modules', name);
    if (name.startsWith('@sparlane/')) await cp(await realpath(from), to, { recursive: true });
    else await symlink(from, to);
  }
  await build(viteConfig(folder));
  return folder;
}

export function viteConfig(folder: string): InlineConfig {
  return { root: folder, configFile: join(folder, 'vite.config.js'), logLevel: 'error' };
}

/** The files that `npm publish` would send, and the packages that it needs, copied from their installed place. */
async function installPackage(modules: string): Promise<void> {
  await mkdir(join(modules, 'sparlane'));
  await run('tar', ['-xzf', packLibrary(modules), '-C', 'sparlane', '--strip-components', '1'], { cwd: modules });
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), 'vite']) {
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}
