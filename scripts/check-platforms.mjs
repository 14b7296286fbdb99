/**
 * Runs the checks of `platforms/checks.mjs` with the installed library: in this Node, other runtimes and browsers, and compares the results with the
 * record, from which `platforms-table.mjs` makes the table of docs/platforms.md. With `--write`, writes the record.
 *
 * usage: npm run check:platforms [-- --runtimes node22,node24,node26,deno,bun] [--browsers chromium,firefox] [--mpi] [--write]
 *        (after `npm run build`; Debian's chromium and firefox-esr; --mpi: with cmake and Open MPI)
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { CHROMIUM, FLAGS, ISOLATION } from './chromium.mjs';
import { inFolder, install, pack, print, run } from './installed.mjs';
import { installRuntimes } from './runtimes.mjs';
import { serve } from './serve.mjs';

const RECORD = fileURLToPath(new URL('platforms/record.json', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('platforms', import.meta.url));

/** Firefox as Debian installs it. */
const FIREFOX = '/usr/bin/firefox-esr';

/** How a browser opens a page: its program, and the arguments before the URL, with a folder of its own. */
const BROWSERS = {
  chromium: { program: CHROMIUM, argumentsIn: (folder) => [...FLAGS, `--user-data-dir=${folder}`] },
  firefox: { program: FIREFOX, argumentsIn: (folder) => ['--headless', '--no-remote', '--profile', folder] },
};

/** A page that has sent nothing after so many ms has failed. Chosen: all of its checks may need their patience. */
const PAGE_MS = 600_000;

/** Two processes that take longer have failed. Chosen: they take some seconds on a busy machine. */
const MPI_MS = 60_000;

const { values } = parseArgs({
  options: {
    runtimes: { type: 'string', default: '' },
    browsers: { type: 'string', default: '' },
    mpi: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const list = (names) => names.split(',').filter(Boolean);

const found = await inFolder(async (folder) => {
  const others = installRuntimes(join(folder, 'runtimes'), list(values.runtimes));
  const project = join(folder, 'project');
  const tarballs = pack(folder);
  install(project, tarballs.sparlane, ...(values.mpi ? [tarballs['@sparlane/mpi']] : []));
  if (values.mpi) run(join(project, 'node_modules/@sparlane/mpi'), 'npm', 'run', 'build', '--silent');
  cpSync(PROGRAMS, project, { recursive: true });
  const platforms = {};
  const own = { name: `node${process.versions.node.split('.')[0]}`, command: [process.execPath] };
  for (const { name, command } of [own, ...others]) {
    const results = JSON.parse(run(project, ...command, 'runtime.mjs'));
    if (values.mpi) results.mpi = resultOfMpi(project, command);
    platforms[name] = { version: versionOf(command), results };
    print(`${name}: ${JSON.stringify(platforms[name])}`);
  }
  for (const name of list(values.browsers)) {
    platforms[name] = { version: versionOf([BROWSERS[name].program]), results: await resultsOfPage(project, name) };
    print(`${name}: ${JSON.stringify(platforms[name])}`);
  }
  return platforms;
});

const record = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
if (values.write) {
  const date = new Date().toISOString().slice(0, 10);
  for (const [name, platform] of Object.entries(found)) record[name] = { ...record[name], date, ...platform };
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
} else {
  for (const [name, { results }] of Object.entries(found)) compare(name, results, record[name]?.results ?? {});
}

/** Reports checks whose result is not the recorded one, or that are new and fail. Texts of failures may differ. */
function compare(platform, results, recorded) {
  for (const [check, result] of Object.entries(results)) {
    const expected = recorded[check] ?? true;
    if ((result === true) === (expected === true)) continue;
    print(`${platform}, ${check}: expected ${expected}, got ${result}`);
    process.exitCode = 1;
  }
}

/** Returns the version that a program prints of itself. */
function versionOf([program]) {
  return /\d+\.\d+(\.\d+)?/.exec(run('.', program, '--version'))[0];
}

/** Starts two processes by mpirun. Open MPI refuses to run as root, or more ranks than cores, unless it is told. */
function resultOfMpi(project, command) {
  const env = { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
  const flags = ['--oversubscribe', '--bind-to', 'none', '-n', '2'];
  const options = { cwd: project, encoding: 'utf8', env, timeout: MPI_MS };
  const { stdout, stderr, error } = spawnSync('mpirun.openmpi', [...flags, ...command, 'rank.mjs'], options);
  return stdout === '2 ranks: 1200\n' || String(error ?? stderr).slice(0, 200);
}

/** Builds the page, opens it in a browser, and returns what it sends. */
async function resultsOfPage(project, browser) {
  const root = join(project, 'page');
  mkdirSync(root, { recursive: true });
  for (const name of ['page.mjs', 'checks.mjs']) cpSync(join(project, name), join(root, name));
  writeFileSync(join(root, 'index.html'), '<!doctype html><script type="module" src="./page.mjs"></script>\n');
  await build({ root, configFile: false, logLevel: 'error', worker: { format: 'es' } });
  const { program, argumentsIn } = BROWSERS[browser];
  const profile = join(project, browser);
  mkdirSync(profile);
  let server;
  let child;
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${browser}: no results after ${PAGE_MS} ms`)), PAGE_MS);
      const received = (body) => {
        clearTimeout(timer);
        resolve(JSON.parse(body));
      };
      serve(join(root, 'dist'), ISOLATION, {}, received).then((started) => {
        server = started;
        child = spawn(program, [...argumentsIn(profile), server.url], { stdio: 'ignore' });
      }, reject);
    });
  } finally {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill();
    await ended;
    await server?.close();
  }
}
