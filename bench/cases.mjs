/** Reads the measurements of `bench/collect.mjs` for `choice.mjs`. */
import { readFileSync } from 'node:fs';

/**
 * A matrix, dtype and number of threads: `times` in ms, by format as requested and as stored. If two formats were
 * stored identically, they are one layout, and the lower time counts: they differ only by their place in memory.
 */
export function readCases(paths) {
  const lines = paths.flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'));
  return lines.map((line) => {
    const { formats, ...about } = JSON.parse(line);
    const layouts = new Map();
    for (const { spec, ms } of formats) layouts.set(spec, Math.min(ms, layouts.get(spec) ?? Infinity));
    const times = new Map([...layouts, ...formats.map(({ format, spec }) => [format, layouts.get(spec)])]);
    const best = Math.min(...layouts.values());
    return { ...about, formats, times, best };
  });
}
