/**
 * A table in Markdown, line by line. In a separate file, since a GPU machine need not have the dependencies of the
 * reports.
 */
export function* table(header, rows) {
  yield `| ${header.join(' | ')} |`;
  yield `|${header.map(() => ' --- |').join('')}`;
  for (const row of rows) yield `| ${row.join(' | ')} |`;
}
