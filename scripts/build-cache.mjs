/**
 * Files that builds made, by the hash of all that they were made from: in the folder SPARLANE_CACHE, by default in the user's cache folder.
 * Files are taken only with the hashes that they were kept with. Where there are none, or the folder cannot be used, a build takes its time.
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Builds that are kept, those used last. One of the kernels has 2 MB, one of the CUDA addon up to 40 MB. */
const MOST_BUILDS = 16;
const INDEX = 'index.json';

/** Of words, and of the paths and contents of files. */
export function hashOf(words, paths) {
  const hash = createHash('sha256').update(JSON.stringify(words));
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

/** Writes the files of a build. @returns false if they were not kept, or are damaged; none is written then */
export async function takeFiles(hash, paths) {
  try {
    const build = join(await cacheFolder(), hash);
    const index = JSON.parse(readFileSync(join(build, INDEX), 'utf8'));
    const files = paths.map((path) => ({ path, content: readFileSync(join(build, fileOf(path))) }));
    if (files.some(({ path, content }) => sha256(content) !== index[path])) return false;
    for (const { path, content } of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    const now = new Date();
    utimesSync(build, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Keeps the files of a build. It is complete as soon as it is there: several processes may use the folder. */
export async function keepFiles(hash, paths) {
  let made;
  try {
    const folder = await cacheFolder();
    mkdirSync(folder, { recursive: true });
    made = mkdtempSync(join(folder, 'new-'));
    const contents = paths.map((path) => [path, readFileSync(path)]);
    for (const [path, content] of contents) writeFileSync(join(made, fileOf(path)), content);
    const index = Object.fromEntries(contents.map(([path, content]) => [path, sha256(content)]));
    writeFileSync(join(made, INDEX), JSON.stringify(index));
    // Damaged files would stay otherwise.
    rmSync(join(folder, hash), { recursive: true, force: true });
    renameSync(made, join(folder, hash));
    removeOldest(folder);
  } catch {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}

/** Imported here, because the import of `env-paths` needs a home folder. */
async function cacheFolder() {
  if (process.env.SPARLANE_CACHE) return process.env.SPARLANE_CACHE;
  const { default: envPaths } = await import('env-paths');
  return join(envPaths('sparlane', { suffix: '' }).cache, 'builds');
}

function fileOf(path) {
  return path.replaceAll('/', '__');
}

/** Returns the digest of a text or of bytes. */
export function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

function removeOldest(folder) {
  const builds = readdirSync(folder).map((name) => ({ name, used: statSync(join(folder, name)).mtimeMs }));
  for (const { name } of builds.sort((a, b) => b.used - a.used).slice(MOST_BUILDS))
    rmSync(join(folder, name), { recursive: true });
}
