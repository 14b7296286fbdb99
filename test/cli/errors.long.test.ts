/** Errors are one line on stderr, without a stack trace, and an exit code: 1 failed, 2 wrong usage. A full disk is in `bin.node.test.ts`. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from './run-cli.js';

const SMALL = 'gallery:laplace1d3?nx=9';

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

  it.each([
    [['slove', SMALL], 'solve'],
    [['solve', SMALL, '--methd', 'cg'], '--method'],
    [['solve', SMALL, '--method', 'gmrse'], 'gmres'],
    [['solve', SMALL, '--preconditioner', 'jakobi'], 'jacobi'],
    [['info', 'gallery:laplce1d3'], 'laplace1d3'],
    [['multiply', SMALL, '--format', 'sell?chunkheight=3'], 'chunkHeight'],
    [['multiply', SMALL, '--dtype', 'f46'], 'f64'],
  ])('a mistyped name: %s', async (args, meant) => {
    const { code, stderr } = await runCli(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^sparlane: [^\n]+\n$/);
    expect(stderr).toContain(`(Did you mean ${meant}?)`);
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
