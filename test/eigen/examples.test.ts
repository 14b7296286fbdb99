/** The examples of eigenvalues, singular values and functions of matrices: they find what they promise, and draw it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UMAP } from 'umap-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine } from '#dist/index.node.js';

/** A module in JavaScript, which is not of the project of the tests. */
const BRIDGE = '../../examples/truss-modes/page/bridge.js';
const { bridgeOf } = await import(BRIDGE);
const SPECTRAL_UMAP = '../../examples/umap-initialization/spectral-umap.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sparlane-examples-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program prints, and its picture. */
function run(program: string, ...args: readonly string[]): { said: string; svg: string } {
  const file = join(folder, 'picture.svg');
  const path = fileURLToPath(new URL(program, import.meta.url));
  const said = execFileSync(process.execPath, [path, file, ...args], { encoding: 'utf8' });
  const svg = readFileSync(file, 'utf8');
  rmSync(file);
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img" aria-label="[^"]+"[\s\S]*<\/svg>\n$/);
  expect(svg).not.toMatch(/NaN|undefined/);
  expect(svg.length).toBeLessThan(60_000);
  return { said, svg };
}

/** Numbers that follow the words, separated by commas. */
function numbersAfter(said: string, words: string): number[] {
  const [, list] = new RegExp(`^${words}:? ([^a-zA-Z(]*(?:e[-+]\\d+[^a-zA-Z(]*)*)`, 'm').exec(said)!;
  return list!.split(',').map(Number);
}

/** A fit has few neighbours, and the same random numbers in each call. */
function parametersOf() {
  let state = 1;
  const random = () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
  return { nNeighbors: 5, random };
}

const dotsIn = (svg: string) => svg.match(/h0/g)!.length;

test('umap-initialization: umap-js keeps the whole in place from a spectral start, and no less of the neighbours', () => {
  const { said, svg } = run('../../examples/umap-initialization/umap-initialization.mjs');
  expect(said).toMatch(/^480 points, 9414 entries in the graph\n/);
  const [zero, second, third] = numbersAfter(said, 'eigenvalues');
  expect(Math.abs(zero!)).toBeLessThan(1e-12);
  expect(second).toBeCloseTo(1.178e-3, 6);
  expect(third).toBeCloseTo(3.008e-3, 6);
  for (const residual of numbersAfter(said, 'residuals')) expect(residual).toBeLessThan(1e-6);
  const [random, spectral] = ['random', 'spectral'].map((start) => {
    const [, numbers] = new RegExp(`^20 +${start} +(.*)$`, 'm').exec(said)!;
    return numbers!.split(/ +/).map(Number) as [number, number, number, number];
  });
  // Trustworthiness, and the correlation of distances: the least of the spectral ones is above the greatest of the random ones.
  expect(spectral![0]).toBeGreaterThan(random![0] - 0.001);
  expect(spectral![2]).toBeGreaterThan(random![3] + 0.2);
  expect(dotsIn(svg)).toBe(480);
});

test('umap-initialization: a graph in several parts keeps its random places', async () => {
  const { SpectralUMAP } = await import(SPECTRAL_UMAP);
  const engine = await createEngine({ threads: 1 });
  const points = Array.from({ length: 40 }, (_, i) => [100 * (i % 2) + i / 10, (i * i) % 7]);
  const { umap, plain } = { umap: new SpectralUMAP(engine, parametersOf()), plain: new UMAP(parametersOf()) };
  for (const fit of [umap, plain]) fit.initializeFit(points);
  expect(umap.found.values[1]).toBeLessThan(1e-8);
  expect(umap.getEmbedding()).toEqual(plain.getEmbedding());
  await engine.dispose();
});

test('latent-semantics: the nearest sentences are of the topic of the query, also those that share no word with it', () => {
  const { said, svg } = run('../../examples/latent-semantics/latent-semantics.mjs');
  expect(said).toMatch(/^60 documents, 202 words, 315 entries\n/);
  expect(numbersAfter(said, 'singular values')).toEqual([1.391, 1.35, 1.307, 1.264, 1.259]);
  const near = [...said.matchAll(/^ {2}0\.9\d\d (\w+): .* \((.*)\)$/gm)];
  expect(near.map(([, topic]) => topic)).toEqual(Array(6).fill('astronomy'));
  expect(near.filter(([, , shared]) => shared === 'no word of the query').length).toBeGreaterThan(2);
  expect(said).toMatch(/same topic: 58 of 60$/m);
  // The key of the picture has a dot for each topic.
  expect(dotsIn(svg)).toBe(65);
  const query = run('../../examples/latent-semantics/latent-semantics.mjs', 'bread', 'and', 'butter').said;
  expect(query).toMatch(/nearest to “bread and butter”:\n {2}\S+ baking: .*\n {2}\S+ baking: /);
});

test('truss-modes: frequencies ascend, none is missing, and Rayleigh bounds the first one', () => {
  const { said, svg } = run('../../examples/truss-modes/truss-modes.mjs');
  expect(said).toMatch(/^2105 bars, 1209 unknowns: 8 modes in/);
  const [, below, found] = /inertia: (\d+) eigenvalues below \S+, and (\d+) were found/.exec(said)!;
  expect(found).toBe(below);
  const frequencies = numbersAfter(said, 'frequencies in Hz');
  expect(frequencies).toHaveLength(8);
  expect(frequencies).toEqual(frequencies.toSorted((a, b) => a - b));
  const [estimate] = numbersAfter(said, "Rayleigh's estimate of the first one");
  expect(estimate).toBeGreaterThanOrEqual(frequencies[0]!);
  expect(estimate).toBeLessThan(1.01 * frequencies[0]!);
  // Bars of 5e-3 m² of steel, but for what the supports carry: half a bar or so of each at a corner.
  const { joints, bars }: { joints: [number, number][]; bars: [number, number][] } = bridgeOf();
  const lengths = bars.map(([i, j]) => Math.hypot(joints[i]![0] - joints[j]![0], joints[i]![1] - joints[j]![1]));
  const tonnes = (7850 * 5e-3 * lengths.reduce((sum, length) => sum + length, 0)) / 1000;
  const [mass] = numbersAfter(said, 'mass beside the supports');
  expect(mass).toBeLessThan(tonnes);
  expect(mass).toBeGreaterThan(0.995 * tonnes);
  // More mass and the same stiffness: no frequency is higher than before (Courant–Fischer).
  const loaded = numbersAfter(said, 'with 50 t in the middle');
  for (const [j, frequency] of loaded.entries()) expect(frequency).toBeLessThanOrEqual(frequencies[j]!);
  expect(loaded[0]).toBeLessThan(0.8 * frequencies[0]!);
  expect(svg.match(/<path/g)).toHaveLength(6);
});

test('heat-kernel: heat stays, is positive, and spreads until all crossings are equally warm', () => {
  const { said, svg } = run('../../examples/heat-kernel/heat-kernel.mjs');
  expect(said).toMatch(/^793 crossings, 1285 roads/);
  const states = [...said.matchAll(/^t = \d+: \d+ products \(\w+\), sum off by (\S+), from (\S+) to (\S+)$/gm)];
  expect(states).toHaveLength(3);
  let [least, most] = [0, 1];
  for (const [, loss, low, high] of states) {
    expect(Number(loss)).toBeLessThan(1e-13);
    // Far away there is less heat than rounding errors at first.
    expect(Number(low)).toBeGreaterThan(least - 1e-15);
    expect(Number(high)).toBeLessThan(most);
    [least, most] = [Number(low), Number(high)];
  }
  const [, stretches, backwards] = /two stretches: off by (\S+); backwards: off by (\S+)/.exec(said)!;
  expect(Number(stretches)).toBeLessThan(1e-14);
  expect(Number(backwards)).toBeLessThan(1e-14);
  expect(Number(/t = 100000: off by (\S+) from the same/.exec(said)![1])).toBeLessThan(1e-9);
  // The last picture has a dot for each crossing, the first one for few.
  const counts = svg.split('<use').slice(1).map(dotsIn);
  expect(counts[0]).toBeLessThan(counts[1]!);
  expect(counts[2]).toBe(793);
});
