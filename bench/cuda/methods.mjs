/**
 * How well kernels choose their methods: of each matrix in a record of `cuda/run --methods every` the time of the method that was chosen, the least time of
 * those among which it was chosen, and measured over expected times, by method.
 *
 * usage: npx bench cuda/methods OUT…      files and folders of lines of `cuda/run`
 */
import { print } from '../contenders.mjs';
import { readLines } from '../results-file.mjs';
import { median } from '../times.mjs';

const paths = process.argv.slice(2);
const products = readLines(paths).filter(({ kind, library }) => kind === 'product' && library === 'sparlane');

/** Returns the name under which an estimate has the method: it is not chosen by most of its parameters. */
const nameOf = (method) => (/&clustered=1/.test(method) ? 'packed?clustered=1' : method.split('?')[0]);

/** Each case is a matrix, a dtype and a format; it has a time and an estimate for the name of each method. */
const cases = new Map();
for (const { matrix, scale, dtype, format, requested, method, coldUs, estimates = [], device } of products) {
  const key = [matrix, scale, dtype, format, device].join(' ');
  const one = cases.get(key) ?? { key, times: new Map(), expected: new Map() };
  cases.set(key, one);
  one.times.set(nameOf(method), coldUs);
  const [list = []] = estimates;
  if (requested !== format || list.length < 2) continue;
  one.chosen = nameOf(method);
  for (const { method: name, ns } of list) one.expected.set(name, ns / 1e3);
}

const judged = [...cases.values()].filter(({ chosen, times }) => chosen !== undefined && times.size > 1);
const ratios = new Map();
const total = { chosen: 0, least: 0, fastest: 0 };
for (const { key, chosen, times, expected } of judged) {
  const measured = [...expected].flatMap(([name, us]) =>
    times.has(name) ? [{ name, us, took: times.get(name) }] : [],
  );
  for (const { name, us, took } of measured) ratios.set(name, [...(ratios.get(name) ?? []), took / us]);
  const least = Math.min(...measured.map(({ took }) => took));
  total.chosen += times.get(chosen);
  total.least += least;
  total.fastest += times.get(chosen) === least ? 1 : 0;
  const list = measured.map(({ name, us, took }) => `${name} ${took.toFixed(1)} (expected ${us.toFixed(1)})`);
  print(`${(times.get(chosen) / least).toFixed(2)}  ${key}: ${chosen}; ${list.join(', ')}`);
}
print(
  `\n${judged.length} choices, ${total.fastest} of the fastest method; ${total.chosen.toFixed(0)} µs, least ${total.least.toFixed(0)}`,
);
for (const [name, all] of ratios) {
  const [least, most] = [Math.min(...all), Math.max(...all)];
  print(
    `${name}: measured over expected ${median(all).toFixed(2)}, from ${least.toFixed(2)} to ${most.toFixed(2)}, ${all.length} products`,
  );
}
