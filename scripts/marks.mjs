/** Tables that programs write into documents, between two marks: `<!-- name -->` and `<!-- /name -->`. */

/** Returns the text before the table of a document, the table, and the text behind it. @throws Error if the text does not have each mark once, in order */
export function aroundTable(text, name, file) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, middle, ...more] = text.split(begin);
  const [table, after, ...others] = middle?.split(end) ?? [];
  if (after === undefined || more.length > 0 || others.length > 0)
    throw new Error(`${file}: expected ${begin} … ${end} once`);
  return { before: `${before}${begin}\n\n`, table: table.trim(), after: `\n\n${end}${after}` };
}
