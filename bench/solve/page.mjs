/** The page of the suite `solve`. */
import { partsChart, problemsChart, residualsChart, timesChart } from '../report/charts/solve.mjs';
import { html } from '../report/html.mjs';
import { looksOf } from '../report/looks.mjs';
import { count, rounded, threadsOf, times } from '../report/numbers.mjs';
import { collectCharts, figures, page, table } from '../report/page.mjs';
import { distinct } from '../report/results.mjs';
import { machineFacts } from '../report/sections/facts.mjs';
import { geometricMean } from '../report/statistics.mjs';
import { chosen, fastest, isJavascript, isNative, isOurs, isPackage, leadOf, parseSolves } from './results.mjs';

/** From texts of JSON lines to the page's text, and the text of every chart by name. */
export function renderSolves(texts) {
  const { machines, solves } = parseSolves(texts);
  const { svgs, draw } = collectCharts();
  const named = (test) => distinct(solves.filter(test), ({ contender }) => contender);
  const looks = looksOf({
    contenders: {
      formats: named(isOurs),
      native: named(isNative),
      javascript: named(isJavascript),
    },
    baseline: 'sparlane',
  });
  const sections = distinct(solves, ({ threads }) => threads).map((threads) =>
    timesSection({ solves: solves.filter((line) => line.threads === threads), threads, looks, draw }),
  );
  return {
    text: page({
      title: 'sparlane: time to solution',
      lead: lead(machines, solves),
      sections: [...sections, methodSection(machines)],
    }),
    svgs,
  };
}

function byProblem(solves) {
  return distinct(solves, ({ problem }) => problem).map((problem) => ({
    problem,
    lines: solves.filter((line) => line.problem === problem),
  }));
}

function lead(machines, solves) {
  const tiles = distinct(solves, ({ threads }) => threads).map((threads) => {
    const some = byProblem(solves.filter((line) => line.threads === threads));
    return [meanLead(some), `the best peer, ${threadsOf(threads)}`];
  });
  const alone = byProblem(solves.filter(({ threads }) => threads === 1));
  const overPackages = meanLead(alone, isPackage);
  if (overPackages !== undefined) tiles.push([overPackages, 'the fastest npm package that finishes, 1 thread']);
  return html`<p class="quiet">${machines[0]?.cpu ?? 'unknown machine'}, ${machines[0]?.date?.slice(0, 10) ?? 'no date'}</p>
<div class="tiles">${tiles.map(([ratio, what]) => html`<div><b>${times(ratio)}</b><span>${what}</span></div>`)}</div>
<p class="quiet">Geometric means over the problems: time of the fastest peer over that of what <code>solve</code> chooses.</p>`;
}

/** @returns undefined without a problem that both have solved */
function meanLead(problems, isOfKind) {
  const leads = problems.map(({ lines }) => leadOf(lines, isOfKind)).filter((ratio) => ratio !== undefined);
  return leads.length === 0 ? undefined : geometricMean(leads);
}

function timesSection({ solves, threads, looks, draw }) {
  const problems = byProblem(solves);
  const overview = problems.map(({ problem, lines }) => ({
    problem,
    chosen: chosen(lines)?.ms,
    native: fastest(lines, isNative)?.ms,
    javascript: fastest(lines, isJavascript)?.ms,
  }));
  const all = `all problems, ${threadsOf(threads)}`;
  const first = draw(`solve-problems-${threads}`, `${all}: time to solution`, () => problemsChart(overview, all));
  const charts = problems.flatMap(({ problem, lines }, k) => {
    // A solve that was given up has neither.
    const ours = lines.filter((line) => isOurs(line) && line.curve !== undefined);
    const label = `${problem}, ${threadsOf(threads)}`;
    const name = (kind) => `solve-${kind}-${threads}-${k + 1}`;
    return [
      ...draw(name('times'), `${label}: time to solution`, () => timesChart({ lines, looks, label })),
      ...draw(name('residuals'), `${label}: residuals`, () =>
        residualsChart({ curves: ours.map(({ contender, curve }) => ({ contender, points: curve })), looks, label }),
      ),
      ...draw(name('parts'), `${label}: parts`, () =>
        partsChart({ lines: ours.filter(({ parts }) => parts !== undefined), looks, label }),
      ),
    ];
  });
  const rows = problems.flatMap(({ problem, lines }) =>
    lines.map(({ contender, ms, iterations, residual, decision = '', unfinished = decision }, k) => ({
      cells: [
        k === 0 ? problem : '',
        { words: looks.get(contender).label },
        rounded(ms),
        iterations === undefined ? '–' : count(iterations),
        residual?.toExponential(1) ?? '–',
        { words: unfinished },
      ],
      isFirst: k === 0,
    })),
  );
  const head = html`<tr><th></th><th></th><th>ms</th><th>iterations</th><th>true residual</th><th></th></tr>`;
  return {
    id: `threads-${threads}`,
    title: threadsOf(threads),
    isWide: true,
    words: undefined,
    body: html`${figures([...first, ...charts])}${table(head, rows)}`,
  };
}

function methodSection(machines) {
  return {
    id: 'method',
    title: 'Machine and method',
    words: undefined,
    body: html`<h3>Machine</h3>${machines.map(machineFacts)}
<h3>Method</h3>
<p>Every contender solves from the arrays of the matrix to the same relative residual, from x = 0; layout, set-up of the
preconditioner and iterations are timed. Contenders take turns; a time is the median. The true residual is computed from the
solution; a solution above ten times the tolerance counts as not solved. A solve that takes too long is given up. PETSc has as many MPI ranks as
threads, and its incomplete factorizations are of each rank's rows; Eigen has OpenMP threads, CHOLMOD and UMFPACK those of OpenBLAS; KLU, SciPy,
npm packages and the program in plain JavaScript have one thread. A contender named <code>update</code> has analysed the pattern before.</p>`,
  };
}
