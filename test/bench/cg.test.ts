/** The benchmark of conjugate gradients: the arithmetic of its figures, and its systems. (`bench/cg.mjs` verifies the solvers when it runs.) */
import { describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { cgFigures, cgLine, heading } from '../../bench/cg/figures.mjs';
import { inverseDiagonal, PROBLEMS } from '../../bench/cg/problems.mjs';

const TIMES = { iterations: 50, ours: [100, 300, 200], dotLength: 1e6, dots: [2, 1, 4], readBytes: 3e9, reads: [100] };

describe('the figures', () => {
  test('of a step: the median solve over its iterations, and ours against the peer', () => {
    expect(cgFigures({ ...TIMES, peer: [500, 600, 400] })).toEqual({
      stepMs: 4,
      peerMs: 10,
      overPeer: 2.5,
      // 16 MB in 2 ms; 3 GB in 100 ms.
      dotGbps: 8,
      readGbps: 30,
    });
  });

  test('without the peer', () => {
    const { peerMs, overPeer } = cgFigures({ ...TIMES, peer: undefined });
    expect([peerMs, overPeer]).toEqual([undefined, undefined]);
  });

  test('in a line below the heading', () => {
    const about = { problem: 'fem', threads: 2, format: 'sell', forkJoins: 4 };
    const words = (line: string) => line.trim().split(/\s\s+/);
    const names = [
      'problem',
      'threads',
      'format',
      'ms/step',
      'PETSc',
      '× PETSc',
      'fork-joins',
      'dot GB/s',
      'read GB/s',
    ];
    expect(words(heading)).toEqual(names);
    const line = cgLine({ ...about, ...cgFigures({ ...TIMES, peer: [500] }) });
    expect(words(line)).toEqual(['fem', '2', 'sell', '4.000', '10.000', '2.50', '4', '8.0', '30.0']);
    expect(line).toHaveLength(heading.length);
    expect(words(cgLine({ ...about, ...cgFigures({ ...TIMES, peer: undefined }) })).slice(4, 6)).toEqual(['–', '–']);
  });
});

describe('the systems', () => {
  test.each(PROBLEMS as { name: string; make: (scale: number) => CsrMatrix }[])(
    '$name: symmetric, as large as asked for, a positive diagonal',
    ({ make }) => {
      const matrix = make(0.01);
      const { rows, cols, symmetry } = matrix;
      expect([rows, cols, symmetry]).toEqual([cols, rows, 'symmetric']);
      expect(Math.abs(rows / make(0.02).rows - 0.5)).toBeLessThan(0.01);
      expect(inverseDiagonal(matrix).every((value: number) => value > 0 && Number.isFinite(value))).toBe(true);
    },
  );
});
