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
    .summary('the storage formats, their parameters and sources')
    .description('Lists the storage formats, their parameters with defaults, and the papers they come from.')
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
  const formats = FORMATS.map(({ name, summary, suits, source }) => [name, summary, suits, source]);
  const parameters = FORMATS.flatMap((format) =>
    Object.entries(format.parameters).map(([key, parameter]) => {
      return [`${format.name}?${key}`, `${parameter.default}`, rangeOf(parameter), parameter.doc];
    }),
  );
  print(renderTable(['format', 'what it is', 'for', 'source'], formats));
  print('');
  print(renderTable(['parameter', 'default', 'range', 'what it is'], parameters));
}

function rangeOf(parameter: Parameter): string {
  return parameter.kind === 'word' ? parameter.allowed.join(' | ') : `${parameter.min} … ${parameter.max}`;
}
