/** The page: its frame, and the elements of a section. */
import { readFileSync } from 'node:fs';
import { swatch, theme } from './draw.mjs';
import { html, markup } from './html.mjs';

const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8');

/**
 * A section is `{ id, title, words, body, isWide }`: words next to the body, or above it if it is wide. The page has no
 * script and loads no other file.
 */
export function page({ title, lead, sections }) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>${title}</title>
<style>${markup(theme)}${markup(style)}</style>
</head>
<body>
<header><h1>${title}</h1>${lead}</header>
<nav>${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
<main>${sections.map(section)}</main>
</body>
</html>
`.text;
}

function section({ id, title, words, body, isWide = false }) {
  return html`
<section id="${id}"${isWide && markup(' class="wide"')}>
<div class="aside"><h2>${title}</h2>${words}</div>
<div>${body}</div>
</section>`;
}

/** `draw` makes a chart and stores it in `svgs` by its name. Its result is a list, empty for a chart without data. */
export function collectCharts() {
  const svgs = new Map();
  const draw = (name, caption, chart) => {
    const svg = chart();
    if (svg === undefined) return [];
    svgs.set(name, svg);
    return [{ name, caption, svg }];
  };
  return { svgs, draw };
}

/** `{ name, caption, svg }`: the name is that of the SVG's file. */
export function figures(list) {
  return html`<div class="panels">${list.map(
    ({ caption, svg }) => html`<figure><figcaption>${caption}</figcaption>${svg}</figure>`,
  )}</div>`;
}

/** The first part is visible, the others are opened on demand: `{ title, content }`. */
export function firstOpen([first, ...others]) {
  return html`${first?.content}${others.map(
    ({ title, content }) => html`<details><summary>${title}</summary>${content}</details>`,
  )}`;
}

export function legend(looks, extra = []) {
  const item = ([symbol, label]) => html`<li>${symbol}${label}</li>`;
  return html`<ul class="legend">${[...extra, ...looks.map((look) => [swatch(look), look.label])].map(item)}</ul>`;
}

/** `head`: rows of `th`; `rows`: `{ cells, isFirst }`, the first cell names the row. Cells are text or HTML. */
export function table(head, rows) {
  const row = ({ cells: [name, ...cells], isFirst }) =>
    html`<tr${isFirst && markup(' class="first"')}><th scope="row">${name}</th>${cells.map(cell)}</tr>`;
  return html`<div class="scroll"><table><thead>${head}</thead><tbody>${rows.map(row)}</tbody></table></div>`;
}

const cell = (content) =>
  content?.words === undefined ? html`<td>${content}</td>` : html`<td class="words">${content.words}</td>`;
