/** Lines of `bench/judge.mjs`, read again: time, best and choice of each matrix, dtype and number of threads (or device). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export function readRecords(paths) {
  const texts = paths.map((path) => {
    const data = readFileSync(path);
    return (path.endsWith('.gz') ? gunzipSync(data) : data).toString('utf8');
  });
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => completed(JSON.parse(line))),
  );
}

function completed(record) {
  const times = new Map(record.formats.flatMap(({ asked, ms }) => asked.map((spec) => [spec, ms])));
  // Records of a device have features; those before 27 November 2026 do not have `apart`.
  const features = record.features && { apart: record.features.scattered, ...record.features };
  return { ...record, features, times, best: Math.min(...times.values()) };
}
