/** Gain of more threads, cost of conversions, and effect of caches. */
import { cacheChart } from '../charts/caches.mjs';
import { costChart, paybackChart } from '../charts/conversions.mjs';
import { scalingChart } from '../charts/scaling.mjs';
import { html } from '../html.mjs';
import { threadsOf, times } from '../numbers.mjs';
import { figures, firstOpen, legend, table } from '../page.mjs';
import { BEST, CSR, casesOf, rivals, speedups } from '../results.mjs';
import { geometricMean } from '../statistics.mjs';

export function scalingSection({ results, looks, draw }) {
  if (results.threads.length < 2) return undefined;
  const contenders = [...new Set([...rivals(results), CSR])];
  const groups = [
    ['regular', ({ regular }) => regular],
    ['irregular', ({ regular }) => !regular],
  ];
  const part = (dtype) =>
    figures(
      groups.flatMap(([group, isIn]) =>
        draw(`scaling-${dtype}-${group}`, `${dtype}, ${group} matrices`, () =>
          scalingChart({
            results,
            dtype,
            isIn,
            contenders,
            looks,
            label: `Speed with more threads, ${dtype}, ${group} matrices`,
          }),
        ),
      ),
    );
  return {
    id: 'scaling',
    title: 'More threads',
    words: html`<p>How many times as fast as with ${threadsOf(results.threads[0])}; geometric means over the matrices. The broad grey
line is the ideal for that many cores; the dashed one, the memory bandwidth of a program that only reads.</p>
<p class="quiet">As Lane & Booth 2022, figure 5.</p>`,
    body: firstOpen(results.dtypes.map((dtype) => ({ title: dtype, content: part(dtype) }))),
  };
}

export function conversionsSection({ results, looks, draw }) {
  const { contenders, threads } = results;
  const most = threads.at(-1);
  const names = [
    ...contenders.formats,
    ...rivals(results).filter((name) => name !== BEST && name !== results.baseline),
  ];
  const part = (dtype) => {
    const cases = casesOf(results, { dtype, threads: most });
    const caption = `${dtype}, ${threadsOf(most)}`;
    return figures([
      ...draw(`conversion-cost-${dtype}`, `Cost, ${caption}`, () =>
        costChart({ cases, contenders: names, looks, label: `Cost of the conversion, ${caption}` }),
      ),
      ...draw(`conversion-payback-${dtype}`, `Paid back, ${caption}`, () =>
        paybackChart({
          cases,
          contenders: names.filter((name) => name !== CSR),
          looks,
          label: `Products until a conversion has paid for itself, ${caption}`,
        }),
      ),
    ]);
  };
  return {
    id: 'conversions',
    title: 'Cost of a format',
    words: html`<p>Cost: the time from CSR to the format, in products of our plain CSR; the disc and the figure are the median of the
matrices. Paid back: the number of products after which the format has recovered this cost against plain CSR; the figure is the share of
matrices on which it ever does. If that is less than a half, there is no disc.</p>
<p class="quiet">A library's setup is counted if the library reports it separately.</p>`,
    body: firstOpen(results.dtypes.map((dtype) => ({ title: dtype, content: part(dtype) }))),
  };
}

export function cachesSection({ results, looks, draw }) {
  if (!results.caches.includes('cold')) return undefined;
  const { dtypes, threads, contenders, baseline } = results;
  const names = rivals(results).filter((name) => !contenders.javascript.includes(name));
  const shown = [baseline, BEST];
  const part = (dtype) => {
    const conditions = threads.map((number) => ({ number, pairs: pairsOf(results, dtype, number) }));
    const charts = conditions.flatMap(({ number, pairs }) =>
      draw(`cold-${dtype}-${number}t`, `${dtype}, ${threadsOf(number)}`, () =>
        cacheChart({
          pairs,
          contenders: shown,
          looks,
          label: `Time out of the cache over time in it, ${dtype}, ${threadsOf(number)}`,
        }),
      ),
    );
    return html`${figures(charts)}<h3>Over ${results.plain}, hot and cold, ${dtype}</h3>${coldTable(conditions, names, baseline)}`;
  };
  return {
    id: 'caches',
    title: 'Hot and cold',
    words: html`<p>Consecutive products find in the caches the data that fit there. Here the matrix and the vectors were evicted
before each product: the ratio of its time to that of a hot one, by the bytes moved. If the matrix is larger than the caches, there is
no difference.</p>${legend(shown.map((name) => looks.get(name)))}`,
    body: firstOpen(dtypes.map((dtype) => ({ title: dtype, content: part(dtype) }))),
  };
}

/** For the matrices measured both ways. */
function pairsOf(results, dtype, threads) {
  const hot = new Map(casesOf(results, { dtype, threads }).map((one) => [one.key, one]));
  const cold = casesOf(results, { dtype, threads, cache: 'cold' }).filter(({ key }) => hot.has(key));
  return cold.map((one) => ({ hot: hot.get(one.key), cold: one }));
}

function coldTable(conditions, names, baseline) {
  const head = html`<tr><th></th>${conditions.map(
    ({ number }) => html`<th colspan="2" scope="colgroup">${threadsOf(number)}</th>`,
  )}</tr><tr><th></th>${conditions.map(() => html`<th>hot</th><th>cold</th>`)}</tr>`;
  const mean = (cases, name) => times(geometricMean(speedups(cases, name, baseline).map(({ ratio }) => ratio)));
  const rows = names.map((name) => ({
    cells: [
      name.replace('sparlane ', ''),
      ...conditions.flatMap(({ pairs }) => [
        mean(
          pairs.map(({ hot }) => hot),
          name,
        ),
        mean(
          pairs.map(({ cold }) => cold),
          name,
        ),
      ]),
    ],
  }));
  return table(head, rows);
}
