/** Converts results to the page and its charts. */
import { html } from './html.mjs';
import { looksOf } from './looks.mjs';
import { threadsOf, times } from './numbers.mjs';
import { collectCharts, page } from './page.mjs';
import { AUTO, BEST, casesOf, parseResults, speedups } from './results.mjs';
import { profileSection, statisticsSection, winnersSection } from './sections/comparisons.mjs';
import { cachesSection, conversionsSection, scalingSection } from './sections/costs.mjs';
import { absentSection, methodSection } from './sections/facts.mjs';
import { matricesSection, summarySection } from './sections/speeds.mjs';
import { suitesSection } from './sections/suites.mjs';
import { geometricMean } from './statistics.mjs';

const SECTIONS = [
  ...[summarySection, matricesSection, winnersSection, profileSection, statisticsSection, scalingSection],
  ...[conversionsSection, cachesSection, methodSection, absentSection, suitesSection],
];

/** From texts of JSON lines, for all `dtypes` or some, to the page's text, and the text of every chart by name. */
export function renderReport(texts, options) {
  const results = parseResults(texts, options);
  const { svgs, draw } = collectCharts();
  const context = { results, looks: looksOf(results), draw };
  const sections = SECTIONS.flatMap((section) => section(context) ?? []);
  return { text: page({ title: 'sparlane: sparse matrix × vector', lead: lead(results), sections }), svgs };
}

/** The main results, in large figures: with all threads, in the first dtype. */
function lead(results) {
  const { dtypes, threads, baseline, plain, machines, matrices } = results;
  const [dtype, most] = [dtypes[0], threads.at(-1)];
  const cases = casesOf(results, { dtype, threads: most });
  const mean = (name) => geometricMean(speedups(cases, name, baseline).map(({ ratio }) => ratio));
  const tiles = [[mean(BEST), BEST], [mean(AUTO), 'auto, the default'], ...bestOther(results, mean)].filter(
    ([ratio]) => ratio !== undefined,
  );
  return html`<p class="quiet">${matrices.length} matrices, ${dtypes.join(', ')}, ${threads.map(threadsOf).join(', ')}; ${
    machines[0]?.cpu ?? 'unknown machine'
  }, ${machines[0]?.date?.slice(0, 10) ?? 'no date'}</p>
<div class="tiles">${tiles.map(([ratio, name]) => html`<div><b>${times(ratio)}</b><span>${name}</span></div>`)}</div>
<p class="quiet">Geometric means over ${plain} (${baseline}), ${dtype}, ${threadsOf(most)}.</p>`;
}

function bestOther({ contenders, baseline }, mean) {
  const peers = contenders.native
    .filter((name) => name !== baseline)
    .map((name) => [mean(name), `${name}, the fastest other`]);
  return peers
    .filter(([ratio]) => ratio !== undefined)
    .sort(([a], [b]) => b - a)
    .slice(0, 1);
}
