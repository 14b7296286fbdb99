/**
 * Clusters of points by their means.
 *
 * Source: Lloyd 1982; the first means by Arthur & Vassilvitskii 2007 (k-means++).
 * Cost: a turn is 2 n k d operations for n points in d dimensions, on the caller's thread.
 */
import { below, type RandomStream, randomStream, unit } from '../../gallery/draw.js';

/** Starts, the best of which is taken, and turns of each. Chosen. */
const STARTS = 10;
const MOST_TURNS = 100;

/**
 * The cluster of each point, from 0 on in the order of their first points. Clusters may be empty if points are equal.
 *
 * @param points row by row
 */
export function kMeans(points: Float64Array, dimensions: number, k: number, seed: number): Uint32Array {
  const random = randomStream(seed, 'values');
  let best: Clustering | undefined;
  for (let start = 0; start < STARTS; start++) {
    const found = lloyd(points, dimensions, firstMeans(points, dimensions, k, random));
    if (best === undefined || found.cost < best.cost) best = found;
  }
  return renumbered(best!.labels, k);
}

interface Clustering {
  readonly labels: Uint32Array;
  /** The sum of the squared distances of points to their means. */
  readonly cost: number;
}

/** Points, each drawn with a probability like its squared distance to those before. */
function firstMeans(points: Float64Array, d: number, k: number, random: RandomStream): Float64Array {
  const n = points.length / d;
  const means = new Float64Array(k * d);
  const distances = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  let chosen = below(random, n);
  for (let mean = 0; mean < k; mean++) {
    means.set(points.subarray(chosen * d, (chosen + 1) * d), mean * d);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      distances[i] = Math.min(distances[i]!, squaredDistance(points, i * d, means, mean * d, d));
      sum += distances[i]!;
    }
    let left = unit(random) * sum;
    chosen = 0;
    for (let i = 0; i < n && left > 0; i++) {
      if (distances[i]! > 0) chosen = i;
      left -= distances[i]!;
    }
  }
  return means;
}

/** Lloyd's iteration changes the means until no point changes its cluster. */
function lloyd(points: Float64Array, d: number, means: Float64Array): Clustering {
  const [n, k] = [points.length / d, means.length / d];
  const labels = new Uint32Array(n).fill(k);
  let cost = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    let hasChanged = false;
    cost = 0;
    for (let i = 0; i < n; i++) {
      let [label, least] = [0, Number.POSITIVE_INFINITY];
      for (let mean = 0; mean < k; mean++) {
        const distance = squaredDistance(points, i * d, means, mean * d, d);
        if (distance < least) [label, least] = [mean, distance];
      }
      hasChanged ||= labels[i] !== label;
      labels[i] = label;
      cost += least;
    }
    if (!hasChanged) break;
    moveMeans(points, d, labels, means);
  }
  return { labels, cost };
}

/** The mean of no points stays where it is. */
function moveMeans(points: Float64Array, d: number, labels: Uint32Array, means: Float64Array): void {
  const counts = new Float64Array(means.length / d);
  for (const label of labels) counts[label]!++;
  for (let at = 0; at < means.length; at++) if (counts[Math.floor(at / d)]! > 0) means[at] = 0;
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!;
    for (let j = 0; j < d; j++) means[label * d + j]! += points[i * d + j]! / counts[label]!;
  }
}

function squaredDistance(x: Float64Array, atX: number, y: Float64Array, atY: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += (x[atX + j]! - y[atY + j]!) ** 2;
  return sum;
}

function renumbered(labels: Uint32Array, k: number): Uint32Array {
  const places = new Int32Array(k).fill(-1);
  let next = 0;
  return labels.map((label) => {
    if (places[label]! < 0) places[label] = next++;
    return places[label]!;
  });
}
