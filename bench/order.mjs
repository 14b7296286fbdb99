/**
 * The gain of a reordering: a random geometric graph in random order, without and with reordering, in turn. `auto`
 * chooses the format, and, if a permutation is allowed, the order too.
 *
 * usage: npx bench order [--rounds 9] [matrix …]     (after `npm run build`)
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../dist/cli/load.js';
import { bandk, createEngine, permuteMatrix, rcm } from '../dist/index.node.js';
import { benchVector, print, product } from './contenders.mjs';
import { median, takeTurns, time } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' } },
});

for (const source of positionals.length > 0 ? positionals : ['gallery:rgg']) {
  const matrix = await loadMatrix(source);
  const banded = {};
  const ordered = {};
  const bandkMs = time(() => Object.assign(banded, bandk(matrix)));
  const rcmMs = time(() => Object.assign(ordered, rcm(matrix)));
  print(`${source}: rcm ${rcmMs.toFixed(0)} ms, bandk ${bandkMs.toFixed(0)} ms`);
  const inBands = permuteMatrix(matrix, banded);
  const inOrder = permuteMatrix(matrix, ordered);
  for (const threads of new Set([1, availableParallelism()])) {
    const engine = await createEngine({ threads });
    const x = engine.vector(benchVector(matrix.cols));
    const y = engine.vector(matrix.rows);
    const add = (name, matrix, options) =>
      product(name, engine.operator(matrix, { products: 'many', ...options }), x, y);
    const csr = (name, matrix) => product(name, engine.operator(matrix, { format: 'csr' }), x, y);
    const contenders = [
      csr('csr as given', matrix),
      add('auto as given', matrix),
      add('auto, permutation allowed', matrix, { allowPermutation: true }),
      csr('csr after rcm', inOrder),
      add('auto after rcm', inOrder),
      csr('csr after bandk', inBands),
      add('auto after bandk', inBands),
      product("csrk with bandk's groups", engine.operator(inBands, { format: 'csrk', groups: banded.groups }), x, y),
    ];
    await takeTurns(contenders, Number(flags.rounds));
    const yardstick = median(contenders[0].times);
    for (const { name, times, spec } of contenders) {
      const ms = median(times);
      const gflops = ((2 * matrix.nnz) / ms / 1e6).toFixed(2);
      print(
        `${threads}  ${name.padEnd(28)} ${gflops.padStart(6)} GFLOP/s  ${(yardstick / ms).toFixed(2)} × csr as given  ${spec}`,
      );
    }
    for (const one of contenders) one.close();
    await engine.dispose();
  }
}
