#!/usr/bin/env node
/**
 * The command `sparlane`, of the library and of `@sparlane/cli`. It runs the command line next to this file, as in
 * `@sparlane/cli` and in a checkout, or else the one of an installed `@sparlane/cli`. If neither exists, it prints how
 * to install it. If both packages are installed, npm may link either command, because both run the same command line.
 */
import { existsSync } from 'node:fs';

const USAGE = 2;

const beside = new URL('./command-line/main.js', import.meta.url);
const commandLine = existsSync(beside) ? beside.href : installed();
if (commandLine === undefined) {
  process.stderr.write('sparlane: the command line is a separate package: npx @sparlane/cli ...\n');
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
