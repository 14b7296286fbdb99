/** Winners, spread of the speeds, and distance of each contender from the best. */
import { max } from 'd3-array';
import { profileChart } from '../charts/profile.mjs';
import { spreadLine } from '../charts/spread.mjs';
import { winnersChart } from '../charts/winners.mjs';
import { html } from '../html.mjs';
import { rounded, threadsOf } from '../numbers.mjs';
import { figures, firstOpen, table } from '../page.mjs';
import { AUTO, BEST, casesOf, rivals, timesOf } from '../results.mjs';
import { distribution, overheads, shareWithin } from '../statistics.mjs';

/** The first dtype is open, the others on demand; `of` makes the content for the cases of each number of threads. */
function byDtype({ results: { dtypes, threads }, results }, of) {
  return firstOpen(
    dtypes.map((dtype) => {
      const conditions = threads.map((number) => ({
        ...{ dtype, threads: number, cases: casesOf(results, { dtype, threads: number }) },
        ...{ name: `${dtype}-${number}t`, caption: `${dtype}, ${threadsOf(number)}` },
      }));
      return { title: dtype, content: of(conditions) };
    }),
  );
}

export function winnersSection({ results, looks, draw }) {
  const { formats } = results.contenders;
  const others = rivals(results).filter((name) => name !== BEST && !results.contenders.javascript.includes(name));
  const charts = (conditions, kind, contenders, what) =>
    figures(
      conditions.flatMap(({ cases, name, caption }) =>
        draw(`winners-${kind}-${name}`, `${what}, ${caption}`, () =>
          winnersChart({ cases, contenders, looks, label: `Fastest and slowest of ${what}, ${caption}` }),
        ),
      ),
    );
  return {
    id: 'winners',
    title: 'Winners and losers',
    words: html`<p>The numbers of matrices on which each contender is the fastest and the slowest: among our formats, and among the libraries
and our automatic choice.</p>
<p class="quiet">As Flegar & Anzt 2017, figure 7. A format that refuses a matrix, because it would be mostly padding, is not compared
on it.</p>`,
    body: byDtype({ results }, (conditions) => [
      charts(conditions, 'formats', formats, 'formats'),
      charts(conditions, 'all', others, 'auto and native peers'),
    ]),
  };
}

export function profileSection({ results, looks, draw }) {
  const { contenders } = results;
  const others = rivals(results).filter((name) => !contenders.javascript.includes(name));
  const all = [...new Set([...contenders.formats, ...others])];
  const panels = (conditions) =>
    figures(
      conditions.flatMap(({ cases, name, caption }) => {
        const present = others.filter((other) => cases.some(({ products }) => products.has(other)));
        const named = [...new Set([...present, ...leading(cases, contenders)])];
        return draw(`profile-${name}`, caption, () =>
          profileChart({ cases, contenders: all, named, looks, label: `Overhead profile, ${caption}` }),
        );
      }),
    );
  return {
    id: 'profile',
    title: 'How far from the best',
    words: html`<p>The share of matrices on which a product takes at most θ times as long as the fastest of all contenders, our formats
and the native peers. A line that begins high wins often; a line that reaches the top early never loses by much.</p>
<p class="quiet">As Flegar & Anzt 2017, figure 9. Thin: our other formats. A format that refuses a matrix counts as beyond
every θ on it.</p>`,
    body: byDtype({ results }, panels),
  };
}

/** The formats that are within 1.2 times of the best most often. */
function leading(cases, { formats }) {
  const shares = [...overheads(timesOf(cases, formats))].map(([name, sorted]) => [name, shareWithin(sorted, 1.2)]);
  return shares
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([name]) => name);
}

export function statisticsSection({ results, looks }) {
  const { contenders } = results;
  const names = [...rivals(results), ...contenders.formats.filter((name) => name !== results.baseline)];
  const part = ({ cases, caption }) => {
    const rows = names.flatMap((contender) => {
      const found = distribution(cases.flatMap(({ products }) => products.get(contender)?.gflops ?? []));
      return found === undefined ? [] : [{ contender, ...found }];
    });
    const greatest = max(rows, (row) => row.max);
    const head = html`<tr><th>${caption}</th><th class="words">0 to ${rounded(greatest)} GFLOP/s</th>${[
      'n',
      'min',
      'max',
      'average',
      'median',
      'deviation',
    ].map((name) => html`<th>${name}</th>`)}</tr>`;
    return table(
      head,
      rows.map(({ contender, count, ...found }) => ({
        isFirst: contender === BEST || contender === AUTO,
        cells: [
          looks.get(contender).label,
          spreadLine(found, looks.get(contender).colour, greatest),
          count,
          ...[found.min, found.max, found.mean, found.median, found.deviation].map(rounded),
        ],
      })),
    );
  };
  return {
    id: 'statistics',
    title: 'Spread of the speeds',
    words: html`<p>GFLOP/s over the matrices: minimum, maximum, average, median and standard deviation, in figures and drawn, with a box
from the lower to the upper quartile. n: the number of matrices.</p>
<p class="quiet">As Flegar & Anzt 2017, Table 1 and figure 8.</p>`,
    body: byDtype({ results }, (conditions) =>
      firstOpen(conditions.toReversed().map((condition) => ({ title: condition.caption, content: part(condition) }))),
    ),
  };
}
