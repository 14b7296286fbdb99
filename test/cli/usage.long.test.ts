/** Wrong usage is one line on stderr, and exit code 2. */
import { describe, expect, it } from 'vitest';
import { runCli } from './run-cli.js';

const SMALL = 'gallery:laplace1d3?nx=9';

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
