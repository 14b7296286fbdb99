/** A table in Markdown, line by line. It stands alone: a GPU machine need not have what the reports are made with. */
export function* table(header, rows) {
  yield `| ${header.join(' | ')} |`;
  yield `|${header.map(() => ' --- |').join('')}`;
  for (const row of rows) yield `| ${row.join(' | ')} |`;
}
