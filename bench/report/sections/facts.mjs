/** Machine and method, and missing measurements. */
import { group, median } from 'd3-array';
import { html } from '../html.mjs';
import { labelOf } from '../looks.mjs';
import { count } from '../numbers.mjs';
import { table } from '../page.mjs';

export function methodSection({ results }) {
  const { machines, buses, products, baseline } = results;
  const samples = median(products, (product) => product.samples);
  const spread = median(products, (product) => product.spreadPercent);
  return {
    id: 'method',
    title: 'Machine and method',
    words: html`<p>Made from ${count(products.length)} measured products.</p>`,
    body: html`<h3>Machine</h3>${machines.map(machineFacts)}
<h3>Method</h3>
<p>Every contender's product is verified against the reference before it is timed. Then all contenders of a matrix take turns, forward
and backward, together with the memory bus (reading, and a triad). So all of them meet the same state of a noisy machine, and ratios
are reliable even if absolute figures are not. A turn begins with uncounted products. A contender's time is the median of its
products, usually ${Math.round(samples)} of them; the middle half of them spans
${Math.round(spread)} % of it (the median over all). Native peers run in separate processes, with the same number of threads, the same values and the same x, and time
only their multiplication; conversions are timed separately. GFLOP/s count two operations for each entry of the matrix, without padding.
Speeds are over ${baseline}; means of ratios are geometric, those of GFLOP/s arithmetic, as in the papers. A matrix is regular where the
variance of its row lengths is at most 10 (Lane & Booth 2022, §5.3).</p>
<p>Read bandwidth measured with the products: ${bandwidths(buses)}.</p>`,
  };
}

export function machineFacts({ date, cpu, cores, flags, node, v8, binary, commit, os }) {
  const facts = [
    ['processor', cpu],
    ['cores', cores],
    ['vector instructions', Array.isArray(flags) ? flags.join(' ') : flags],
    ['system', os],
    ['Node', node],
    ['V8', v8],
    ['kernels', binary],
    ['commit', commit],
    ['date', date],
  ].filter(([, value]) => value !== undefined && value !== null && value !== '');
  return html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function bandwidths(buses) {
  const byThreads = [...group(buses, ({ threads }) => threads)].sort(([a], [b]) => a - b);
  const text = byThreads.map(([threads, some]) => {
    const all = some.map(({ readGbps }) => readGbps).sort((a, b) => a - b);
    return `${threads === 1 ? 'one thread' : `${threads} threads`} ${median(all).toFixed(1)} GB/s (${all[0].toFixed(1)} to ${all.at(-1).toFixed(1)})`;
  });
  return text.length === 0 ? 'not measured' : text.join(', ');
}

export function absentSection({ results }) {
  const { missing, failed } = results;
  const refusals = failed.filter(({ isRefusal }) => isRefusal);
  const faults = failed.filter(({ isRefusal }) => !isRefusal);
  return {
    id: 'absent',
    title: 'Missing and failed',
    words: html`<p>Contenders that were not installed; contenders with a wrong result or none, which were not timed; and formats that refused a matrix.</p>`,
    body: html`<h3>Missing</h3>${
      missing.length === 0
        ? html`<p>None.</p>`
        : html`<dl>${missing.map(({ contender, reason }) => html`<dt>${contender}</dt><dd>${reason}</dd>`)}</dl>`
    }<h3>Failed</h3>${faults.length === 0 ? html`<p>None.</p>` : failures(faults)}
<h3>Refused</h3>${refusals.length === 0 ? html`<p>None.</p>` : failures(refusals)}`,
  };
}

/** One line for each contender: the number of matrices, and the first reason. */
function failures(lines) {
  const head = html`<tr><th>contender</th><th>matrices</th><th class="words">for example</th></tr>`;
  const rows = [...group(lines, ({ contender }) => contender)].map(([contender, some]) => ({
    cells: [
      labelOf(contender),
      new Set(some.map(({ suite, matrix }) => `${suite} ${matrix}`)).size,
      { words: `${some[0].matrix}: ${some[0].error}` },
    ],
  }));
  return table(head, rows);
}
