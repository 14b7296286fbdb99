#!/usr/bin/env node
/**
 * The command `sparlane`, of the library and of `@sparlane/cli`: runs the command line that is beside this file, as in `@sparlane/cli`
 * and in a checkout, or else the one of an installed `@sparlane/cli`; where there is none, says how to get it. So it does not
 * matter whose command npm links where both packages are installed.
 */
import { existsSync } from 'node:fs';

const USAGE = 2;

const beside = new URL('./cli/main.js', import.meta.url);
const commandLine = existsSync(beside) ? beside.href : installed();
if (commandLine === undefined) {
  process.stderr.write('sparlane: the command line is a package of its own: npx @sparlane/cli ...\n');
  process.exitCode = USAGE;
} else {
  await import(commandLine);
}

function installed(): string | undefined {
  try {
    return import.meta.resolve('@sparlane/cli/main');
  } catch {
    return undefined;
  }
}
