/** JSON lines of results, from a file as it was written, or gzipped as it is kept. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export function readResults(path) {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
