/**
 * A heap with little more room than the matrix: a budget for measurements must not refuse a matrix that plain `auto`
 * accepts.
 */
import { expect, test } from 'vitest';
import { createEngine, gallery, SparlaneError } from '#dist/index.node.js';

const matrix = gallery('laplace2d5', { nx: 150, ny: 150, values: 'real' });

function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof SparlaneError ? error.code : String(error);
  }
}

test('a budget for measurements asks for no more of the heap than there is', async () => {
  const counts = { refused: 0, predicted: 0, measured: 0 };
  for (let kib = 640; kib < 4_096; kib += 96) {
    await using engine = await createEngine({ threads: 1, maximumBytes: kib * 1024, tuning: 'built-in' });
    const { bytesInUse } = engine.heap;
    const plain = codeOf(() => engine.operator(matrix, { products: 'many' }).dispose());
    const tuned = codeOf(() => {
      using operator = engine.operator(matrix, { products: 'many', tune: { budgetMs: 2 } });
      const measured = operator.decision!.ranking.filter(({ measuredMs }) => measuredMs !== undefined);
      expect(measured.length).not.toBe(1);
      counts[measured.length === 0 ? 'predicted' : 'measured']++;
    });
    if (plain !== undefined) counts.refused++;
    expect(`${kib} KiB: ${tuned}`).toBe(`${kib} KiB: ${plain}`);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
