/** Rectangular matrices for singular values: entries at random, and documents by terms. */
import { CsrBuilder } from '../../dist/index.node.js';
import { drawFrom } from '../draw.mjs';

const SEED = 5;

/** `perRow` draws for each row, at random places (Poisson-like columns), with values from −1 to 1: no gaps between singular values. */
export function scattered(rows, cols, perRow) {
  const draw = drawFrom(SEED);
  const builder = new CsrBuilder(rows, cols);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < perRow; k++) builder.add(i, Math.floor(draw() * cols), 2 * draw() - 1);
  return builder.build();
}

/** Words of a document are drawn from one or two topics, or, so often, from all words. Chosen. */
const COMMON = 0.4;
const TOPICS = 80;
/** A document has from the first to the second number of words. Chosen. */
const LENGTHS = [40, 160];

/**
 * Documents × terms: ranks of words follow Zipf's law, in an order of its own for each topic; entries are ln(1 + times) · ln(documents / documents with the term).
 */
export function documents(rows, terms) {
  const draw = drawFrom(SEED);
  // Zipf: the probability of a rank up to r is almost ln(r + 1) / ln(terms + 1).
  const rank = () => Math.min(terms - 1, Math.floor((terms + 1) ** draw()) - 1);
  const shifts = Array.from({ length: TOPICS }, () => [Math.floor(draw() * terms), stride(terms, draw)]);
  const [counts, frequency] = [[], new Uint32Array(terms)];
  for (let i = 0; i < rows; i++) {
    // Some topics are more frequent than others.
    const topics = [0, 1].map(() => shifts[Math.floor(draw() ** 2 * TOPICS)]);
    const length = LENGTHS[0] + Math.floor(draw() * (LENGTHS[1] - LENGTHS[0]));
    const words = new Map();
    for (let k = 0; k < length; k++) {
      const [first, step] = draw() < COMMON ? [0, 1] : topics[k % 2];
      const word = (first + step * rank()) % terms;
      words.set(word, (words.get(word) ?? 0) + 1);
    }
    for (const word of words.keys()) frequency[word]++;
    counts.push(words);
  }
  const builder = new CsrBuilder(rows, terms);
  for (const [i, words] of counts.entries())
    for (const [word, times] of words) {
      const value = Math.log1p(times) * Math.log((rows + 1) / frequency[word]);
      builder.add(i, word, value);
    }
  return builder.build();
}

/** A number without a common divisor with the number of terms: its multiples reach every term. */
function stride(terms, draw) {
  const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
  for (;;) {
    const step = 1 + Math.floor(draw() * (terms - 1));
    if (divisor(step, terms) === 1) return step;
  }
}
