/** The page of the suite `cores`. */
import { max } from 'd3-array';
import { coresChart } from '../report/charts/cores.mjs';
import { html } from '../report/html.mjs';
import { looksOf } from '../report/looks.mjs';
import { count, rounded, threadsOf, times } from '../report/numbers.mjs';
import { collectCharts, figures, page, table } from '../report/page.mjs';
import { BUS, distinct } from '../report/results.mjs';
import { machineFacts } from '../report/sections/facts.mjs';
import { C, PINNED_C } from './peer.mjs';
import { AUTO, boundOf, CSR, curvesOf, OURS, overC, parseCores } from './results.mjs';

/** From texts of JSON lines to the page's text, and the text of every chart by name. */
export function renderCores(texts) {
  const results = parseCores(texts);
  const { svgs, draw } = collectCharts();
  const native = results.contenders.filter((name) => [C, PINNED_C].includes(name));
  const looks = looksOf({ contenders: { formats: [CSR], native, javascript: [] }, baseline: native[0] ?? CSR });
  const context = { results, looks, draw };
  const sections = [chartsSection, speedsSection, readsSection, teamSection, methodSection].map((one) => one(context));
  return { text: page({ title: 'sparlane on many cores', lead: lead(results), sections }), svgs };
}

function lead(results) {
  const most = results.threads.at(-1);
  const tiles = [
    [overC(results, CSR, most), 'csr over C'],
    [overC(results, AUTO, most), 'auto over C'],
  ].filter(([ratio]) => ratio !== undefined);
  return html`<p class="quiet">${results.matrices.length} matrices, f64, up to ${threadsOf(most)}; ${
    results.machines[0]?.cpu ?? 'unknown machine'
  }, ${results.machines[0]?.date?.slice(0, 10) ?? 'no date'}</p>
<div class="tiles">${tiles.map(([ratio, name]) => html`<div><b>${times(ratio)}</b><span>${name}</span></div>`)}</div>
<p class="quiet">Geometric means over the matrices, ${threadsOf(most)}; of C, free and pinned, the faster one.</p>`;
}

function chartsSection({ results, looks, draw }) {
  return {
    id: 'scaling',
    title: 'More threads',
    words: html`<p>GFLOP/s by threads. The dashed line is what the read bandwidth allows a product that reads all of CSR.</p>
<p>A product above it reads fewer bytes than CSR has, as auto does, or finds the matrix in the caches.</p>`,
    body: figures(
      results.matrices.flatMap((matrix, k) =>
        draw(`cores-${k + 1}`, `${matrix.matrix}: ${count(matrix.rows)} rows, ${count(matrix.nnz)} entries`, () =>
          coresChart({
            lines: [...curvesOf(results, matrix), boundOf(results, matrix)].filter(({ points }) => points.length > 0),
            looks,
            label: `GFLOP/s by threads, ${matrix.matrix}`,
          }),
        ),
      ),
    ),
  };
}

function speedsSection({ results, looks }) {
  const { matrices, threads, contenders } = results;
  const rows = matrices.flatMap((matrix) => {
    const curves = [...curvesOf(results, matrix), boundOf(results, matrix)];
    return threads.map((number) => {
      const at = (name) =>
        curves.find(({ contender }) => contender === name)?.points.find((point) => point.threads === number);
      const speeds = [...contenders, BUS].map((name) => shown(at(name)?.gflops));
      const pauses = contenders.map((name) => shown(at(name)?.afterPauseMs));
      return { cells: [`${matrix.matrix}, ${threadsOf(number)}`, ...speeds, ...pauses] };
    });
  });
  const columns = (names) => names.map((name) => html`<th>${looks.get(name).label}</th>`);
  const head = html`<tr><th></th><th colspan="${contenders.length + 1}">GFLOP/s</th>
<th colspan="${contenders.length}">first after a pause, ms</th></tr>
<tr><th></th>${columns([...contenders, BUS])}${columns(contenders)}</tr>`;
  return { id: 'speeds', title: 'Speeds', isWide: true, words: undefined, body: table(head, rows) };
}

function readsSection({ results }) {
  const { reads, threads } = results;
  const names = distinct(reads, ({ contender }) => contender);
  const rows = threads.map((number) => {
    const best = names.map((name) =>
      max(reads, (line) => (line.threads === number && line.contender === name ? line.gbps : undefined)),
    );
    return { cells: [threadsOf(number), ...best.map(shown)] };
  });
  return {
    id: 'reads',
    title: 'Read bandwidth',
    words: html`<p>GB/s of a program that only reads: our WebAssembly kernel, and C. The best of those measured with the matrices.</p>`,
    body: table(html`<tr><th></th>${names.map((name) => html`<th>${name}</th>`)}</tr>`, rows),
  };
}

function teamSection({ results }) {
  const { teams } = results;
  const names = distinct(teams, ({ contender }) => contender);
  const rows = distinct(teams, ({ threads }) => threads).map((number) => {
    const at = (name) => teams.find((line) => line.threads === number && line.contender === name);
    const figures = [
      at(OURS)?.startMs,
      ...names.map((name) => at(name)?.forkJoinUs),
      ...names.map((name) => at(name)?.afterPauseUs),
    ];
    return { cells: [threadsOf(number), ...figures.map(shown)] };
  });
  const columns = names.map((name) => html`<th>${name}</th>`);
  const head = html`<tr><th></th><th></th><th colspan="${names.length}">fork-join, µs</th>
<th colspan="${names.length}">the first after a pause, µs</th></tr>
<tr><th></th><th>start, ms</th>${columns}${columns}</tr>`;
  return {
    id: 'team',
    title: 'Threads alone',
    words: html`<p>The start of an engine, and a product of an empty matrix.</p>`,
    body: table(head, rows),
  };
}

const shown = (number) => (number === undefined ? '–' : rounded(number));

function methodSection({ results }) {
  return {
    id: 'method',
    title: 'Machine and method',
    words: html`<p>Made from ${count(results.products.length)} measured products.</p>`,
    body: html`<h3>Machine</h3>${results.machines.map(machineFacts)}
<h3>Method</h3>
<p>Every product is verified against the reference before it is timed. Then csr, auto, C and the reads of both take turns, forward and
backward, each after uncounted runs; a time is the median. C is the plain loop over CSR, gcc -O3 -march=x86-64-v3 with OpenMP, its rows split
by entries, its pages first touched by the thread that uses them; free, and pinned to cores by
OMP_PROC_BIND. GFLOP/s count two operations for each entry
of the matrix.</p>`,
  };
}
