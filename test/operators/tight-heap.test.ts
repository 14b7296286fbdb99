/**
 * A heap with little more room than the matrix: trials must not refuse a matrix that plain `auto`
 * accepts.
 */
import { expect, test } from 'vitest';
import { createEngine, gallery, SparlaneError } from '#dist/index.node.js';
import { fewOrAll } from '../soak.js';

const matrix = gallery('rmat', { scale: 13 });

function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof SparlaneError ? error.code : String(error);
  }
}

test('trials ask for no more of the heap than there is', async () => {
  const counts = { refused: 0, predicted: 0, measured: 0 };
  for (let kib = 1_024; kib < 6_144; kib += fewOrAll(512, 128)) {
    await using engine = await createEngine({ threads: 1, maximumBytes: kib * 1024, tuning: 'built-in' });
    const { bytesInUse } = engine.heap;
    const plain = codeOf(() => engine.operator(matrix, { products: 'many', tune: false }).dispose());
    const tuned = codeOf(() => {
      using operator = engine.operator(matrix, { products: 1e6, tune: true });
      const measured = operator.decision!.ranking.filter(({ measuredMs }) => measuredMs !== undefined);
      counts[measured.length < 2 ? 'predicted' : 'measured']++;
    });
    if (plain !== undefined) counts.refused++;
    expect(`${kib} KiB: ${tuned}`).toBe(`${kib} KiB: ${plain}`);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
