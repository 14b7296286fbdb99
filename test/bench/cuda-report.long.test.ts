/** The page of measurements on a GPU, from lines that the benchmark has written for a fake device. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BASELINE, BEST_PEER, casesOf, contendersOf } from '../../bench/cuda/cases.mjs';
import { matrixByName } from '../../bench/cuda/matrices.mjs';
import { describeMatrix, measureMatrix } from '../../bench/cuda/measure.mjs';
import { renderPage } from '../../bench/cuda/page.mjs';
import { Results, readResults } from '../../bench/cuda/results.mjs';
import { BEST } from '../../bench/report/results.mjs';
import { fakeEngine, writeFakeCusparse } from './fake.js';
import { unbalanced } from './markup.js';

type Line = Record<string, unknown> & { kind: string };

const SECTIONS = [
  ...['summary', 'matrices', 'times', 'caches', 'profile', 'aims', 'codes', 'claims', 'method', 'absent'],
];
const NAMES = ['5-point', 'rmat', 'blocks', '5-point-own'];
const FORMATS = ['csr', 'auto', 'sell', 'coo', 'csr5', 'csrk?k=3', 'hyb', 'ell', 'dia', 'bsr', 'bsr?maxRowBlocks=8'];
const PRODUCTS = ['csr ALG1 preprocess', 'csr ALG2', 'sell 32', 'coo ALG1'];
const SLOWDOWNS = { sell: 0.5, auto: 0.8, coo: 2, 'sell?values=table': 0.25 };

/** As limits.cu writes it. */
const LIMITS: Line = {
  ...{ kind: 'limits', device: 'Fake GPU', cuda: '13.0', copyGbps: { '4294967296': 4000 } },
  readGbps: { '4294967296': 4000, '33554432': 3000 },
  gatherGps: { f64: { '4096': 800, '131072': 200 }, f32: { '4096': 800, '131072': 200 } },
};

const folder = mkdtempSync(join(tmpdir(), 'sparlane-'));
let measured: Line[];

beforeAll(async () => {
  writeFakeCusparse(folder);
  measured = [];
  // One after the other: a process has one file per matrix.
  for (const name of NAMES) measured.push(...(await linesOf(name)));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The lines of run.mjs for a matrix at a thousandth of its size. */
async function linesOf(name: string): Promise<Line[]> {
  const entry = matrixByName(name);
  const matrix = entry.make(0.001);
  const about = { matrix: name, scale: 1, device: 'Fake GPU', driver: '580', commit: 'c0ffee' };
  const request = {
    ...{ engine: fakeEngine(matrix, SLOWDOWNS), matrix, dtypes: ['f64', 'f32'], repetitions: 3 },
    ...{ formats: name.endsWith('-own') ? [...FORMATS, 'sell?values=table'] : FORMATS, everyMethod: false },
    ...{ products: entry.block === undefined ? PRODUCTS : [...PRODUCTS, 'bsr 7', 'bsrmv 7'], cusparse: folder },
    isOver: () => false,
  };
  const lines = [describeMatrix(entry, matrix)];
  for await (const line of measureMatrix(request)) {
    lines.push(line);
    // As if every method had been measured: the fake device has one. A claim is about a paper's own method.
    if (line.kind === 'product' && line.requested === 'coo')
      lines.push({ ...line, requested: 'coo flegar', method: 'flegar?omega=64' });
  }
  return lines.map((line) => ({ ...line, ...about }));
}

function expectSound({ text, svgs }: { text: string; svgs: ReadonlyMap<string, unknown> }): void {
  expect(unbalanced(text)).toEqual([]);
  expect(text.match(/.{60}(NaN|undefined|Infinity|\[object).{20}/)).toBeNull();
  for (const [name, svg] of svgs) expect(`${svg}`, name).not.toMatch(/NaN|undefined|Infinity/);
}

describe.skipIf(process.platform !== 'linux')('page', () => {
  test('every section is there, with a link to it', () => {
    const page = renderPage(new Results([LIMITS, ...measured]));
    expectSound(page);
    for (const id of SECTIONS) {
      expect(page.text).toContain(`<section id="${id}"`);
      expect(page.text).toContain(`<a href="#${id}">`);
    }
    expect(page.text).not.toMatch(/<script|<link|@import|https?:|\son\w+=/);
    for (const dtype of ['f64', 'f32']) {
      for (const cache of ['cold', 'warm'])
        expect([...page.svgs.keys()]).toContain(`matrices-${dtype}-${cache}-in-full`);
    }
  });

  test('in large figures: our best, our choice and our CSR over cuSPARSE', () => {
    const { text } = renderPage(new Results(measured));
    // 1.5, 2.4 and 3 µs; 6 the best, 9 the CSR of cuSPARSE.
    expect(text).toContain('<b>4.00 ×</b><span>best of ours over the best of cuSPARSE, f64</span>');
    expect(text).toContain('<b>2.50 ×</b><span>auto over the best of cuSPARSE, f32</span>');
    expect(text).toContain('<b>3.00 ×</b><span>our CSR over its CSR, preprocessed, f64</span>');
  });

  test('failures are named', () => {
    expect(renderPage(new Results(measured)).text).toMatch(/<li>rmat f32, sparlane ell: y\[2\]: expected /);
  });

  test.each<[string, (lines: Line[]) => Line[]]>([
    ['no limits, no driver', (lines) => lines.map(({ driver, device, ...line }) => line)],
    ['nothing of cuSPARSE', (lines) => [LIMITS, ...lines.filter(({ library }) => library !== 'cuSPARSE')]],
    ['nothing but CSR', (lines) => lines.filter(({ kind, requested }) => kind === 'matrix' || requested === 'csr')],
    ['nothing warm', (lines) => lines.map(({ warmUs, ...line }) => line)],
    ['no matrix of few values', (lines) => [LIMITS, ...lines.filter(({ matrix }) => matrix !== '5-point-own')]],
    [
      'a matrix without products',
      (lines) => lines.filter(({ kind, matrix }) => kind === 'matrix' || matrix === 'rmat'),
    ],
    ['lines without scattered gathers', (lines) => [LIMITS, ...lines.map(({ scattered, ...line }) => line)]],
    ['one dtype', (lines) => lines.filter(({ dtype }) => dtype !== 'f32')],
  ])('what was not measured is left out: %s', (_, change) => {
    expectSound(renderPage(new Results(change(measured))));
  });

  test('no measurements are an error', () => {
    expect(() => renderPage(new Results([LIMITS]))).toThrow(`results: expected products of ${BASELINE} | sparlane csr`);
  });
});

describe.skipIf(process.platform !== 'linux')('cases', () => {
  test('cuSPARSE is a contender for each format, its fastest product counts', () => {
    const results = new Results(measured);
    const { native, formats, hasAuto } = contendersOf(results);
    expect(native).toEqual([BEST_PEER, 'cuSPARSE csr', BASELINE, 'cuSPARSE sell', 'cuSPARSE coo', 'cuSPARSE bsr']);
    expect({ formats: formats.length, hasAuto }).toEqual({ formats: 9, hasAuto: true });
    const [grid] = casesOf(results, 'f64', 'warm');
    expect(grid.products.get(BEST)).toMatchObject({ format: 'sell', medianMs: 0.001 });
    expect(grid.products.get(BEST_PEER)).toMatchObject({ format: 'sell', medianMs: 0.004 });
    expect(grid.products.get(BASELINE).medianMs).toBe(0.006);
  });

  test('a cold product is bound by the fastest read, and by gathers at the rate of its x; a warm one by nothing', () => {
    const lines = measured.map((line) =>
      line.kind === 'matrix' ? { ...line, nnz: 1e6, cols: 2 ** 14.5, scattered: 0.5 } : line,
    );
    const results = new Results([LIMITS, ...lines]);
    const [cold] = casesOf(results, 'f64', 'cold');
    expect(cold.readGbps).toBe(4000);
    // Half a million gathers, halfway between 800 and 200 in 1 ns.
    expect(cold.gathersMs).toBeCloseTo(0.5e6 / 500 / 1e6, 12);
    const [warm] = casesOf(results, 'f64', 'warm');
    expect([warm.readGbps, warm.gathersMs]).toEqual([undefined, undefined]);
  });
});

test('results are read from files, gzipped ones, and folders of them', () => {
  const text = (lines: Line[]) => lines.map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(folder, 'a.jsonl'), text([LIMITS]));
  writeFileSync(join(folder, 'b.jsonl.gz'), gzipSync(text([{ kind: 'matrix', matrix: 'rmat', nnz: 7 }])));
  const results = readResults([folder]);
  expect(results.limits.device).toBe('Fake GPU');
  expect(results.matrices.map(({ name }: { name: string }) => name)).toEqual(['rmat']);
  expect(readResults([join(folder, 'a.jsonl')]).matrices).toEqual([]);
});
