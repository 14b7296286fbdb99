/** Reads JSON lines of results, from a plain or a gzipped file. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export function readResults(path) {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
