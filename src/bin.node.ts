#!/usr/bin/env node
/**
 * The command `sparlane`, of the library and of `@sparlane/cli`. It runs the command line next to this file, as in
 * `@sparlane/cli` and in a checkout, or else the one of an installed `@sparlane/cli`. If neither exists, `npx sparlane` runs
 * `npx @sparlane/cli` of the same version; otherwise it prints how to install it. If both packages are installed, npm may link
 * either command, because both run the same command line.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

const USAGE = 2;

// Node 22.1 and later keep compiled code in the folder for temporary files: the next call takes 0.75 (`--help`) to 0.93 (`info`) of the time (Node 24, Intel Xeon, November 2026).
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const beside = new URL('./command-line/main.js', import.meta.url);
const commandLine = existsSync(beside) ? beside.href : installed();
if (commandLine !== undefined) {
  await import(commandLine);
} else if (isCalledByNpx(process.env)) {
  process.exitCode = runByNpx();
} else {
  process.stderr.write('sparlane: the command line is a separate package: npx @sparlane/cli ...\n');
  process.exitCode = USAGE;
}

function installed(): string | undefined {
  try {
    return import.meta.resolve('@sparlane/cli/main');
  } catch {
    return undefined;
  }
}

/** This is false in programs that npx runs and that call this command. */
function isCalledByNpx({ npm_command: command, npm_lifecycle_script: script }: NodeJS.ProcessEnv): boolean {
  return command === 'exec' && /^["']?sparlane\b/.test(script ?? '');
}

/** Asks before it installs, unless npx was called with `--yes`, which its environment passes on. */
function runByNpx(): number {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const args = ['exec', `--package=@sparlane/cli@${version}`, '--', 'sparlane', ...process.argv.slice(2)];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  return status ?? 1;
}
