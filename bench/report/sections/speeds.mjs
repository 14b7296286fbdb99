/** Speeds: the summary, and every matrix. */
import { max } from 'd3-array';
import { matrixChart } from '../charts/matrices.mjs';
import { domainOf, speedupChart } from '../charts/speedups.mjs';
import { html } from '../html.mjs';
import { threadsOf, times } from '../numbers.mjs';
import { figures, firstOpen, legend, table } from '../page.mjs';
import { AUTO, BEST, casesOf, rivals, speedups } from '../results.mjs';
import { geometricMean } from '../statistics.mjs';
import { suiteTitle } from './suites.mjs';

const GROUPS = [
  ['regular', ({ line }) => line.regular],
  ['irregular', ({ line }) => !line.regular],
  ['all', () => true],
];

export function summarySection({ results, looks, draw }) {
  const { threads, dtypes, baseline, plain } = results;
  const contenders = rivals(results);
  const parts = dtypes.map((dtype) => {
    const conditions = threads.map((number) => ({
      threads: number,
      cases: casesOf(results, { dtype, threads: number }),
    }));
    const ratios = conditions.flatMap(({ cases }) =>
      contenders.flatMap((name) => speedups(cases, name, baseline).map(({ ratio }) => ratio)),
    );
    const domain = domainOf(ratios);
    const charts = conditions.flatMap(({ threads: number, cases }) => {
      const label = `Speed over ${baseline}, ${dtype}, ${threadsOf(number)}`;
      return draw(`speedup-${dtype}-${number}t`, `${dtype}, ${threadsOf(number)}`, () =>
        speedupChart({ cases, contenders, baseline, plain, looks, domain, label }),
      );
    });
    const content = html`${figures(charts)}<h3>Geometric means, ${dtype}</h3>${meansTable(conditions, contenders, results)}
<h3>By suite, ${dtype}</h3>${suitesTable(conditions, results)}`;
    return { title: dtype, content };
  });
  return {
    id: 'summary',
    title: `Against ${plain}`,
    words: html`<p>How many times as fast as ${plain} (${baseline}), a loop over CSR. A tick is a matrix; the discs are geometric
means, ● of the regular matrices (variance of the row lengths at most 10), ○ of the irregular ones; the figure is that of all.</p>
<p class="quiet">“${BEST}” is, on each matrix, the fastest of all our formats, as found by trying them all. The
minimum of many measured times is slightly optimistic; “auto”, a choice without measuring, is not. A library with one thread
is shown only there.</p>`,
    body: firstOpen(parts),
  };
}

function meansTable(conditions, contenders, { baseline }) {
  const sizes = conditions.map(({ cases }) => GROUPS.map(([, isIn]) => cases.filter(isIn).length));
  const head = html`<tr><th></th>${conditions.map(
    ({ threads }) => html`<th colspan="3" scope="colgroup">${threadsOf(threads)}</th>`,
  )}</tr><tr><th></th>${sizes.map((of) => GROUPS.map(([name], k) => html`<th>${name} (${of[k]})</th>`))}</tr>`;
  const rows = contenders.map((contender) => ({
    isFirst: contender === BEST || contender === AUTO,
    cells: [
      contender === AUTO ? 'auto' : contender,
      ...conditions.flatMap(({ cases }, c) =>
        GROUPS.map(([, isIn], g) => meanCell(speedups(cases.filter(isIn), contender, baseline), sizes[c][g])),
      ),
    ],
  }));
  return table(head, rows);
}

/** The mean, with the number of matrices if some are missing. */
function meanCell(found, size) {
  const mean = times(geometricMean(found.map(({ ratio }) => ratio)));
  return found.length === 0 || found.length === size ? mean : html`${mean} <small>of ${found.length}</small>`;
}

function suitesTable(conditions, { suites, baseline, contenders }) {
  const peers = [...contenders.native, ...contenders.javascript].filter((name) => name !== baseline);
  const head = html`<tr><th></th>${conditions.map(
    ({ threads }) => html`<th colspan="3" scope="colgroup">${threadsOf(threads)}</th>`,
  )}</tr><tr><th></th>${conditions.map(() => html`<th>${BEST}</th><th>auto</th><th>best other</th>`)}</tr>`;
  const rows = suites.map((suite) => ({
    cells: [
      suiteTitle(suite),
      ...conditions.flatMap(({ cases }) => {
        const some = cases.filter(({ line }) => line.suite === suite);
        const mean = (name) => geometricMean(speedups(some, name, baseline).map(({ ratio }) => ratio));
        const best = some.map((one) =>
          max(
            peers.flatMap((name) => speedups([one], name, baseline)),
            ({ ratio }) => ratio,
          ),
        );
        return [mean(BEST), mean(AUTO), geometricMean(best.filter((ratio) => ratio !== undefined))].map(times);
      }),
    ],
  }));
  return table(head, rows);
}

export function matricesSection({ results, looks, draw }) {
  const { threads, dtypes, suites } = results;
  const conditions = dtypes.flatMap((dtype) => threads.toReversed().map((number) => ({ dtype, threads: number })));
  const parts = conditions.map(({ dtype, threads: number }) => {
    const cases = casesOf(results, { dtype, threads: number });
    const content = suites.map((suite) => {
      const ofSuite = cases.filter(({ line }) => line.suite === suite);
      return ofSuite.length > 0 && suitePanels({ results, looks, draw, suite, cases: ofSuite, dtype, threads: number });
    });
    return { title: `${dtype}, ${threadsOf(number)}`, content };
  });
  return {
    id: 'matrices',
    title: 'Every matrix',
    words: html`<p>GFLOP/s, two operations for each entry. The grey bar ends at the limit of the memory bus if only the arrays of
CSR are moved. The long blue tick is this limit for the format named on the right, our fastest; the short ticks at
the bottom are those of our other formats. A speed beyond its limit is due to a cache.</p>
<p class="quiet">The figure on the right is our fastest over ${results.plain}. Dashed: the means of the group. ≈ a stand-in, generated with the
figures of the paper. A format's parameters are shown by their values: “sell 16 table” is <code>sell?index=16&amp;values=table</code>.</p>${matrixLegend(results, looks)}`,
    body: firstOpen(parts),
  };
}

function suitePanels({ results, looks, draw, suite, cases, dtype, threads }) {
  const { contenders, baseline } = results;
  const charts = GROUPS.slice(0, 2).flatMap(([group, isIn]) => {
    const some = cases.filter(isIn);
    if (some.length === 0) return [];
    const label = `GFLOP/s of the ${group} matrices of ${suiteTitle(suite)}, ${dtype}, ${threadsOf(threads)}`;
    return draw(`matrices-${suite}-${dtype}-${threads}t-${group}`, `${group}, ${some.length} matrices`, () =>
      matrixChart({ cases: some, contenders, baseline, looks, label }),
    );
  });
  return html`<h3>${suiteTitle(suite)}: ${dtype}, ${threadsOf(threads)}</h3>${figures(charts)}`;
}

export function matrixLegend({ contenders, baseline }, looks) {
  const tick = (colour) =>
    html`<svg class="plot" width="16" height="16" viewBox="0 0 16 16"><path d="M8,2V14" style="stroke:${colour};stroke-width:2"/></svg>`;
  const ring = html`<svg class="plot" width="16" height="16" viewBox="0 0 16 16"><circle cx="8" cy="8" r="5.6" style="fill:none;stroke:var(--auto);stroke-width:1.4"/></svg>`;
  const extra = [
    [tick(looks.get(baseline).colour), baseline],
    [tick('var(--format)'), 'one of our formats'],
    ...(contenders.hasAuto ? [[ring, 'auto']] : []),
  ];
  const others = [...contenders.native, ...contenders.javascript].filter((name) => name !== baseline);
  return legend(
    [BEST, ...others].map((name) => looks.get(name)),
    extra,
  );
}
