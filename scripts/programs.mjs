/** The programs in documents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Every block ```js or ```ts that imports from `sparlane` or one of its entries. Leading blank lines preserve the line numbers of the document.
 *
 * @param root of the checkout @param document relative to it
 * @returns `{ name, text }` of each
 */
export function programsIn(root, document) {
  const lines = readFileSync(join(root, document), 'utf8').split(/\r?\n/);
  const programs = [];
  for (let first = 0; first < lines.length; first++) {
    const fence = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/.exec(lines[first]);
    if (fence === null) continue;
    const [, mark, language] = fence;
    const isEnd = (line) => line.trim().startsWith(mark) && line.trim().replaceAll(mark[0], '') === '';
    const length = lines.slice(first + 1).findIndex(isEnd);
    const last = length < 0 ? lines.length : first + 1 + length;
    const text = lines.slice(first + 1, last).join('\n');
    if (/^(js|ts)$/.test(language) && /\b(from|import)\s*\(?\s*['"]sparlane(\/[\w.-]+)?['"]/.test(text)) {
      programs.push({ name: `${document.replaceAll('/', '-')}-${first + 1}`, text: '\n'.repeat(first + 1) + text });
    }
    first = last;
  }
  return programs;
}
