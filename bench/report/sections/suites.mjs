/** The suites by their papers' names, and their matrices with pictures. */
import { html } from '../html.mjs';
import { count, rounded, threadsOf, times } from '../numbers.mjs';
import { BEST, casesOf } from '../results.mjs';

const TITLES = {
  'bell-garland-3': 'Bell & Garland 2008, Table 3',
  'bell-garland-4': 'Bell & Garland 2008, Table 4',
  'lane-booth-1': 'Lane & Booth 2022, Table 1',
  'abdelfattah-2': 'Abdelfattah et al. 2016, Table II',
  jindal: 'Jindal, the fifteen matrices',
  real: 'Real matrices',
};

export function suiteTitle(suite) {
  return TITLES[suite] ?? suite;
}

export function suitesSection({ results }) {
  const { suites, matrices, dtypes, threads, plain } = results;
  const [dtype, most] = [dtypes[0], threads.at(-1)];
  const cases = new Map(casesOf(results, { dtype, threads: most }).map((one) => [one.line, one]));
  const standIns = matrices.filter(({ standIn }) => standIn).length;
  return {
    id: 'suites',
    title: 'The matrices',
    isWide: true,
    words: html`<p>${matrices.length} matrices, ${standIns} of them stand-ins: generated with the rows, entries and row lengths
of the paper's table. The others are defined by a rule or a file. Last line of each: our fastest format over ${plain},
${dtype}, ${threadsOf(most)}.</p>`,
    body: suites.map((suite) => {
      const some = matrices.filter((line) => line.suite === suite);
      return html`<h3>${suiteTitle(suite)}</h3><div class="cards">${some.map((line) => card(line, cases.get(line), results.baseline))}</div>`;
    }),
  };
}

function card(line, one, baseline) {
  const { matrix, standIn, how, rows, cols, nnz, mean, max, variance, bandwidth, symmetric, regular, spy } = line;
  const [best, plain] = [BEST, baseline].map((name) => one?.products.get(name));
  return html`<div class="card">${spy && html`<img src="${spy}" alt="Positions of the entries of ${matrix}" width="160"/>`}
<h4>${matrix}</h4>
<div>${rows === cols ? `${count(rows)} rows` : `${count(rows)} × ${count(cols)}`}</div><div>${count(nnz)} entries</div>
<div>${rounded(mean)} a row, at most ${count(max)}</div><div>${regular ? 'regular' : 'irregular'}, variance ${variance < 10 ? variance.toFixed(2) : rounded(variance)}</div>
<div>bandwidth ${count(bandwidth)}${symmetric && ', symmetric'}</div><details class="quiet"><summary>${standIn ? '≈ stand-in' : 'as published'}</summary>${withoutFolder(how)}</details>
${best && plain && html`<div><b>${times(plain.medianMs / best.medianMs)}</b> ${best.format}</div>`}</div>`;
}

/** A file is shown by its name; its folder belongs to the machine only. */
function withoutFolder(how) {
  return how.replace(/^file .*[\\/]/, 'file ');
}
