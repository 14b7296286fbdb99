/**
 * Tests every recipe of docs/bundlers.md exactly as written: in a separate folder with the packed library, the files of
 * its blocks, and its commands, which install the newest version of the bundler that runs on this Node. The built page
 * must multiply correctly, on several threads unless it asks for one, in Debian's Chromium; so must that of the
 * development server of a framework, and its route `/sum`, on the server. Needs the registry.
 *
 * usage: npm run check:bundlers -- [NAME …]      (after `npm run build`); default: all of them
 *        `today` is one of the frameworks, another one each day
 */
import { execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { CHROMIUM, FLAGS, ISOLATION } from './chromium.mjs';
import { inFolder, install, pack, print } from './installed.mjs';
import { freePort, serve } from './serve.mjs';

/** The present environment. Vite sets NODE_ENV to production later, and npm then does not install bundlers. */
const ENVIRONMENT = {
  ...process.env,
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
};

const PRINTED = /^sum (.+), (\d+) threads$/;
const SUM = '2800';
/** Number of runs per page. On a busy machine, the threads may start too late for a single run. */
const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;
/** jsDelivr serves the files of the package at these URLs, as they are, for every origin. */
const CDN = /https:\/\/cdn\.jsdelivr\.net\/npm\/sparlane@[^/]+\//;
const CDN_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
const DAY_MS = 86_400_000;

const [page, ...recipes] = readRecipes(readFileSync(new URL('../docs/bundlers.md', import.meta.url), 'utf8'));
const frameworks = recipes.filter(({ servers }) => servers.length > 0);
const today = frameworks[Math.floor(Date.now() / DAY_MS) % frameworks.length].name;
const asked = process.argv.slice(2).map((name) => (name === 'today' ? today : name.toLowerCase()));
for (const name of asked) {
  if (!recipes.some((recipe) => recipe.name === name))
    throw new Error(`NAME: expected today | ${recipes.map((recipe) => recipe.name).join(' | ')}, got ${name}`);
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
 * The sections of the document: the files that their blocks name, the commands of blocks without a name, and the
 * servers of a framework. The first section is the page.
 */
function readRecipes(document) {
  return document.split(/^## /m).map((section) => {
    const blocks = [...section.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, language, name, text]) => ({
      isCommand: language === 'sh',
      name,
      text,
    }));
    const commands = blocks.filter(({ isCommand }) => isCommand);
    const named = ({ name }) => name !== '';
    return {
      name: section.split('\n')[0].toLowerCase(),
      files: Object.fromEntries(
        blocks.filter((block) => named(block) && !block.isCommand).map(({ name, text }) => [name, text]),
      ),
      commands: commands
        .filter((block) => !named(block))
        .map(({ text }) => text)
        .join(''),
      servers: commands.filter(named),
    };
  });
}

function build(project, files, commands) {
  for (const [file, text] of Object.entries(files)) {
    const path = join(project, file);
    // The manifest already has the dependencies.
    const manifest =
      file === 'package.json' ? { ...JSON.parse(readFileSync(path, 'utf8')), ...JSON.parse(text) } : undefined;
    mkdirSync(dirname(path), { recursive: true });
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
}

/** Starts a server of `dist`, or of the project without a build. It sends the headers. */
async function serveFolder(project) {
  // A bundler without the page as input does not write it to dist.
  const built = join(project, 'dist/index.html');
  const isBuilt = existsSync(dirname(built));
  if (isBuilt && !existsSync(built)) copyFileSync(join(project, 'index.html'), built);
  const site = await preview({
    configFile: false,
    root: project,
    build: { outDir: isBuilt ? 'dist' : '.' },
    appType: 'mpa',
    logLevel: 'error',
    preview: { headers: ISOLATION, host: '127.0.0.1', port: 0 },
  });
  return { url: `http://127.0.0.1:${site.httpServer.address().port}`, close: () => site.close() };
}

/** Starts the server of a framework, and waits for the URL that it prints. Not all of them use the port of the environment. */
async function serveBy(project, command) {
  const port = await freePort();
  const server = spawn('/bin/bash', ['-c', command], {
    cwd: project,
    env: { ...ENVIRONMENT, PORT: port },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit');
  const close = async () => {
    try {
      process.kill(-server.pid);
    } catch {
      // It has ended.
    }
    await ended;
  };
  let printed = '';
  const url = await new Promise((resolve) => {
    const timer = setTimeout(resolve, TIMEOUT_MS);
    const hear = (text) => {
      printed += text;
      const [, found] = /http:\/\/[^/\s]+:(\d+)/.exec(stripVTControlCharacters(printed)) ?? [];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(`http://localhost:${found}`);
    };
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', hear);
    ended.then(() => resolve());
  });
  if (url !== undefined) return { url, close };
  await close();
  throw new Error(`${command}: expected the URL of a server, got ${printed}`);
}

/** Serves the installed package as a CDN does, from an origin of its own. A page that names the CDN gets the origin instead. */
async function serveCdn(project) {
  const page = join(project, 'index.html');
  const text = readFileSync(page, 'utf8');
  if (!CDN.test(text)) return undefined;
  const cdn = await serve(join(project, 'node_modules/sparlane'), CDN_HEADERS);
  writeFileSync(page, text.replace(CDN, cdn.url));
  return cdn;
}

async function check(browser, { name, files, servers }, project) {
  const isAlone = files['main.js']?.includes('threads: 1') ?? false;
  const starts = servers.map(
    ({ text }) =>
      () =>
        serveBy(project, text),
  );
  const counts = [];
  const cdn = await serveCdn(project);
  for (const start of starts.length > 0 ? starts : [() => serveFolder(project)]) {
    const { url, close } = await start();
    try {
      counts.push(verify(name, await run(browser, url, isAlone ? 1 : ATTEMPTS), isAlone));
      if (starts.length > 0) counts.push(verify(`${name}, /sum`, read(await fetchText(`${url}/sum`)), isAlone));
    } finally {
      await close();
    }
  }
  await cdn?.close();
  const {
    dependencies: { sparlane, ...dependencies },
    devDependencies,
  } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const versions = Object.entries({ ...dependencies, ...devDependencies }).map(
    ([bundler, version]) => `${bundler} ${version}`,
  );
  print(`${name}: ok, ${counts.join(', ')} threads (${versions.join(', ')})`);
}

/** Returns the number of threads. @throws if the sum is wrong, or one thread has computed alone unasked */
function verify(name, { sum, threads }, isAlone) {
  if (sum !== SUM) throw new Error(`${name}: expected the sum ${SUM}, got ${sum}`);
  if (!isAlone && threads < 2) throw new Error(`${name}: expected several threads, got ${threads}`);
  return threads;
}

async function fetchText(url) {
  return await (await fetch(url)).text();
}

function read(text) {
  const match = PRINTED.exec(text.trim());
  if (match === null) throw new Error(`the text: expected ${PRINTED}, got ${text}`);
  const [, sum, threads] = match;
  return { sum, threads: Number(threads) };
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
    const printed = () => document.body?.innerText.includes(' threads');
    await page.waitForFunction(printed, undefined, { timeout: TIMEOUT_MS }).catch((error) => {
      throw new Error([error.message, ...errors].join('\n'));
    });
    result = read(await page.locator('body').innerText());
    await page.close();
  }
  return result;
}
