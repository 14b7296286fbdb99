/**
 * Tables in Markdown of the results of `bench/triangular.mjs`: for each matrix the iterations of cg, and the milliseconds of a solve by
 * threads, by order and way to solve.
 *
 * usage: npx bench triangular/table RESULTS.jsonl[.gz] …
 */
import { latestLines, readResults } from '../results-file.mjs';

const KEYS = {
  machine: ({ cpu, cores, commit }) => [cpu, cores, commit],
  iterations: ({ matrix, order, solve }) => [matrix, order, solve],
  solve: ({ matrix, order, solve, threads }) => [matrix, order, solve, threads],
};

const files = process.argv.slice(2);
if (files.length === 0) throw new Error('expected RESULTS.jsonl …, got no file');
process.stdout.write(`${tablesOf(latestLines(files.map(readResults), KEYS))}\n`);

/** Of lines of several machines, those with the same number of threads must not be mixed: one file for each. */
function tablesOf(lines) {
  const of = (kind) => lines.filter((line) => line.kind === kind);
  const [solves, counts] = [of('solve'), of('iterations')];
  const threads = [...new Set(solves.map((line) => line.threads))].sort((a, b) => a - b);
  const machines = of('machine').map(
    ({ cpu, cores, node, commit }) => `${cpu}, ${cores} cores, Node ${node}, commit ${commit}`,
  );
  const tables = [...new Set([...counts, ...solves].map(({ matrix }) => matrix))].map((matrix) => {
    const mine = (line) => line.matrix === matrix;
    const source = (line) => line?.source ?? 'not measured';
    return [
      `### ${matrix}: times of ${source(solves.find(mine))}, iterations of ${source(counts.find(mine))}`,
      '',
      row([
        'order',
        'solve',
        'iterations',
        'stages',
        ...threads.map((count) => `${count} ${count === 1 ? 'thread' : 'threads'}`),
      ]),
      row(['---', '---', '--:', '--:', ...threads.map(() => '--:')]),
      ...rowsOf(counts.filter(mine), solves.filter(mine), threads),
    ].join('\n');
  });
  return [machines.join('; '), ...tables].join('\n\n');
}

function rowsOf(counts, solves, threads) {
  const keyOf = ({ order, solve }) => JSON.stringify([order, solve]);
  return [...new Set([...counts, ...solves].map(keyOf))].map((key) => {
    const mine = solves.filter((line) => keyOf(line) === key);
    const times = threads.map((count) => mine.find((line) => line.threads === count)?.medianMs.toFixed(2) ?? '');
    const count = counts.find((line) => keyOf(line) === key);
    const [order, solve] = JSON.parse(key);
    const iterations = count === undefined ? '' : `${count.iterations}${count.converged ? '' : ' (not converged)'}`;
    return row([order, solve, iterations, mine[0]?.stages ?? '', ...times]);
  });
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
