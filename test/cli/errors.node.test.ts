/** Errors are one line on stderr, without a stack trace, and an exit code: 1 failed, 2 wrong usage. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIN, runCli, runInto, temporaryFolder } from './run-cli.js';

const SMALL = 'gallery:laplace1d3?nx=9';

/** On systems that have one, a device that cannot be written to. */
const FULL = '/dev/full';

describe.concurrent('wrong usage', () => {
  it.each([
    ['an unknown command', ['mutiply'], /unknown command 'mutiply' \(Did you mean multiply\?\)/],
    ['an unknown option', ['multiply', SMALL, '--formt', 'csr'], /unknown option '--formt'/],
    ['no matrix', ['multiply'], /missing required argument 'matrix'/],
    ['two matrices', ['info', SMALL, SMALL], /too many arguments/],
    ['an unknown gallery matrix', ['multiply', 'gallery:laplace4d9'], /expected laplace1d3 \| .*, got 'laplace4d9'/],
    ['an unknown gallery parameter', ['info', 'gallery:laplace1d3?n=9'], /laplace1d3.*expected .*nx.*got 'n'/],
    [
      'a gallery parameter __proto__',
      ['info', 'gallery:laplace1d3?__proto__=5'],
      /laplace1d3.*expected .*got '__proto__'/,
    ],
    [
      'a format parameter __proto__',
      ['multiply', SMALL, '--format', 'csr?__proto__=1'],
      /csr: expected .*got '__proto__'/,
    ],
    ['a gallery parameter out of range', ['info', 'gallery:laplace1d3?nx=0'], /nx: expected an integer from 1 .*got/],
    ['an unknown format', ['multiply', SMALL, '--format', 'crs'], /format: expected csr \| csrk \| .*, got 'crs'/],
    [
      'an unknown format parameter',
      ['multiply', SMALL, '--format', 'csrk?j=2'],
      /csrk: expected only the parameters k/,
    ],
    ['a format parameter out of range', ['bench', SMALL, '--formats', 'csr,csrk?k=9'], /csrk k: expected .* 2 to 3/],
    [
      'an unknown dtype',
      ['multiply', SMALL, '--dtype', 'f16'],
      /'f16' is invalid. Allowed choices are f64, f32, mixed/,
    ],
    ['an unknown dtype in a list', ['bench', SMALL, '--dtype', 'f64,f16'], /--dtype: expected f64 \| f32 \| mixed/],
    ['no threads', ['multiply', SMALL, '--threads', '0'], /--threads: expected an integer from 1 to 256, got '0'/],
    ['half a thread', ['bench', SMALL, '--threads', '1,1.5'], /--threads: expected an integer .*, got '1.5'/],
    ['no repetitions', ['multiply', SMALL, '--repeat', '-1'], /--repeat: expected an integer from 1/],
    [
      'a device that there is not',
      ['multiply', SMALL, '--device', 'gpu'],
      /'gpu' is invalid. Allowed choices are cpu, cuda, hybrid, auto/,
    ],
    [
      'a picture of an unknown kind',
      ['info', SMALL, '--spy', 'a.gif'],
      /--spy: expected .*\.svg or \.png, got 'a.gif'/,
    ],
    ['no products', ['explain', SMALL, '--products', '0'], /--products: expected a whole number from 1, .*got '0'/],
    ['a selftest of one thread', ['selftest', '--threads', '1'], /--threads: expected an integer from 2/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^sparlane: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });
});

describe.concurrent('failures', () => {
  it.each([
    ['a missing file', ['info', 'no-such.mtx'], /no-such\.mtx: expected a file that can be read, got ENOENT/],
    ['a folder', ['info', '.'], /expected a file that can be read, got a directory/],
    ['a missing x', ['multiply', SMALL, '--x', 'no-such.mtx'], /no-such\.mtx: expected a file that can be read/],
    ['a missing file in a bench', ['bench', 'no-such.mtx', '--time', '1'], /no-such\.mtx: expected a file/],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await runCli(...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  it('a malformed file, with its line', async () => {
    const path = temporaryFolder()('bad.mtx');
    writeFileSync(path, '%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 5\n4 1 7\n');
    const { code, stderr } = await runCli('multiply', path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: bad\.mtx:4: expected [^\n]+\n$/);
  });

  it.runIf(existsSync(FULL)).each([
    ['a table', ['info', SMALL]],
    ['JSON', ['formats', '--json']],
    ['help', ['--help']],
  ])('a full disk: %s', async (_, args) => {
    const { code, stderr } = await runInto(FULL, [MAIN, ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: standard output: expected one that can be written, got ENOSPC[^\n]+\n$/);
  });

  it('an x of the wrong length', async () => {
    const path = temporaryFolder()('x.mtx');
    writeFileSync(path, '%%MatrixMarket matrix array real general\n2 1\n1\n2\n');
    const { code, stderr } = await runCli('multiply', SMALL, '--x', path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: .*x\.mtx: expected a vector of length cols = 9, got .* of length 2\n$/);
  });
});

describe.concurrent('help and version', () => {
  it('the version is that of the package', async () => {
    const { code, stdout } = await runCli('--version');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([['--help'], ['help'], ['help', 'bench'], ['multiply', '--help']])('%s %s', async (...args) => {
    const { code, stdout, stderr } = await runCli(...args.filter((arg) => arg !== undefined));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: sparlane /);
  });

  it('no command at all is a question for help', async () => {
    const { code, stdout, stderr } = await runCli();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: sparlane /);
  });
});
