/**
 * Publishes the packed packages to a registry on this machine, Verdaccio, and uses them from there as from the public one, in empty
 * folders: `npx sparlane`, `npx @sparlane/cli` and `npm install sparlane`. Needs the public registry for all other packages.
 *
 * usage: npm run check:registry      (after `npm run build`)
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, inFolder, install, pack, print, run } from './installed.mjs';
import { freePort } from './serve.mjs';

/** This is the newest version that runs on Node 20. */
const VERDACCIO = '6.7.4';
/** Verdaccio asks for it by a tag, which copies of the public registry may not have. */
const OVERRIDES = { 'node-fetch': '2.7.0' };

const PRODUCT = `
  import { createEngine } from 'sparlane';
  const engine = await createEngine({ threads: 2 });
  const y = new Float64Array(2);
  engine.operator({ rows: 2, cols: 2, rowPtr: [0, 2, 3], colIdx: [0, 1, 1], values: [3, 2, 1] }).apply([1, 2], y);
  console.log(y.join());
  await engine.dispose();`;

const START_MS = 30_000;
const MATRIX = 'gallery:laplace2d5?nx=50&ny=50';

await inFolder(async (folder) => {
  const tarballs = pack(folder);
  const registry = await startRegistry(join(folder, 'registry'));
  try {
    useRegistry(folder, registry.url);
    for (const tarball of Object.values(tarballs)) run(folder, 'npm', 'publish', tarball);
    print(`published: ${Object.keys(tarballs).join(', ')}`);
    const { version } = JSON.parse(run(folder, 'npm', 'view', 'sparlane', '--json'));
    for (const name of ['sparlane', '@sparlane/cli']) checkCommand(folder, name, version);
    checkInstalled(join(folder, 'project'));
  } finally {
    await registry.close();
  }
});

/** Starts a registry without packages, and waits until it answers. */
async function startRegistry(folder) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides: OVERRIDES }));
  install(folder, `verdaccio@${VERDACCIO}`);
  const open = { access: '$all', publish: '$all' };
  const config = {
    storage: './storage',
    auth: { htpasswd: { file: './htpasswd' } },
    uplinks: { public: { url: run(folder, 'npm', 'config', 'get', 'registry').trim() } },
    packages: { sparlane: open, '@sparlane/*': open, '**': { access: '$all', proxy: 'public' } },
    log: { type: 'stdout', level: 'error' },
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const url = `http://127.0.0.1:${await freePort()}/`;
  const script = join(folder, 'node_modules/verdaccio/bin/verdaccio');
  const server = spawn(process.execPath, [script, '--config', 'config.yaml', '--listen', url], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const close = async () => {
    server.kill();
    await ended;
  };
  const limit = Date.now() + START_MS;
  while (!(await answers(`${url}-/ping`))) {
    if (server.exitCode !== null || Date.now() > limit) {
      await close();
      throw new Error(`verdaccio: expected an answer within ${START_MS} ms, got none`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, close };
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** Makes every npm that this process starts from now on use this registry, which takes packages from anybody, and an empty cache. */
function useRegistry(folder, url) {
  const settings = join(folder, 'npmrc');
  writeFileSync(settings, `registry=${url}\n${url.replace('http:', '')}:_authToken=none\n`);
  process.env.npm_config_userconfig = settings;
  process.env.npm_config_registry = url;
  process.env.npm_config_loglevel = 'error';
  process.env.npm_config_cache = join(folder, 'cache');
}

/** Runs a command by npx, in a folder without a project. */
function checkCommand(folder, name, version) {
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true });
  expect(`npx ${name} --version`, run(empty, 'npx', '--yes', name, '--version').trim(), version);
  const { maxError } = JSON.parse(run(empty, 'npx', '--yes', name, 'multiply', MATRIX, '--json'));
  expect(`npx ${name} multiply, maxError`, maxError, 0);
  print(`npx ${name}: ok`);
}

function checkInstalled(project) {
  install(project, 'sparlane');
  expect('the product', evaluate(project, PRODUCT).trim(), '7,2');
  print('npm install sparlane: ok');
}

function expect(what, got, wanted) {
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}
