/**
 * Follows every internal link of the built site: pages, anchors, images, scripts, and the links of `llms.txt`. Prints those that lead
 * nowhere, and fails if there are any.
 *
 * usage: node links.mjs      (after `vitepress build`)
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('dist', import.meta.url));
const BASE = process.env.SITE_BASE ?? '/';

const files = new Set(
  readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(DIST, join(parentPath, name))),
);
const pages = new Map([...files].filter((name) => name.endsWith('.html')).map((name) => [name, pageOf(name)]));
const problems = [];
let followed = 0;
for (const [name, { links }] of pages) for (const link of links) follow(name, link);
const llms = readFileSync(join(DIST, 'llms.txt'), 'utf8');
for (const [, link] of llms.matchAll(/\]\(([^)\s]+)\)/g)) follow('llms.txt', link);

process.stdout.write(`${pages.size} pages, ${followed} internal links, ${problems.length} of them broken\n`);
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

/** The ids and the links of a page. Reports are whole documents, whose scripts may contain anything. */
function pageOf(name) {
  const html = readFileSync(join(DIST, name), 'utf8').replaceAll(/<script\b(?![^>]*\bsrc=)[\s\S]*?<\/script>/g, '');
  const ids = new Set(Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id]) => decoded(id)));
  const links = new Set(Array.from(html.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, link]) => decoded(link)));
  return { ids, links };
}

function decoded(text) {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

function follow(from, link) {
  const url = new URL(link, `http://site${BASE}${from}`);
  if (url.host !== 'site' || url.protocol !== 'http:') return;
  followed++;
  const path = decodeURIComponent(url.pathname);
  const file = path.startsWith(BASE) ? fileAt(path.slice(BASE.length)) : undefined;
  const anchor = decodeURIComponent(url.hash.slice(1));
  if (file === undefined) problems.push(`${from}: ${link}: there is no such file`);
  else if (anchor !== '' && pages.get(file)?.ids.has(anchor) === false)
    problems.push(`${from}: ${link}: no such anchor`);
}

/** The file that a server sends for a path. */
function fileAt(path) {
  return [path, `${path}.html`, join(path, 'index.html')].find(
    (name) => files.has(name) && statSync(join(DIST, name)).isFile(),
  );
}
