/**
 * The contenders of the suite `multigrid`, opened for one system: ours, the multigrid of AMGCL and of PETSc (gamg, hypre's BoomerAMG), and a direct solver
 * as a remark. Those that take a near-null space and the unknowns of a node get them. Each is as `openContenders` of the suite `solve` has it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../peers/index.mjs';
import { writeVectorsFile } from '../peers/matrix-file.mjs';
import { AMGCL_SOLVE, DIRECT_SOLVE } from '../peers/native.mjs';
import { MAX_ITERATIONS, openPeers, ours, petscPeer, solverEnvironment } from '../solve/contenders.mjs';

const GAMG = '-pc_type gamg';
const BOOMER = '-pc_type hypre -pc_hypre_type boomeramg';

/** The Krylov method that ours and AMGCL take, and the other peers, for symmetric matrices (`true`) and for others. */
const METHODS = {
  true: {
    method: 'cg',
    petsc: [
      { name: 'cg+gamg', options: `-ksp_type cg ${GAMG}` },
      { name: 'cg+boomeramg', options: `-ksp_type cg ${BOOMER}` },
    ],
    direct: { name: 'CHOLMOD', solver: 'cholmod' },
  },
  false: {
    method: 'bicgstab',
    petsc: [
      { name: 'bcgs+gamg', options: `-ksp_type bcgs ${GAMG}` },
      { name: 'bcgs+boomeramg', options: `-ksp_type bcgs ${BOOMER}` },
    ],
    direct: { name: 'UMFPACK', solver: 'umfpack' },
  },
};

/** Why programs of peers are not here, one line each. @param isAsked whether a contender is wanted, by its name */
export function missingPeers(isAsked) {
  const all = [true, false].flatMap((isSymmetric) => peersOf({ isSymmetric, isFactored: true }, undefined, {}));
  const programs = new Set(all.filter(({ name }) => isAsked(name)).map(({ program }) => program));
  return [...programs].flatMap((program) => {
    const reason = program.missing();
    return reason === undefined ? [] : [`${program.name} is missing: ${reason}`];
  });
}

/** Our multigrid for a system: the preconditioner, and what `precondition` gets beside. */
export function multigridsOf({ block, modes, isSymmetric, isClassical }) {
  const { method } = METHODS[isSymmetric];
  const near = modes === undefined ? {} : { nearNullSpace: modes };
  const amg = { method, preconditioner: block === 1 ? 'amg' : `amg?block=${block}` };
  return [
    // By its name alone, `solve` may reorder the rows.
    { ...amg, ...(modes !== undefined && { making: near, note: 'modes' }) },
    { ...amg, making: { ...near, dtype: 'mixed' }, note: 'mixed' },
    ...(isClassical ? [{ method, preconditioner: 'classical-amg' }] : []),
  ];
}

/** @param isAsked whether a contender is wanted, by its name. @returns those that are installed */
export async function openContenders(engine, problem, { rtol, patienceMs, isAsked }) {
  const { matrix, b, modes } = problem;
  const limits = { rtol, maxIterations: MAX_ITERATIONS };
  const own = [...multigridsOf(problem), {}].map((options) =>
    ours(engine, matrix, b, { ...options, ...limits }, patienceMs),
  );
  const modesFile = modes === undefined ? undefined : join(temporaryFolder(), 'modes');
  if (modesFile !== undefined) writeVectorsFile(modes, modesFile);
  const peers = peersOf(problem, modesFile, limits).filter(({ name }) => isAsked(name));
  const opened = await openPeers(peers, { matrix, b, threads: engine.threads }, patienceMs);
  if (modesFile !== undefined) rmSync(modesFile);
  return [...own.filter(({ name }) => isAsked(name)), ...opened];
}

function peersOf({ isSymmetric, isFactored, isClassical, smoother, block }, modesFile, limits) {
  const { method, petsc, direct } = METHODS[isSymmetric];
  const amgcl = [`sa+${smoother}+${method}`, ...(isClassical ? [`rs+spai0+${method}`] : [])];
  const levels = [
    ...amgcl.map((name) => ({ name: `AMGCL ${name}`, program: AMGCL_SOLVE, env: solverEnvironment(name, limits) })),
    ...petsc.map((one) => petscPeer(one, limits)),
  ];
  const more = { BLOCK: `${block}`, ...(modesFile !== undefined && { NEAR_NULL_SPACE: modesFile }) };
  return [
    ...levels.map(({ env, ...one }) => ({ ...one, env: { ...env, ...more } })),
    ...(isFactored ? [{ name: direct.name, program: DIRECT_SOLVE, env: { SOLVER: direct.solver } }] : []),
  ];
}
