/** The page of measurements on a GPU. */
import { html } from '../report/html.mjs';
import { looksOf } from '../report/looks.mjs';
import { times } from '../report/numbers.mjs';
import { collectCharts, page } from '../report/page.mjs';
import { CSR } from '../report/results.mjs';
import { BASELINE, contendersOf } from './cases.mjs';
import {
  absentSection,
  aimsSection,
  cachesSection,
  claimsSection,
  codesSection,
  matricesSection,
  methodSection,
  profileSection,
  summarySection,
  timesSection,
} from './sections.mjs';
import { comparisons, machine, meanOf } from './tables.mjs';

const SECTIONS = [
  ...[summarySection, matricesSection, timesSection, cachesSection, profileSection, aimsSection, codesSection],
  ...[claimsSection, methodSection, absentSection],
];

/** From `Results` to the page's text, and the text of every chart by name. @throws if no baseline was measured */
export function renderPage(results) {
  const contenders = contendersOf(results);
  const baseline = [BASELINE, CSR].find((name) => [...contenders.native, ...contenders.formats].includes(name));
  if (baseline === undefined) throw new Error(`results: expected products of ${BASELINE} | ${CSR}, got none`);
  const plain = baseline === CSR ? 'our plain CSR' : 'cuSPARSE’s CSR';
  const { svgs, draw } = collectCharts();
  const context = { results, contenders, baseline, plain, looks: looksOf({ contenders, baseline }), draw };
  const sections = SECTIONS.flatMap((section) => section(context) ?? []);
  return { text: page({ title: 'sparlane on a GPU', lead: lead(results), sections }), svgs };
}

const TILES = [
  ['overPeer', 'best of ours over the best of cuSPARSE'],
  ['chosenOverPeer', 'auto over the best of cuSPARSE'],
  ['csrOverCsr', 'our CSR over its CSR, preprocessed'],
];

/** The main results, in large figures. */
function lead(results) {
  const tiles = results.dtypes.flatMap((dtype) => {
    const cases = comparisons(results, dtype);
    return TILES.flatMap(([key, name]) => {
      const mean = meanOf(cases, key);
      return mean === undefined ? [] : html`<div><b>${times(mean)}</b><span>${name}, ${dtype}</span></div>`;
    });
  });
  return html`<p class="quiet">${machine(results)[0]}</p><div class="tiles">${tiles}</div>
<p class="quiet">Geometric means over the matrices with figures to beat, L2 cold.</p>`;
}
