/** The report of the GPU's benchmark in Markdown, line by line. Pure. */
import { claimsOf } from './claims.mjs';
import { table } from './table.mjs';
import { codes, comparison, failures, machine } from './tables.mjs';

export function* report(results) {
  yield* machine(results);
  const { dtypes } = results;
  const tables = [comparison, codes].flatMap((make) => dtypes.map((dtype) => make(results, dtype)));
  for (const { title, header, rows } of tables) {
    if (rows.length > 0) yield* ['', `## ${title}`, '', ...table(header, rows)];
  }
  for (const dtype of dtypes) {
    for (const { title, claim, header, rows, found } of claimsOf(results, dtype)) {
      yield* ['', `### ${title}, ${dtype}`, '', `Claim: ${claim}.`, '', ...table(header, rows), '', `Here: ${found}.`];
    }
  }
  const failed = failures(results);
  if (failed.length > 0) yield* ['', '## Not measured', '', ...failed.map((line) => `- ${line}`)];
}
