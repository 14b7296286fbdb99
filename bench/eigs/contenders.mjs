/**
 * The contenders of the suite `eigs`, opened for one problem: ours, SciPy's ways, SLEPc's. `solve()` searches once, and resolves to `{ ms, setupMs, iterations, decision }` with
 * what `measure` says of the result; or to `{ unfinished, ms }` if it took longer than it may.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { eigs, svds } from '../../dist/index.node.js';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';
import { SCIPY_EIGS, SLEPC } from '../peers/native.mjs';
import { unfinished, within } from '../solve/contenders.mjs';
import { cpuMs } from '../times.mjs';
import { LEAST_VALUE, measure } from './judge.mjs';

const DIRECT = '-eps_type krylovschur -st_type sinvert -st_ksp_type preonly -st_pc_type cholesky';
/** So that time is what limits them. */
const MOST = '-eps_max_it 100000';
const BLOCK = `-eps_type lobpcg ${MOST}`;

/**
 * SLEPc tests 1 / (λ − σ): residuals of λ that it lets pass are some 10 times the tolerance on meshes, and 120 times with a shift beside an eigenvalue of 0. A finer tolerance costs
 * it a restart at most.
 */
const FINER = 1e-3;

/** The ways of SLEPc, by what is searched for. A way that inverts A − σ B has `isTargeted`. */
const SLEPC_WAYS = {
  direct: [
    { name: 'MUMPS', options: `${DIRECT} -st_pc_factor_mat_solver_type mumps`, isTargeted: true },
    { name: 'CHOLMOD', options: `${DIRECT} -st_pc_factor_mat_solver_type cholmod`, isTargeted: true },
    {
      ...{ name: 'PETSc Cholesky', isTargeted: true },
      options: `${DIRECT} -st_pc_factor_mat_solver_type petsc -st_pc_factor_mat_ordering_type nd`,
    },
  ],
  smallest: [
    { name: 'lobpcg+gamg', options: `${BLOCK} -st_pc_type gamg` },
    { name: 'lobpcg+boomeramg', options: `${BLOCK} -st_pc_type hypre` },
  ],
  largest: [{ name: 'krylovschur', options: `-eps_type krylovschur ${MOST}` }],
  triplets: [
    { name: 'trlanczos', options: '-svd_type trlanczos -svd_max_it 100000' },
    { name: 'cross', options: '-svd_type cross -svd_max_it 100000' },
  ],
};

/** The names of SciPy's ways, of ours, and of SLEPc's, for a problem. */
export function waysFor({ which, isFactored, isSingularValues }) {
  if (isSingularValues)
    return {
      ours: [undefined],
      scipy: ['svds-arpack', 'svds-lobpcg', 'svds-propack'],
      slepc: SLEPC_WAYS.triplets,
    };
  if (which === 'largest') return { ours: [undefined], scipy: ['eigsh', 'lobpcg'], slepc: SLEPC_WAYS.largest };
  const direct = isFactored
    ? { ours: ['shift-invert'], scipy: ['eigsh-inverse', 'eigsh-symmetric'], slepc: SLEPC_WAYS.direct }
    : { ours: ['lanczos'], scipy: ['eigsh'], slepc: SLEPC_WAYS.largest };
  return {
    ours: [undefined, ...direct.ours, 'lobpcg'],
    scipy: [...direct.scipy, 'lobpcg', 'lobpcg-jacobi', 'lobpcg-ilu'],
    slepc: [...direct.slepc, ...SLEPC_WAYS.smallest],
  };
}

/** @returns a line for each peer that is not installed, which says why */
export function missingPeers(isAsked) {
  return [
    ['SciPy', SCIPY_EIGS],
    ['SLEPc', SLEPC],
  ].flatMap(([name, program]) => {
    const reason = isAsked(name) ? program.missing() : undefined;
    return reason === undefined ? [] : [`${name} is missing: ${reason}`];
  });
}

/**
 * @param isAsked whether a contender is wanted, by its name
 * @param clock `wall`, or `cpu` for the time of the processor
 * @param least `least` of an earlier result, if there is one
 * @returns `{ contenders, close }`: those that are installed; peers only beside one thread of ours
 */
export function openContenders(engine, problem, { rtol, patienceMs, isAsked, least, clock }) {
  const ways = waysFor(problem);
  // SciPy's lobpcg stops by an absolute norm: that which the first result of ours says is small enough, or one that always is.
  const given = { rtol, patienceMs, clock, share: { least: least ?? LEAST_VALUE * problem.norms.A } };
  const own = ways.ours.map((method) => ours(engine, problem, method, given));
  const prefix = join(temporaryFolder(), 'eigs');
  const files = { matrix: `${prefix}-A`, mass: `${prefix}-B` };
  const peers = [
    ...ways.scipy.map((method) => scipyPeer(problem, files, method, given)),
    ...ways.slepc.map((way) => slepcPeer(problem, files, way, given)),
  ].filter(({ name, program }) => engine.threads === 1 && isAsked(name) && !program.missing());
  if (peers.length > 0) writeMatrixFile(problem.matrix, files.matrix);
  if (peers.length > 0 && problem.B !== undefined) writeMatrixFile(problem.B, files.mass);
  return {
    contenders: [...own.filter(({ name }) => isAsked(name)), ...peers],
    async close() {
      for (const { close } of peers) await close();
      for (const file of Object.values(files)) rmSync(file, { force: true });
    },
  };
}

/** @param method undefined for what `eigs` or `svds` chooses */
function ours(engine, problem, method, { rtol, patienceMs, clock, share }) {
  const { matrix, B, k, which, isSingularValues } = problem;
  return {
    name: method === undefined ? 'sparlane' : `sparlane ${method}`,
    solve() {
      const end = performance.now() + patienceMs;
      const options = {
        ...{ which, tolerance: rtol, onProgress: () => performance.now() < end },
        ...(method !== undefined && { method }),
        ...(B !== undefined && { B }),
      };
      const now = clock === 'cpu' ? cpuMs : () => performance.now();
      const begin = now();
      let found;
      try {
        found = isSingularValues ? svds(engine, matrix, k, options) : eigs(engine, matrix, k, options);
      } catch ({ message }) {
        return { unfinished: message, ms: now() - begin };
      }
      const ms = now() - begin;
      const blocks = isSingularValues ? { U: found.U, V: found.V } : { vectors: found.vectors };
      const arrays = Object.entries(blocks).map(([key, block]) => [key, block.toArray({ order: 'column' })]);
      for (const block of Object.values(blocks)) block.dispose();
      const { values, setupMs, solves, products, reason, decision } = found;
      if (reason === 'stopped') return { ...unfinished(patienceMs), ms };
      const result = measure(problem, { values, ...Object.fromEntries(arrays) });
      share.least = result.least;
      const { method: chosen, reasons } = decision;
      return { ms, setupMs, iterations: solves || products, reason, decision: chosen, reasons, ...result };
    },
  };
}

function scipyPeer(problem, files, method, { rtol, patienceMs, clock, share }) {
  const env = () => ({
    METHOD: method,
    CLOCK: clock,
    RTOL: `${rtol}`,
    ATOL: `${rtol * share.least}`,
    ...environmentOf(problem, files),
  });
  return peer(`SciPy ${method.replace('svds-', '')}`, SCIPY_EIGS, problem, files, env, patienceMs);
}

function slepcPeer(problem, files, { name, options, isTargeted }, { rtol, patienceMs, clock }) {
  const tolerance = isTargeted ? FINER * rtol : rtol;
  const tolerances = `${problem.isSingularValues ? '-svd_tol' : '-eps_tol'} ${tolerance}`;
  const env = () => ({
    ...environmentOf(problem, files),
    CLOCK: clock,
    PETSC_OPTIONS: `${options} ${tolerances}`,
    ...(isTargeted && { TARGETED: '1' }),
    ...(problem.isSingularValues && { TRIPLETS: '1' }),
  });
  return peer(`SLEPc ${name}`, SLEPC, problem, files, env, patienceMs);
}

function environmentOf({ k, which, sigma, B }, files) {
  return { K: `${k}`, WHICH: which, SIGMA: `${sigma}`, ...(B !== undefined && { MASS: files.mass }) };
}

/** The process begins with the first search, since its environment may depend on results before it. */
function peer(name, program, problem, files, env, patienceMs) {
  const { matrix, start, k, isSingularValues } = problem;
  const { rows, cols } = matrix;
  let child;
  return {
    name,
    program,
    async solve() {
      try {
        child ??= await program.open({ matrixFile: files.matrix, dtype: 'f64', threads: 1, x: start, env: env() });
        const times = await within(child.time(1), patienceMs);
        if (times === undefined) {
          // It would go on beside the others.
          await child.close();
          return { ...unfinished(patienceMs), ms: patienceMs };
        }
        const numbers = new Float64Array(k * (1 + rows + (isSingularValues ? cols : 0)));
        await child.result(numbers);
        const [values, first, second] = [numbers.subarray(0, k), k * (1 + rows), numbers.length];
        const left = numbers.subarray(k, first);
        const vectors = isSingularValues ? { U: left, V: numbers.subarray(first, second) } : { vectors: left };
        return { ms: times[0], iterations: await child.count(), ...measure(problem, { values, ...vectors }) };
      } catch ({ message }) {
        // A process that has ended, with its reason: of Python that is the last line.
        const reasons = message.trim().split('\n');
        return { unfinished: reasons.at(message.includes('Traceback') ? -1 : 0), ms: patienceMs };
      }
    },
    close: async () => child?.close(),
  };
}
