/** The choice of a format as HTML. */
import type { Decision } from '../choice/choose.js';
import { boolean, knownKeys, oneOf, text } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { explanationOf } from './explanation.js';
import { escaped, SCHEMES, type Scheme, styled } from './scheme.js';

export interface ExplainOptions {
  /** The heading. Default: none. */
  title?: string;
  /** The name of the GPU that computes. Default: threads compute. */
  gpu?: string;
  /** Whether the operator permutes the matrix (`operator.ordering`). Default false. */
  reordered?: boolean;
  /** Default `auto`, which follows the page. */
  scheme?: Scheme;
  /** Whether as a whole page, instead of an element. Default false. */
  page?: boolean;
}

/**
 * Shows why a format was chosen: the features of the matrix, all candidates with their predicted (and, with `tune`, measured)
 * times, and the reason.
 *
 * @param decision `operator.decision`, which is undefined, and an error here, where the caller named the format
 * @returns a `<section>` with its style, or a page
 * @throws SparlaneError `argument` for an invalid decision or option
 *
 * @example
 * document.body.innerHTML = explain(engine.operator(matrix).decision);
 */
export function explain(decision: Decision | undefined, options: ExplainOptions = {}): string {
  knownKeys<ExplainOptions>('options', options, OPTIONS);
  const { title = '', gpu, reordered = false, scheme = 'auto', page = false } = options;
  text('title', title);
  if (gpu !== undefined) text('gpu', gpu);
  oneOf('scheme', scheme, SCHEMES);
  boolean('reordered', reordered);
  if (!Array.isArray(decision?.ranking) || decision.features === undefined || decision.chosen === undefined)
    throw mismatch('argument', 'decision', 'that of an operator whose format was chosen', decision);
  const section = sectionOf(decision, { title, gpu, reordered, scheme });
  return boolean('page', page) ? pageOf(title, scheme, section) : section;
}

const OPTIONS = { title: true, gpu: true, reordered: true, scheme: true, page: true };

interface Shown {
  readonly title: string;
  readonly gpu: string | undefined;
  readonly reordered: boolean;
  readonly scheme: Scheme;
}

function sectionOf(decision: Decision, { title, gpu, reordered, scheme }: Shown): string {
  const { features, heads, rows, circumstances, conclusions, times } = explanationOf(decision, gpu, reordered);
  const { className, style } = styled('sparlane-explain', scheme, LIGHT, DARK);
  const slowest = Math.max(...decision.ranking.map(({ productMs }) => productMs));
  const lines = rows.map((cells, k) => {
    const { productMs, spec } = decision.ranking[k]!;
    const [name, ...figures] = cells.map(escaped);
    const marked = spec === decision.chosen.spec ? ' class="chosen"' : '';
    return `<tr${marked}><th scope="row">${name}</th>${figures.map((cell) => `<td>${cell}</td>`).join('')}<td>${bar(productMs / slowest)}</td></tr>`;
  });
  const list = (pairs: typeof features) =>
    `<dl>${pairs.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`;
  return [
    `<section class="${className}">${style}`,
    ...(title === '' ? [] : [`<h2>${escaped(title)}</h2>`]),
    list(conclusions),
    `<div class="table" role="region" aria-label="Candidates" tabindex="0"><table><caption>${escaped(circumstances)}</caption>`,
    `<thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}<th scope="col">predicted</th></tr></thead>`,
    `<tbody>${lines.join('\n')}</tbody></table></div>`,
    list(features),
    `<p>${escaped(times)}</p></section>\n`,
  ].join('\n');
}

const BAR_WIDTH = 96;

/** @param share of the slowest candidate's time, 0 to 1 */
function bar(share: number): string {
  const width = Math.round(BAR_WIDTH * (Number.isFinite(share) ? share : 0));
  return `<svg width="${BAR_WIDTH}" height="10" aria-hidden="true"><rect width="${Math.max(1, width)}" height="10"/></svg>`;
}

const LIGHT = [
  '{font:14px/1.5 system-ui,sans-serif;color:#1b2430;background:#fff;padding:1rem;max-width:60rem}',
  'h2{font-size:1.2rem;margin:0 0 .5rem;overflow-wrap:anywhere}',
  'dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0 0 1rem}',
  'dt{color:#566070}',
  'dd{margin:0}',
  '.table{overflow-x:auto;margin:0 0 1rem}',
  'table{border-collapse:collapse;font-variant-numeric:tabular-nums}',
  'caption{text-align:left;color:#566070;padding-bottom:.3rem}',
  'th{font-weight:normal;text-align:left;white-space:nowrap}',
  'td{text-align:right;white-space:nowrap}',
  'th[scope=col]{color:#566070;text-align:right}',
  ':is(th:first-child,th:last-child,td:last-child){text-align:left}',
  'tr>*{padding:.15rem .6rem;border-bottom:1px solid #e2e6ec}',
  '.chosen>*{font-weight:600;background:#e9f2fd}',
  'rect{fill:#5b9bd9}',
  'p{margin:0;color:#566070}',
];
const DARK = [
  '{color:#e3e8ef;background:#10151d}',
  'dt{color:#9aa6b6}',
  'caption{color:#9aa6b6}',
  'th[scope=col]{color:#9aa6b6}',
  'tr>*{border-color:#2a3340}',
  '.chosen>*{background:#1b3350}',
  'rect{fill:#4a86c6}',
  'p{color:#9aa6b6}',
];

function pageOf(title: string, scheme: Scheme, section: string): string {
  const { className, style } = styled(
    'sparlane-page',
    scheme,
    ['{margin:0;background:#fff}'],
    ['{background:#10151d}'],
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escaped(title === '' ? 'The choice of a format' : title)}</title>${style}</head>`,
    `<body class="${className}">`,
    `${section}</body></html>\n`,
  ].join('\n');
}
