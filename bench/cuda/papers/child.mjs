/** A process of `papers.mjs`: it measures the cases that it is sent, one after the other, and sends their lines. */
import { openEngine } from '../library.mjs';
import { shapeOf } from '../measure.mjs';
import { CASES } from './cases.mjs';
import { measureCase } from './measure.mjs';
import { contendersOf } from './plans.mjs';

const flags = JSON.parse(process.argv[2]);
const cases = CASES[flags.paper]();
const engine = await openEngine();
process.on('message', async (message) => {
  if (message === 'end') {
    await engine.dispose();
    process.disconnect();
    return;
  }
  try {
    await measure(cases[message.index]);
  } catch (error) {
    process.send({ kind: 'failed', error: error.message });
  }
  process.send('next');
});
process.send('next');

async function measure(one) {
  const start = performance.now();
  const matrix = await one.make(Number(flags.scale));
  if (matrix === undefined) return;
  const { standIn, how, published, block } = one;
  const shape = shapeOf(matrix);
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
  process.send({ kind: 'matrix', standIn, how: matrix.title ?? how, published, block, ...shape, seconds });
  const lines = measureCase({
    ...{ engine, matrix, programs: flags.programs, repetitions: Number(flags.repetitions) },
    dtypes: flags.dtypes.split(','),
    contenders: contendersOf(flags.paper, matrix, one),
    isOver: () => Date.now() / 1000 > Number(flags.until),
  });
  for await (const line of lines) process.send(line);
}
