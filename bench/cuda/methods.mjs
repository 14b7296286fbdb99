/**
 * How well kernels choose their methods: of each matrix in a record of `cuda/run` or `cuda/method-times` the time of the method that was chosen, the least time of those among which
 * it was chosen, and measured over expected times, by method. `--methods every` measures each method once; with other parameters it is a format of its own,
 * `--formats 'sell,sell split?width=4'`.
 *
 * usage: npx bench cuda/methods OUT…      files and folders of such lines
 */
import { print } from '../contenders.mjs';
import { readLines } from '../results-file.mjs';
import { median } from '../times.mjs';

const paths = process.argv.slice(2);
const products = readLines(paths).filter(({ kind, library }) => kind === 'product' && library === 'sparlane');

/** Each case is a matrix, a dtype and a format. Products of several stages are not judged. */
const cases = new Map();
for (const line of products) {
  const { matrix, scale, dtype, format, device } = line;
  const key = [matrix, scale, dtype, format, device].join(' ');
  cases.set(key, [...(cases.get(key) ?? []), line]);
}

const ratios = new Map();
const total = { choices: 0, chosen: 0, least: 0, fastest: 0 };
for (const [key, lines] of cases) judge(key, lines);
print(
  `\n${total.choices} choices, ${total.fastest} of the fastest method; ${total.chosen.toFixed(0)} µs, least ${total.least.toFixed(0)}`,
);
for (const [name, all] of ratios) {
  const [least, most] = [Math.min(...all), Math.max(...all)];
  print(
    `${name}: measured over expected ${median(all).toFixed(2)}, from ${least.toFixed(2)} to ${most.toFixed(2)}, ${all.length} products`,
  );
}

function judge(key, lines) {
  const choice = lines.find(({ estimates: [list = []] = [] }) => list.length > 1);
  if (choice === undefined || choice.estimates.length > 1) return;
  const [list] = choice.estimates;
  const chosen = nameOf(choice.method, list);
  const measured = list.flatMap(({ method: name, ns }) => {
    const times = lines.filter(({ method }) => nameOf(method, list) === name).map(({ coldUs }) => coldUs);
    return times.length === 0 ? [] : [{ name, us: ns / 1e3, took: Math.min(...times) }];
  });
  if (measured.length < 2) return;
  for (const { name, us, took } of measured) ratios.set(name, [...(ratios.get(name) ?? []), took / us]);
  const least = Math.min(...measured.map(({ took }) => took));
  const { took } = measured.find(({ name }) => name === chosen);
  total.choices += 1;
  total.chosen += took;
  total.least += least;
  total.fastest += took === least ? 1 : 0;
  const described = measured.map((one) => `${one.name} ${one.took.toFixed(1)} (expected ${one.us.toFixed(1)})`);
  print(`${(took / least).toFixed(2)}  ${key}: ${chosen}; ${described.join(', ')}`);
}

/** Returns the name under which an estimate has a method: of those whose parameters it has, the one with most. */
function nameOf(method, list) {
  const [base, ...given] = method.split(/[?&]/);
  const fitting = list.filter(({ method: name }) => {
    const [kernel, ...wanted] = name.split(/[?&]/);
    return kernel === base && wanted.every((one) => given.includes(one));
  });
  return fitting.map(({ method: name }) => name).sort((a, b) => b.length - a.length)[0];
}
