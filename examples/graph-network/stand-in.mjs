/**
 * A generated stand-in for a citation graph, for where the files of one are not there: papers of a few classes that mostly cite papers of their own
 * class, and use its words more than others. It has the shape of the data, but accuracies on it say nothing about published ones.
 */
import { CsrBuilder } from 'sparlane';
import { randomNumbers } from './random.mjs';

const NODES = 420;
const CLASSES = 7;
const WORDS = 210;
const CITATIONS_A_PAPER = 3;
const WORDS_A_PAPER = 12;
/** The shares of citations, and of words, that are those of the paper's own class. */
const OWN_CITATIONS = 0.85;
const OWN_WORDS = 0.35;

/** Returns a graph in the form of `readPlanetoid`. */
export function standIn() {
  const random = randomNumbers(11);
  const below = (bound) => Math.floor(random() * bound);
  const labels = Int32Array.from({ length: NODES }, (_, i) => i % CLASSES);
  /** One of `count` things that are dealt to the classes in turn: of the class with some probability, or any. */
  const one = (count, label, own) => (random() < own ? label + CLASSES * below(count / CLASSES) : below(count));
  const graph = new CsrBuilder(NODES, NODES, { field: 'pattern', symmetry: 'symmetric' });
  const features = new CsrBuilder(NODES, WORDS, { field: 'pattern' });
  for (let i = 0; i < NODES; i++) {
    for (let k = 0; k < CITATIONS_A_PAPER; k++) {
      const j = one(NODES, labels[i], OWN_CITATIONS);
      if (j !== i) graph.add(i, j);
    }
    for (let k = 0; k < WORDS_A_PAPER; k++) features.add(i, one(WORDS, labels[i], OWN_WORDS));
  }
  const nodes = Array.from(labels, (_, i) => i);
  return {
    graph: graph.build(),
    features: features.build(),
    labels,
    train: nodes.slice(0, 70),
    validation: nodes.slice(70, 210),
    test: nodes.slice(210),
  };
}
