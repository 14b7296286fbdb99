/**
 * The look of a contender: the same colour and symbol in every chart. The colours are custom properties of `theme.css`,
 * after Okabe & Ito's palette, which colour-blind readers can distinguish; the symbols are distinguishable without
 * colours.
 */
import { AUTO, BEST, BUS, TRIED } from './results.mjs';

/** Known contenders keep their looks in all results. */
const NATIVE = [
  'Eigen',
  'PETSc',
  'librsb',
  'SuiteSparse:GraphBLAS',
  'SciPy',
  'SIMD CSR',
  'SIMD SELL',
  'Kokkos Kernels',
  'AOCL-Sparse',
];
const JAVASCRIPT = ['typed-array loop', 'mathjs', 'ml-sparse-matrix', 'numeric'];
const NATIVE_SYMBOLS = ['circle', 'diamond', 'square', 'triangle', 'star', 'wye', 'cross', 'circle', 'hexagon'];
const JAVASCRIPT_SYMBOLS = ['triangle2', 'square2', 'diamond2', 'plus'];

/** By name: `{ name, label, group, colour, text, symbol }`; `text` is the colour for words, closer to that of the text for legibility. */
export function looksOf({ contenders, baseline }) {
  const looks = new Map();
  const add = (name, group, colour, symbol) => looks.set(name, { name, label: labelOf(name), group, colour, symbol });
  for (const name of contenders.formats) add(name, 'ours', 'var(--format)', 'circle');
  add(BEST, 'ours', 'var(--best)', 'circle');
  add(AUTO, 'ours', 'var(--auto)', 'circle');
  add(TRIED, 'ours', 'var(--best)', 'diamond');
  add(BUS, 'bus', 'var(--muted)', 'circle');
  const compilers = contenders.native.filter((name) => /^(gcc|clang)\b/.test(name));
  for (const name of compilers) add(name, 'native', 'var(--compiled)', 'square');
  const others = known(NATIVE, contenders.native).filter((name) => !compilers.includes(name));
  for (const [k, name] of others.entries()) {
    const at = k % NATIVE_SYMBOLS.length;
    add(name, 'native', `var(--native-${at + 1})`, NATIVE_SYMBOLS[at]);
  }
  for (const [k, name] of known(JAVASCRIPT, contenders.javascript).entries()) {
    const at = k % JAVASCRIPT_SYMBOLS.length;
    add(name, 'javascript', `var(--javascript-${at + 1})`, JAVASCRIPT_SYMBOLS[at]);
  }
  const base = looks.get(baseline);
  if (base.group !== 'ours') base.colour = 'var(--ink)';
  for (const look of looks.values()) look.text = `color-mix(in srgb, ${look.colour} 72%, var(--ink))`;
  return looks;
}

function known(names, present) {
  return [...names, ...present.filter((name) => !names.includes(name))];
}

/**
 * Our contenders without 'sparlane', and a format's parameters by their values alone: 'sell 16 table' for 'sparlane
 * sell?index=16&values=table'.
 */
export function labelOf(name) {
  return name.replace(/^sparlane /, '').replace(/[?&]\w+=/g, ' ');
}
