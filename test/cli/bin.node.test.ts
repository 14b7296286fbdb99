/** The command of both packages, wherever the command line is, and its output where it cannot be written. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { MAIN, runInto, runNode, temporaryFolder } from './run-cli.js';

const BIN = fileURLToPath(new URL('../../dist/bin.node.js', import.meta.url));

/** On systems that have one, a device that cannot be written to. */
const FULL = '/dev/full';

/** A copy of the command alone, as in the library's package. */
function commandIn(path: (name: string) => string): string {
  const copy = path('node_modules/sparlane/dist/bin.node.js');
  cpSync(BIN, copy);
  writeFileSync(path('package.json'), '{ "type": "module" }');
  return copy;
}

describe('the command sparlane', () => {
  test('runs the command line next to it', async () => {
    const { code, stdout } = await runNode([BIN, '--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.runIf('enableCompileCache' in nodeModule)('keeps its compiled code where Node can', async () => {
    const path = temporaryFolder();
    const { code } = await runNode([BIN, '--version'], { TMPDIR: path('.'), NODE_COMPILE_CACHE: '' });
    expect([code, existsSync(path('node-compile-cache'))]).toEqual([0, true]);
  });

  test('has the exit code of the command line', async () => {
    const { code, stderr } = await runNode([BIN, 'nonsense']);
    expect(code).toBe(2);
    expect(stderr).toContain('nonsense');
  });

  test('runs an installed @sparlane/cli with its arguments', async () => {
    const path = temporaryFolder();
    const command = commandIn(path);
    const installed = path('node_modules/@sparlane/cli');
    mkdirSync(installed, { recursive: true });
    writeFileSync(`${installed}/package.json`, '{ "type": "module", "exports": { "./main": "./main.js" } }');
    writeFileSync(`${installed}/main.js`, 'process.stdout.write(process.argv.slice(2).join());');
    expect(await runNode([command, 'info', 'a b'])).toEqual({ code: 0, stdout: 'info,a b', stderr: '' });
  });

  test('explains how to install a missing command line', async () => {
    const { code, stdout, stderr } = await runNode([commandIn(temporaryFolder()), 'formats']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe('sparlane: the command line is a separate package: npx @sparlane/cli ...\n');
  });
});

describe.concurrent('a full disk is an error', () => {
  test.runIf(existsSync(FULL)).each([
    ['a table', ['info', 'gallery:laplace1d3?nx=9']],
    ['JSON', ['formats', '--json']],
    ['help', ['--help']],
  ])('%s', async (_, args) => {
    const { code, stderr } = await runInto(FULL, [MAIN, ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: standard output: expected one that can be written, got ENOSPC[^\n]+\n$/);
  });
});
