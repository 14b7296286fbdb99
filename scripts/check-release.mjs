/**
 * Checks that packed packages can be published, and prints the commands that publish them. Nothing is published. The manifest of the
 * library has placeholders for the addresses of the project, in the domain `invalid`: they must have been replaced.
 *
 * usage: npm run --silent check:release -- FOLDER      (after `npm run pack -- FOLDER`, in the root of the repository)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './installed.mjs';

/** These packages are always published. @sparlane/cuda and its addon are only packed where they can be compiled. */
const PACKAGES = ['sparlane', '@sparlane/cli', '@sparlane/mathjs', '@sparlane/mpi', '@sparlane/tfjs'];

/** No address in this domain ever exists (RFC 2606). */
const PLACEHOLDER = /^invalid$|\.invalid$/;

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined || rest.length > 0) throw new Error(`FOLDER: expected one, got ${process.argv.length - 2}`);

const packed = readdirSync(folder)
  .filter((name) => name.endsWith('.tgz'))
  .sort()
  .map((name) => ({
    path: join(folder, name),
    manifest: JSON.parse(run('.', 'tar', '-xzOf', join(folder, name), 'package/package.json')),
  }));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const problems = [...missing(), ...packed.flatMap(({ manifest }) => problemsOf(manifest)), ...problemsOfChangelog()];
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  const tag = version.includes('-') ? ' --tag next' : '';
  for (const { path } of packed)
    process.stdout.write(`npm publish ${path.startsWith('/') ? '' : './'}${path} --provenance --access public${tag}\n`);
}

function missing() {
  const there = new Set(packed.map(({ manifest }) => manifest.name));
  return PACKAGES.filter((name) => !there.has(name)).map(
    (name) => `${folder}: expected a tarball of ${name}, got none; run npm run pack -- ${folder}`,
  );
}

function problemsOf({ name, version: own, private: isPrivate, repository, homepage }) {
  const problems = [];
  if (own !== version) problems.push(`${name} version: expected ${version}, as package.json, got ${own}; pack again`);
  if (isPrivate) problems.push(`${name} private: expected none, got ${isPrivate}`);
  if (!isAddress(repository?.url?.replace(/^git\+/, '')))
    problems.push(
      `${name} repository.url: expected the address of the repository, got ${repository?.url}; set it in package.json, as git+https://…: ` +
        'npm compares it with the repository that signs the provenance',
    );
  if (!isAddress(homepage))
    problems.push(
      `${name} homepage: expected the address of the documentation, got ${homepage}; set it in package.json`,
    );
  return problems;
}

function isAddress(url) {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && !PLACEHOLDER.test(hostname);
}

function problemsOfChangelog() {
  const newest = readFileSync('CHANGELOG.md', 'utf8').match(/^## .*$/m)?.[0] ?? 'none';
  if (newest.startsWith(`## ${version} — `) && /\d{4}-\d\d-\d\d$/.test(newest)) return [];
  return [`CHANGELOG.md: expected a newest section ${version} with a date, got ${newest}; run npm run version`];
}
