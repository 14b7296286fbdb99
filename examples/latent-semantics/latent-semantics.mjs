/**
 * Latent semantic analysis: sixty sentences of five topics as rows of a matrix with a column for each word, and its five largest singular values.
 * Sentences that share few words, or none, are near to each other in the space of the singular vectors if their words occur together elsewhere.
 *
 * Source: Deerwester, Dumais, Furnas, Landauer & Harshman 1990, "Indexing by latent semantic analysis".
 *
 * usage: node examples/latent-semantics/latent-semantics.mjs [FILE.svg] [QUERY]     (in a program: import from 'sparlane')
 *   QUERY   words, of which those of the corpus count; default "astronomers see the eclipse"
 */
import { readFileSync } from 'node:fs';
import { CsrBuilder, createEngine, svds } from '#dist/index.node.js';
import { COLOURS, dots, fitted, writeSvg } from '../svg.mjs';

/** There are as many dimensions as topics. */
const DIMENSIONS = 5;
const SHOWN = 6;
/** Words that tell nothing of a topic. */
const STOP = new Set(
  'a and after against around are at away before by each first for from in into is it its last lets little long of on or out over that the their through to under until us when while with'.split(
    ' ',
  ),
);

const print = (line) => void process.stdout.write(`${line}\n`);

/** Words without a plural s. */
const wordsOf = (text) =>
  (text.toLowerCase().match(/[a-z]+/g) ?? [])
    .filter((word) => !STOP.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));

const documents = [];
const topics = [];
for (const line of readFileSync(new URL('corpus.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')) {
  if (line.startsWith('# ')) topics.push(line.slice(2));
  else documents.push({ text: line, topic: topics.length - 1, words: wordsOf(line) });
}

/** The number of each word, and in how many documents it is. */
const numbers = new Map();
const spread = [];
for (const { words } of documents)
  for (const word of new Set(words)) {
    if (!numbers.has(word)) numbers.set(word, numbers.size);
    spread[numbers.get(word)] = (spread[numbers.get(word)] ?? 0) + 1;
  }

/** tf–idf of a text: [word, weight] of each of its words that the corpus has; rare words weigh more. The weights have norm 1. */
function weightsOf(words) {
  const counts = new Map();
  for (const word of words) if (numbers.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weights = [...counts].map(([word, count]) => {
    const number = numbers.get(word);
    return [number, count * Math.log((1 + documents.length) / spread[number])];
  });
  const norm = Math.hypot(...weights.map(([, weight]) => weight));
  return weights.map(([number, weight]) => [number, weight / norm]);
}

const builder = new CsrBuilder(documents.length, numbers.size);
documents.forEach(({ words }, i) => {
  for (const [word, weight] of weightsOf(words)) builder.add(i, word, weight);
});
const matrix = builder.build();

const engine = await createEngine();
const { values, U, V, residualNorms, reason } = svds(engine, matrix, DIMENSIONS);
print(`${documents.length} documents, ${numbers.size} words, ${matrix.nnz} entries`);
print(`singular values ${Array.from(values, (value) => value.toFixed(3)).join(', ')} (${reason})`);
print(`residuals up to ${Math.max(...residualNorms).toExponential(1)}`);

/** Rows of U Σ = A V: the documents in the space of the singular vectors. Those of a query are found in the same way. */
const rowsOf = (block) => {
  const entries = block.toArray();
  return Array.from({ length: block.length }, (_, i) => entries.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS));
};
const places = rowsOf(U).map((row) => row.map((value, k) => value * values[k]));
const directions = rowsOf(V);
U.dispose();
V.dispose();
await engine.dispose();

const placeOf = (words) => {
  const place = new Float64Array(DIMENSIONS);
  for (const [word, weight] of weightsOf(words))
    for (let k = 0; k < DIMENSIONS; k++) place[k] += weight * directions[word][k];
  return place;
};
const cosine = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0) / (Math.hypot(...a) * Math.hypot(...b));

const query = process.argv.slice(3).join(' ') || 'astronomers see the eclipse';
const words = wordsOf(query);
const place = placeOf(words);
if (!place.some((value) => value !== 0)) throw new Error(`QUERY: expected a word of the corpus, got ${query}`);
const near = documents
  .map((document, i) => ({ ...document, likeness: cosine(places[i], place) }))
  .sort((a, b) => b.likeness - a.likeness);
print(`nearest to “${query}”:`);
for (const { text, topic, likeness, words: own } of near.slice(0, SHOWN)) {
  const shared = own.filter((word) => words.includes(word));
  print(
    `  ${likeness.toFixed(3)} ${topics[topic]}: ${text} (${shared.length > 0 ? shared.join(', ') : 'no word of the query'})`,
  );
}
const firstAlike = documents.filter(({ topic }, i) => {
  const others = documents.map((_, j) => (i === j ? -1 : cosine(places[i], places[j])));
  return documents[others.indexOf(Math.max(...others))].topic === topic;
}).length;
print(`documents whose nearest one has the same topic: ${firstAlike} of ${documents.length}`);

const file = process.argv[2];
if (file) {
  const [width, height] = [560, 400];
  // All documents at the same distance from the origin, seen along two directions that were chosen by eye: they tell all topics apart.
  const points = places.map((row) => [row[1] / Math.hypot(...row), row[4] / Math.hypot(...row)]);
  const drawn = fitted(points, { left: 10, top: 40, width: width - 20, height: height - 50 });
  const parts = topics.map((name, topic) => {
    const left = 20 + 108 * topic;
    const at = [[left, 16], ...drawn.filter((_, i) => documents[i].topic === topic)];
    return `${dots(at, COLOURS[topic], 6)}<text x="${left + 8}" y="20">${name}</text>`;
  });
  const label = `${documents.length} sentences in two directions of latent semantic analysis: ${topics.join(', ')}`;
  writeSvg(file, { width, height, label }, parts);
  print(`wrote ${file}`);
}
