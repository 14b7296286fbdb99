/**
 * Tests every recipe of docs/bundlers.md exactly as written: in a separate folder with the packed library, the files of
 * its blocks, and its commands, which install the newest version of the bundler. The built page must multiply
 * correctly, on several threads unless it asks for one, in Debian's Chromium. Needs the registry.
 *
 * usage: npm run check:bundlers -- [NAME …]      (after `npm run build`); default: all of them
 */
import { execSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { CHROMIUM, FLAGS, ISOLATION } from './chromium.mjs';
import { inFolder, install, pack, print } from './installed.mjs';

/** The present environment. Vite sets NODE_ENV to production later, and npm then does not install bundlers. */
const ENVIRONMENT = {
  ...process.env,
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};

const PRINTED = /^sum (.+), (\d+) threads$/;
const SUM = '2800';
/** Number of runs per page. On a busy machine, the threads may start too late for a single run. */
const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;

const [page, ...recipes] = readRecipes(readFileSync(new URL('../docs/bundlers.md', import.meta.url), 'utf8'));
const asked = process.argv.slice(2).map((name) => name.toLowerCase());
for (const name of asked) {
  if (!recipes.some((recipe) => recipe.name === name))
    throw new Error(`NAME: expected ${recipes.map((recipe) => recipe.name).join(' | ')}, got ${name}`);
}

await inFolder(async (folder) => {
  const { sparlane } = pack(folder);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    for (const recipe of recipes.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
      const project = join(folder, recipe.name);
      install(project, sparlane);
      build(project, { ...page.files, ...recipe.files }, recipe.commands);
      await check(browser, recipe, project);
    }
  } finally {
    await browser.close();
  }
});

/**
 * The sections of the document: the files that their blocks name, and the commands of blocks without a name. The first
 * section is the page.
 */
function readRecipes(document) {
  return document.split(/^## /m).map((section) => {
    const blocks = [...section.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)];
    const files = blocks.filter(([, , file]) => file !== '').map(([, , file, text]) => [file, text]);
    const commands = blocks
      .filter(([, language, file]) => language === 'sh' && file === '')
      .map(([, , , text]) => text);
    return {
      name: section.split('\n')[0].toLowerCase(),
      files: Object.fromEntries(files),
      commands: commands.join(''),
    };
  });
}

function build(project, files, commands) {
  for (const [file, text] of Object.entries(files)) {
    const path = join(project, file);
    // The manifest already has the dependencies.
    const manifest =
      file === 'package.json' ? { ...JSON.parse(readFileSync(path, 'utf8')), ...JSON.parse(text) } : undefined;
    writeFileSync(path, manifest === undefined ? text : JSON.stringify(manifest));
  }
  const options = {
    cwd: project,
    shell: '/bin/bash',
    stdio: 'pipe',
    encoding: 'utf8',
    env: ENVIRONMENT,
  };
  try {
    execSync(`set -e\n${commands}`, options);
  } catch ({ stdout, stderr }) {
    throw new Error(`${commands}${stdout}${stderr}`);
  }
  // A bundler without the page as input does not write it to dist.
  const built = join(project, 'dist/index.html');
  if (!existsSync(built)) copyFileSync(join(project, 'index.html'), built);
}

async function check(browser, { name, files }, project) {
  const isAlone = files['main.js']?.includes('threads: 1') ?? false;
  const site = await preview({
    configFile: false,
    root: project,
    appType: 'mpa',
    logLevel: 'error',
    preview: { headers: ISOLATION, host: '127.0.0.1', port: 0 },
  });
  try {
    const { sum, threads } = await run(
      browser,
      `http://127.0.0.1:${site.httpServer.address().port}/`,
      isAlone ? 1 : ATTEMPTS,
    );
    if (sum !== SUM) throw new Error(`${name}: expected the sum ${SUM}, got ${sum}`);
    if (!isAlone && threads < 2) throw new Error(`${name}: expected several threads, got ${threads}`);
    const { devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const versions = Object.entries(devDependencies).map(([bundler, version]) => `${bundler} ${version}`);
    print(`${name}: ok, ${threads} threads (${versions.join(', ')})`);
  } finally {
    await site.close();
  }
}

/** Opens the page until several threads have computed. @throws the page's own errors if it prints no result */
async function run(browser, url, attempts) {
  let result;
  for (let attempt = 0; attempt < attempts && !(result?.threads > 1); attempt++) {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(url);
    const printed = () => document.body?.textContent.includes(' threads');
    await page.waitForFunction(printed, undefined, { timeout: TIMEOUT_MS }).catch((error) => {
      throw new Error([error.message, ...errors].join('\n'));
    });
    const [, sum, threads] = PRINTED.exec((await page.locator('body').textContent()).trim());
    result = { sum, threads: Number(threads) };
    await page.close();
  }
  return result;
}
