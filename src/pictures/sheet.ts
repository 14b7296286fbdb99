/** Tables with bars as HTML, alone and as a page: one look for the choice of a format and for measurements. */
import { escaped, type Scheme, styled } from './scheme.js';

export interface SheetRow {
  readonly cells: readonly string[];
  /** The bar has this share of the longest one, 0 to 1. */
  readonly share: number;
  readonly isMarked: boolean;
}

export interface SheetTable {
  readonly caption: string;
  /** The columns of text have these heads; the bars have one more, the last. */
  readonly heads: readonly string[];
  readonly rows: readonly SheetRow[];
}

/** A list has texts by name. */
export type SheetList = ReadonlyArray<readonly [name: string, text: string]>;

/** Returns a `<section>` with its style. @param contents made by the functions below @param title '': none */
export function sheetOf(className: string, scheme: Scheme, title: string, contents: readonly string[]): string {
  const { className: own, style } = styled(className, scheme, LIGHT, DARK);
  const heading = title === '' ? [] : [`<h2>${escaped(title)}</h2>`];
  return [`<section class="${own}">${style}`, ...heading, ...contents].join('\n').concat('</section>\n');
}

export function listOf(pairs: SheetList): string {
  return `<dl>${pairs.map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`).join('')}</dl>`;
}

/** Returns a table that scrolls where it is too wide. @param label names it for those who do not see it */
export function tableOf(label: string, { caption, heads, rows }: SheetTable): string {
  const lines = rows.map(({ cells: [name, ...cells], share, isMarked }) => {
    const figures = [...cells.map(escaped), bar(share)].map((cell) => `<td>${cell}</td>`).join('');
    return `<tr${isMarked ? ' class="chosen"' : ''}><th scope="row">${escaped(name ?? '')}</th>${figures}</tr>`;
  });
  return [
    `<div class="table" role="region" aria-label="${escaped(label)}" tabindex="0"><table><caption>${escaped(caption)}</caption>`,
    `<thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}</tr></thead>`,
    `<tbody>${lines.join('\n')}</tbody></table></div>`,
  ].join('\n');
}

export function paragraphOf(text: string): string {
  return `<p>${escaped(text)}</p>`;
}

/** Returns a page of sections, which loads no other file. */
export function pageOf(title: string, scheme: Scheme, sections: string): string {
  const { className, style } = styled(
    'sparlane-page',
    scheme,
    ['{margin:0;background:#fff}'],
    ['{background:#10151d}'],
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title>${style}</head>`,
    `<body class="${className}">`,
    `${sections}</body></html>\n`,
  ].join('\n');
}

const BAR_WIDTH = 96;

/** @param share of the longest bar, 0 to 1 */
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
