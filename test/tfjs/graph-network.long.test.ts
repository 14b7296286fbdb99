/** The example compares its losses with those of TensorFlow.js, and fails if they differ. A process: the backend wasm handles its uncaught errors. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it.each(['cpu', 'wasm'])('a graph network is trained on the backend %s', (backend) => {
  const example = fileURLToPath(new URL('../../examples/graph-network/graph-network.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [example, backend], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(said).toContain(`generated stand-in on ${backend}: 420 papers`);
  expect(said).toMatch(/an epoch, sparseSegmentSum: [\d.]+ ms, of which sparlane takes \d/);
  // By chance: one in seven.
  expect(Number(/accuracy, test: ([\d.]+) %/.exec(said)![1])).toBeGreaterThan(90);
});
