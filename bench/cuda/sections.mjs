/** The sections of the page, made of the charts and tables of `bench/report`. A section without data is undefined. */
import { cacheChart } from '../report/charts/caches.mjs';
import { matrixChart } from '../report/charts/matrices.mjs';
import { profileChart } from '../report/charts/profile.mjs';
import { domainOf, speedupChart } from '../report/charts/speedups.mjs';
import { html } from '../report/html.mjs';
import { labelOf } from '../report/looks.mjs';
import { rounded, times } from '../report/numbers.mjs';
import { figures, firstOpen, legend, table } from '../report/page.mjs';
import { AUTO, BEST, CSR, speedups } from '../report/results.mjs';
import { matrixLegend } from '../report/sections/speeds.mjs';
import { geometricMean } from '../report/statistics.mjs';
import { BASELINE, BEST_PEER, casesOf } from './cases.mjs';
import { claimsOf } from './claims.mjs';
import { codes, comparison, failures, machine } from './tables.mjs';

const CACHES = ['cold', 'warm'];

const GROUPS = [
  ['regular', ({ line }) => line.regular],
  ['irregular', ({ line }) => !line.regular],
  ['all', () => true],
];

/** With few different values, formats with codes for them have an advantage that cuSPARSE does not have. */
const inFull = ({ key }) => !key.endsWith('-own');

/** Our best and our choice, our CSR, then all other contenders. */
function rivals({ contenders: { formats, hasAuto, native }, baseline }) {
  const ours = [BEST, ...(hasAuto ? [AUTO] : []), ...formats.filter((name) => name === CSR)];
  return [...new Set([...ours, baseline, ...native])];
}

/** A part for each dtype and state of L2, the first one open. */
function byCondition({ results }, of) {
  const conditions = results.dtypes.flatMap((dtype) =>
    CACHES.map((cache) => ({
      ...{ dtype, cache, name: `${dtype}-${cache}`, caption: `${dtype}, L2 ${cache}` },
      cases: casesOf(results, dtype, cache),
    })),
  );
  return firstOpen(conditions.map((condition) => ({ title: condition.caption, content: of(condition) })));
}

export function summarySection(context) {
  const { baseline, plain, looks, draw } = context;
  const contenders = rivals(context);
  const part = ({ name, caption, cases: all }) => {
    const cases = all.filter(inFull);
    const ratios = contenders.flatMap((one) => speedups(cases, one, baseline).map(({ ratio }) => ratio));
    const label = `Speed over ${baseline}, ${caption}`;
    const chart = draw(`speedup-${name}`, caption, () =>
      speedupChart({ cases, contenders, baseline, plain, looks, domain: domainOf(ratios), label }),
    );
    return html`${figures(chart)}<h3>Geometric means, ${caption}</h3>${meansTable(cases, contenders, context)}`;
  };
  return {
    id: 'summary',
    title: `Against ${plain}`,
    words: html`<p>How many times as fast as ${plain} (${baseline}) on the matrices with values in full. A tick is a matrix; the discs are geometric means, ● of
the regular matrices (variance of the row lengths at most 10), ○ of the irregular ones; the figure is that of all.</p>
<p class="quiet">“${BEST}” and “${BEST_PEER}” are, on each matrix, the fastest of all their formats and products; “auto” is a choice without
measuring.</p>`,
    body: byCondition(context, part),
  };
}

function meansTable(cases, contenders, { baseline }) {
  const head = html`<tr><th></th>${GROUPS.map(([name, isIn]) => html`<th>${name} (${cases.filter(isIn).length})</th>`)}</tr>`;
  const mean = (some, name) => times(geometricMean(speedups(some, name, baseline).map(({ ratio }) => ratio)));
  const rows = contenders.map((name) => ({
    isFirst: name === BEST || name === AUTO,
    cells: [labelOf(name), ...GROUPS.map(([, isIn]) => mean(cases.filter(isIn), name))],
  }));
  return table(head, rows);
}

export function matricesSection(context) {
  const { contenders: all, baseline, plain, looks, draw } = context;
  // If the best of cuSPARSE is one of its formats, one mark is enough.
  const contenders = { ...all, native: all.native.filter((name) => name !== BEST_PEER) };
  const part = ({ name, caption, cases }) => {
    const groups = [
      ['in-full', 'values in full', cases.filter(inFull)],
      ['own', 'own values, few of them', cases.filter((one) => !inFull(one))],
    ];
    return figures(
      groups.flatMap(([id, title, some]) => {
        const label = `GFLOP/s of the matrices with ${title}, ${caption}`;
        if (some.length === 0) return [];
        return draw(`matrices-${name}-${id}`, `${title}, ${caption}`, () =>
          matrixChart({ cases: some, contenders, baseline, looks, label }),
        );
      }),
    );
  };
  return {
    id: 'matrices',
    title: 'Every matrix',
    words: html`<p>GFLOP/s, two operations for each entry. With L2 cold the grey bar ends at the limit of the device’s memory bandwidth if only the
arrays of CSR are moved. The long blue tick is this limit for the format named on the right, our fastest; the short ticks at the bottom are
those of our other formats. The brown tick, shown if it is lower, is the limit of the gathers alone, with every miss at a random place of x.</p>
<p class="quiet">The figure on the right is our fastest over ${plain}. Dashed: the means of the group. A format’s parameters are shown by their
values: “sell 16 table” is <code>sell?index=16&amp;values=table</code>.</p>${matrixLegend({ contenders, baseline }, looks)}`,
    body: byCondition(context, part),
  };
}

export function timesSection({ results }) {
  return {
    id: 'times',
    title: 'Times',
    isWide: true,
    words: html`<p>µs, L2 cold and warm, the format that of our best with L2 cold. Lower bounds of a cold product: the time of its arrays, at the speed at which the device reads 4 GiB; and that of
its gathers that miss, each at a random place of x.</p>`,
    body: firstOpen(results.dtypes.map((dtype) => ({ title: dtype, content: timesTable(results, dtype) }))),
  };
}

/** Contenders with columns of their own in the table of times. */
const TOLD = [
  [BEST, 'best of ours'],
  [AUTO, 'auto'],
  [CSR, 'our csr'],
  [BEST_PEER, BEST_PEER],
  [BASELINE, BASELINE],
];

function timesTable(results, dtype) {
  const [cold, warm] = CACHES.map((cache) => casesOf(results, dtype, cache));
  const warmOf = new Map(warm.map((one) => [one.key, one]));
  const head = html`<tr><th>${dtype}</th><th colspan="2" scope="colgroup">lower bounds</th><th class="words"></th>${TOLD.map(
    ([, title]) => html`<th colspan="2" scope="colgroup">${title}</th>`,
  )}</tr><tr><th></th><th>bytes</th><th>gathers</th><th class="words">best in</th>${TOLD.map(
    () => html`<th>cold</th><th>warm</th>`,
  )}</tr>`;
  const us = (product) => (product === undefined ? '–' : rounded(1000 * product.medianMs));
  const rows = cold.map(({ key, line, readGbps, gathersMs, products }) => {
    const best = products.get(BEST);
    const bytesUs = readGbps && best && best.bytes / readGbps / 1e3;
    return {
      cells: [
        ...[line.title, bytesUs ? rounded(bytesUs) : '–', gathersMs ? rounded(1000 * gathersMs) : '–'],
        { words: best ? labelOf(best.format) : '–' },
        ...TOLD.flatMap(([name]) => [us(products.get(name)), us(warmOf.get(key)?.products.get(name))]),
      ],
    };
  });
  return table(head, rows);
}

export function cachesSection(context) {
  const { results, baseline, looks, draw } = context;
  const shown = [baseline, BEST];
  const charts = results.dtypes.flatMap((dtype) => {
    const hot = new Map(casesOf(results, dtype, 'warm').map((one) => [one.key, one]));
    const cold = casesOf(results, dtype, 'cold').filter(({ key }) => hot.has(key));
    const pairs = cold.map((one) => ({ hot: hot.get(one.key), cold: one }));
    const label = `Time with L2 cold over time with L2 warm, ${dtype}`;
    return draw(`cold-${dtype}`, dtype, () => cacheChart({ pairs, contenders: shown, looks, label }));
  });
  if (charts.length === 0) return undefined;
  return {
    id: 'caches',
    title: 'Warm and cold',
    words: html`<p>A product right after another finds data of the previous one in L2. Before a cold one, L2 was filled with other data. Shown is the ratio of
the cold to the warm time, by the bytes moved.</p>${legend(shown.map((name) => looks.get(name)))}`,
    body: figures(charts),
  };
}

export function profileSection(context) {
  const { contenders, looks, draw } = context;
  const named = rivals(context).filter((name) => name !== BEST && name !== BEST_PEER);
  const all = [...new Set([...contenders.formats, ...named])];
  const part = ({ cases, name, caption }) =>
    figures(
      draw(`profile-${name}`, caption, () =>
        profileChart({
          cases: cases.filter(inFull),
          contenders: all,
          named,
          looks,
          label: `Overhead profile, ${caption}`,
        }),
      ),
    );
  return {
    id: 'profile',
    title: 'How far from the best',
    words: html`<p>The share of matrices, with values in full, on which a product takes at most θ times as long as the fastest of all contenders.</p>
<p class="quiet">As Flegar & Anzt 2017, figure 9. Thin: our other formats. A format that refuses a matrix counts as beyond every θ on it.</p>`,
    body: byCondition(context, part),
  };
}

export function aimsSection({ results }) {
  return {
    id: 'aims',
    title: 'Figures to beat',
    isWide: true,
    words: html`<p>In brackets: cuSPARSE’s CSR, measured before any of our code existed, on the same kind of device; the aims were set then. Ratios are
speed ratios.</p>`,
    body: results.dtypes.map((dtype) => titled(comparison(results, dtype))),
  };
}

export function codesSection({ results }) {
  const tables = results.dtypes.map((dtype) => codes(results, dtype)).filter(({ rows }) => rows.length > 0);
  if (tables.length === 0) return undefined;
  return {
    id: 'codes',
    title: 'Codes for values',
    isWide: true,
    words: html`<p>Matrices with few different values, stored as codes of 8 bits or in full: µs, L2 cold.</p>`,
    body: tables.map(titled),
  };
}

export function claimsSection({ results }) {
  const claims = results.dtypes.flatMap((dtype) => claimsOf(results, dtype).map((claim) => ({ ...claim, dtype })));
  if (claims.length === 0) return undefined;
  return {
    id: 'claims',
    title: 'Claims of the papers',
    isWide: true,
    words: html`<p>Each paper’s kernel on the matrices of this benchmark: µs, L2 cold, and whether the paper’s claim for its GPU holds on this one.</p>`,
    body: claims.map(
      ({ title, dtype, claim, found, header, rows }) =>
        html`<h3>${title}, ${dtype}</h3><p>Claim: ${claim}.</p>${textTable(header, rows)}<p>Here: ${found}.</p>`,
    ),
  };
}

const titled = ({ title, header, rows }) => html`<h3>${title}</h3>${textTable(header, rows)}`;

/** A column with a cell that begins with a letter is one of words. */
function textTable(header, rows) {
  const isWords = header.map((_, place) => rows.some((row) => /^\p{L}/u.test(row[place])));
  const head = html`<tr>${header.map((name, place) => (isWords[place] ? html`<th class="words">${name}</th>` : html`<th>${name}</th>`))}</tr>`;
  return table(
    head,
    rows.map((row) => ({ cells: row.map((text, place) => (isWords[place] && place > 0 ? { words: text } : text)) })),
  );
}

export function methodSection({ results }) {
  const products = results.of('product');
  const samples = Math.max(...products.map((line) => line.samples ?? 0));
  return {
    id: 'method',
    title: 'Machine and method',
    words: html`<p>Made from ${products.length} measured products.</p>`,
    body: html`${machine(results).map((line) => html`<p>${line}</p>`)}
<p>Every product is verified against the reference, then timed by the device’s clock: up to ${samples} times with L2 full of other data, and the same number of
times right after another product; the medians count. Matrix and vectors are on the device. Ours and cuSPARSE’s are measured in one run, alone on the
device, one after the other. GFLOP/s count two operations for each entry of the matrix, without padding; means of ratios are geometric.</p>`,
  };
}

export function absentSection({ results }) {
  const failed = failures(results);
  const refused = results.of('failed').filter(({ isRefusal }) => isRefusal).length;
  return {
    id: 'absent',
    title: 'Not measured',
    words: html`<p>Products that failed, and products not measured within the time limit. ${refused} times a format refused a matrix, because it would be mostly padding.</p>`,
    body: failed.length === 0 ? html`<p>None.</p>` : html`<ul>${failed.map((line) => html`<li>${line}</li>`)}</ul>`,
  };
}
