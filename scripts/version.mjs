/**
 * Moves the version of all packages at once: their manifests, what they ask of each other, the lock file, the URL of
 * a CDN in `docs/bundlers.md`, and the heading of the newest section of the changelog, which gets today's date. Nothing is committed or published.
 *
 * usage: npm run version -- 0.2.0      (in the root of the repository)
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Of https://semver.org, without build metadata, which npm ignores. */
const SEMVER = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;
const HEADING = /^## .*unreleased$/m;
/** Packed with `cuda`, and no member of the workspace (`pack.mjs` says why). */
const ADDON = 'cuda/linux-x64';

const CDN_PAGE = 'docs/bundlers.md';
const CDN = /(?<=\/npm\/sparlane@)[^/]+/g;

const [version, ...rest] = process.argv.slice(2);
if (!SEMVER.test(version ?? '') || rest.length > 0)
  throw new Error(`VERSION: expected one as 0.2.0 or 0.2.0-rc.1, got ${process.argv.slice(2).join(' ') || 'none'}`);

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const newest = changelog.match(/^## .*$/m)?.[0] ?? 'none';
if (!HEADING.test(newest)) throw new Error(`CHANGELOG.md: expected a newest section 'unreleased', got ${newest}`);

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const root = readJson('package.json');
const folders = ['.', ...root.workspaces, ADDON];
const manifests = folders.map((folder) => [`${folder}/package.json`, readJson(`${folder}/package.json`)]);
const names = new Set(manifests.map(([, { name }]) => name));

const lock = readJson('package-lock.json');
lock.version = version;
const locked = folders.map((folder) => lock.packages[folder === '.' ? '' : folder]).filter(Boolean);
for (const manifest of [...manifests.map(([, manifest]) => manifest), ...locked]) move(manifest);

for (const [path, content] of [...manifests, ['package-lock.json', lock]])
  writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`);
const date = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', changelog.replace(HEADING, `## ${version} — ${date}`));
writeFileSync(CDN_PAGE, readFileSync(CDN_PAGE, 'utf8').replace(CDN, version));
process.stdout.write(`${[...names].join(', ')}: ${version}\n`);

/** The version of a package, and of those of these packages that it needs from the registry. */
function move(manifest) {
  manifest.version = version;
  for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {})) if (names.has(name)) manifest[kind][name] = version;
  }
}
