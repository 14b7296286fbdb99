/** JSON lines of results: their file, plain or gzipped, and the lines that count. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export function readResults(path) {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** The objects of files of JSON lines, gzipped or not, and of folders of them at any depth. */
export function readLines(paths) {
  const texts = paths.flatMap(filesOf).map(readResults);
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line));
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true }).filter((name) => /\.jsonl(\.gz)?$/.test(name));
  return names.sort().map((name) => join(path, name));
}

/**
 * The lines of texts of JSON lines, as objects. Of lines with the same key, as in a repeated run, the last one counts.
 *
 * @param keys by `kind` of a line: its key, an array
 */
export function latestLines(texts, keys) {
  const lines = new Map();
  for (const text of texts.flatMap((whole) => whole.split('\n'))) {
    if (text.trim() === '') continue;
    const line = JSON.parse(text);
    if (keys[line.kind] === undefined)
      throw new Error(`kind: expected ${Object.keys(keys).join(' | ')}, got ${line.kind}`);
    lines.set(JSON.stringify([line.kind, ...keys[line.kind](line)]), line);
  }
  return [...lines.values()];
}
