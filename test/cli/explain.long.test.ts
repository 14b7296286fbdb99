/** `sparlane explain`: the decision that an operator carries, for people and for machines. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RankedFormat } from '#dist/choice/choose.js';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

const MESH = 'gallery:laplace3d7?nx=30&ny=30&nz=30';
const GRAPH = 'gallery:rgg?n=20000';

const decisionOf = (...args: string[]) => runJson('explain', ...args);

describe.concurrent('explain', () => {
  test('prints the features, the candidates and the choice', async () => {
    const { code, stdout } = await runCli('explain', MESH, '--threads', '2');
    expect(code).toBe(0);
    expect(stdout).toMatch(/27,000 × 27,000, 183,600 entries/);
    expect(stdout).toMatch(/^ +format +threads +bytes per entry/m);
    expect(stdout).toMatch(/^ +csr +[12] /m);
    expect(stdout).toMatch(/f64, 2 threads, 1000 products expected\n +chosen: \S+: /);
    expect(stdout).toMatch(
      /chosen: dia(\?values=table)?: .*\n.*\n {2}padding: multiplied, so NaN and infinities of x spread/,
    );
  });

  test('prints the same as JSON: the chosen format leads the ranking', async () => {
    const decision = await decisionOf(MESH, '--threads', '1');
    expect(decision).toMatchObject({
      matrix: MESH,
      device: 'cpu',
      threads: 1,
      reordered: false,
      features: { nnz: 183_600 },
    });
    const ranking = decision.ranking as RankedFormat[];
    expect(ranking[0]).toEqual(decision.chosen);
    expect(ranking[0]?.spec).toBe(decision.stored);
    expect(ranking.map(({ spec }) => spec)).toContain('csr');
  });

  test('writes the same as a page', async () => {
    const file = temporaryFolder()('why.html');
    const { chosen } = await decisionOf(MESH, '--threads', '1', '--html', file);
    const page = readFileSync(file, 'utf8');
    expect(page).toMatch(/^<!doctype html>[\s\S]*<h2>gallery:laplace3d7\?nx=30&amp;ny=30&amp;nz=30<\/h2>/);
    expect(page).toContain(
      `<tr class="chosen"><th scope="row">${(chosen as RankedFormat).spec.replace('&', '&amp;')}</th>`,
    );
  });

  test('names the source of the model', async () => {
    expect((await runCli('explain', '--help')).stdout).toMatch(/on a GPU by a model of an NVIDIA H100/);
  });

  test('for one product nothing is converted', async () => {
    expect((await decisionOf(MESH, '--products', '1')).stored).toBe('csr');
    expect((await decisionOf(MESH, '--products', 'many', '--no-tune')).stored).not.toBe('csr');
  });

  test('with many products, or with --tune, the close ones are measured', async () => {
    const ranking = (await decisionOf(MESH, '--products', '1000000', '--tune')).ranking as RankedFormat[];
    expect(ranking.filter(({ measuredMs }) => measuredMs! > 0).length).toBeGreaterThan(1);
    expect((await runCli('explain', MESH, '--products', '1000000', '--tune')).stdout).toMatch(
      / conversion +measured ms$/m,
    );
    expect((await runCli('explain', MESH, '--products', 'many', '--no-tune')).stdout).toMatch(/ conversion$/m);
  });

  test('a permutation is made only if it is allowed', async () => {
    const many = [GRAPH, '--products', 'many'];
    expect((await decisionOf(...many)).reordered).toBe(false);
    expect((await decisionOf(...many, '--allow-permutation')).reordered).toBe(true);
  });
});
