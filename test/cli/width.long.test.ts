/** No output of the command line is wider than a terminal of 100 columns; the tests of `tune` and `selftest` check theirs. */
import { describe, expect, it } from 'vitest';
import { runCli, wideLines } from './run-cli.js';

const GRID = 'gallery:laplace2d5?nx=20&ny=20&values=integer&seed=12345678';
const GRAPH = 'gallery:rmat?scale=9&edgeFactor=16&seed=12345';
/** The longest names of formats that 'auto' takes, and longer ones. */
const FORMATS = 'auto,csr,ell,dia,sss,sell?index=16&values=table,csrk?k=3&superRowSize=64&superSuperRowSize=4&index=16';

describe.concurrent('within 100 columns', () => {
  it.each(['', ...['demo', 'info', 'multiply', 'explain', 'eigs', 'svds', 'bench', 'formats', 'tune', 'selftest']])(
    '%s --help',
    async (command) => {
      const { code, stdout } = await runCli(...(command === '' ? [] : [command]), '--help');
      expect(code).toBe(0);
      expect(wideLines(stdout)).toEqual([]);
    },
  );

  it.each([
    ['formats'],
    ['eigs', 'gallery:laplace2d5?nx=20&ny=20', '--threads', '1'],
    ['svds', GRAPH, '--threads', '1'],
    ['info', GRID],
    ['info', GRAPH],
    ['explain', GRID, '--threads', '2', '--products', 'many'],
    ['explain', GRAPH, '--threads', '2', '--allow-permutation'],
    ['multiply', GRID, '--format', 'sell?index=16&values=table', '--threads', '2', '--repeat', '2'],
    ['multiply', GRAPH, '--threads', '1', '--repeat', '2'],
    ['bench', GRID, GRAPH, '--formats', FORMATS, '--dtype', 'f64,mixed', '--threads', '1,2', '--time', '1'],
  ])('%s', async (...args) => {
    const { code, stdout } = await runCli(...args);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(5);
    expect(wideLines(stdout)).toEqual([]);
  });
});
