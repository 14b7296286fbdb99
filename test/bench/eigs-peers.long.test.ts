/** The native peers of the suite `eigs`, which are skipped where they are not installed. */
import { describe, expect, test } from 'vitest';
import { openContenders, waysFor } from '../../bench/eigs/contenders.mjs';
import { makeProblem, PROBLEMS } from '../../bench/eigs/problems.mjs';
import { judged } from '../../bench/eigs/table.mjs';
import { SCIPY_EIGS, SLEPC } from '../../bench/peers/native.mjs';

const LIMITS = { rtol: 1e-8, patienceMs: 60_000 };

/** For each problem ways that find all, at a small size. */
const ASKED = [
  ['mesh', ['SciPy eigsh-inverse', 'SciPy eigsh-symmetric', 'SciPy lobpcg-ilu', 'SLEPc MUMPS', 'SLEPc CHOLMOD']],
  ['mesh, largest', ['SciPy eigsh', 'SciPy lobpcg', 'SLEPc krylovschur']],
  ['road', ['SciPy eigsh-symmetric', 'SLEPc PETSc Cholesky']],
  ['elasticity', ['SciPy eigsh-symmetric', 'SciPy lobpcg-jacobi', 'SLEPc MUMPS', 'SLEPc lobpcg+gamg']],
  ['svds: random', ['SciPy arpack', 'SciPy propack', 'SLEPc trlanczos', 'SLEPc cross']],
] as const;

describe.each(ASKED)('%s', (name, contenders) => {
  const listed = PROBLEMS.find((one: { name: string }) => one.name === name);

  for (const library of ['SciPy', 'SLEPc']) {
    const missing = (library === 'SciPy' ? SCIPY_EIGS : SLEPC).missing();
    const asked = contenders.filter((contender) => contender.startsWith(library));
    if (missing !== undefined) process.emitWarning(`a test of ${library}'s eigenvalues is skipped: ${missing}`);

    test.skipIf(missing !== undefined)(`${asked.join(', ')}${missing ? ` — SKIPPED: ${missing}` : ''}`, async () => {
      const problem = makeProblem(listed, 0.01);
      const isAsked = (contender: string) => (asked as string[]).includes(contender);
      const opened = openContenders({ threads: 1 }, problem, { ...LIMITS, isAsked });
      const lines = [];
      for (const one of opened.contenders)
        lines.push({ contender: one.name, rtol: LIMITS.rtol, ...(await one.solve()) });
      await opened.close();
      expect(lines.map(({ contender }) => contender)).toEqual(asked);
      for (const line of judged(lines, { ...problem, floor: 1e-4 * problem.norms.A })) {
        expect(line).toMatchObject({ missed: 0, isSolved: true });
        expect(line.ms).toBeGreaterThan(0);
        expect(line.iterations).toBeGreaterThan(10);
      }
    });
  }
});

test('every problem has ways of ours, of SciPy and of SLEPc', () => {
  for (const listed of PROBLEMS) for (const ways of Object.values(waysFor(listed))) expect(ways).not.toEqual([]);
});
