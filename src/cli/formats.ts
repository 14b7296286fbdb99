/** `sparlane formats`: the registry. */
import type { Command } from 'commander';
import type { Parameter } from '../core/parameters.js';
import { FORMATS } from '../formats/registry.js';
import { jsonOption } from './options.js';
import { print, printJson } from './output.js';
import { renderTable } from './table.js';

export function addFormats(program: Command): void {
  program
    .command('formats')
    .summary('list the storage formats, their parameters and sources')
    .description('Lists the storage formats, the papers they come from, and their parameters.')
    .addOption(jsonOption())
    .action(listFormats);
}

function listFormats({ json }: { json?: boolean }): void {
  if (json) {
    const formats = FORMATS.map(({ name, summary, source, suits, parameters, variants }) => {
      return { name, summary, source, suits, parameters, variants };
    });
    printJson({ formats });
    return;
  }
  print(
    renderTable(
      ['format', 'what it is'],
      FORMATS.map(({ name, summary }) => [name, summary]),
    ),
  );
  print('');
  print(
    renderTable(
      ['format', 'for', 'source'],
      FORMATS.map(({ name, suits, source }) => [name, suits, source]),
    ),
  );
  print('');
  print(renderTable(['parameter', 'default', 'range', 'what it is'], parameterRows()));
}

/** A row for each parameter; parameters that several formats share have one row. */
function parameterRows(): string[][] {
  const rows = new Map<string, string[]>();
  for (const { name, parameters } of FORMATS) {
    for (const [key, parameter] of Object.entries(parameters)) {
      const about = [`${parameter.default}`, rangeOf(parameter), parameter.doc];
      const same = rows.get(JSON.stringify([key, about]));
      if (same === undefined) rows.set(JSON.stringify([key, about]), [`${name}?${key}`, ...about]);
      else same[0] += `\n${name}?${key}`;
    }
  }
  return [...rows.values()];
}

function rangeOf(parameter: Parameter): string {
  if (parameter.kind === 'spec') return 'name?key=value,…';
  return parameter.kind === 'word' ? parameter.allowed.join(' | ') : `${parameter.min} … ${parameter.max}`;
}
