/** What started a process, by the environment as each launcher sets it. */
import { describe, expect, test } from 'vitest';
import { launchedBy, signOfOthers } from '#dist/ranks/launcher.node.js';

/** As Slurm 22.05 sets it for task 1 of `srun -n 2`; the rest depends on `--mpi`. */
const TASK = {
  SLURM_NTASKS: '2',
  SLURM_NPROCS: '2',
  SLURM_PROCID: '1',
  SLURM_LOCALID: '1',
  SLURM_STEP_ID: '0',
  SLURM_STEP_NUM_TASKS: '2',
};
const OF_OPEN_MPI = {
  OMPI_COMM_WORLD_SIZE: '4',
  OMPI_COMM_WORLD_RANK: '3',
  PMIX_RANK: '3',
};

describe('a process of', () => {
  test.each([
    ["Open MPI's mpirun", OF_OPEN_MPI, { by: 'openmpi', library: 'openmpi', size: 4, rank: 3 }],
    ["MPICH's mpirun", { PMI_SIZE: '4', PMI_RANK: '2' }, { by: 'mpich', library: 'mpich', size: 4, rank: 2 }],
    ['srun --mpi=pmix', { ...TASK, PMIX_RANK: '1' }, { by: 'srun', library: 'openmpi', size: 2, rank: 1 }],
    ['srun --mpi=pmi2', { ...TASK, PMI_SIZE: '2', PMI_RANK: '1' }, { by: 'srun', library: 'mpich', size: 2, rank: 1 }],
    ['srun --mpi=none', TASK, { by: 'srun', library: 'mpich', size: 2, rank: 1 }],
    [
      'a launcher that sets only some of it',
      { PMIX_RANK: '0', SLURM_PROCID: '0', SLURM_NTASKS: '3' },
      { by: 'srun', library: 'openmpi', size: 3, rank: 0 },
    ],
    ['prun', { PMIX_RANK: '2' }, { by: 'pmix', library: 'openmpi', size: undefined, rank: 2 }],
    ["mpirun within srun, Open MPI's", { ...TASK, ...OF_OPEN_MPI }, { by: 'openmpi', size: 4, rank: 3 }],
    ["mpirun within srun, MPICH's", { ...TASK, PMI_SIZE: '4', PMI_RANK: '3' }, { by: 'mpich', size: 4, rank: 3 }],
  ])('%s', (_, env, expected) => {
    expect(launchedBy(env)).toMatchObject(expected);
  });
});

describe('no launcher', () => {
  test.each([
    ['nothing', {}],
    ['srun with one task', { ...TASK, SLURM_PROCID: '0', SLURM_NTASKS: '1', SLURM_STEP_NUM_TASKS: '1' }],
    ['salloc', { SLURM_NTASKS: '4', SLURM_JOB_ID: '7' }],
    ['the script of sbatch', { SLURM_NTASKS: '4', SLURM_PROCID: '0', SLURM_JOB_ID: '7' }],
  ])('%s', (_, env) => {
    expect(launchedBy(env)).toBeUndefined();
  });
});

describe('a process that may not be meant to be alone is', () => {
  test.each([
    [
      'the script of a job',
      { SLURM_NTASKS: '4', SLURM_PROCID: '0' },
      'a job of 4 tasks started this program without srun',
    ],
    ['of PMIx', { PMIX_RANK: '0' }, 'a launcher with PMIx started this program, and MPI finds no other process'],
    ['of Flux', { FLUX_JOB_SIZE: '3' }, 'Flux started this program as one of 3 processes, and its ranks are not found'],
    ['of MVAPICH', { MV2_COMM_WORLD_SIZE: '2' }, /^MVAPICH .* one of 2 processes/],
    ['of jsrun', { JSM_NAMESPACE_SIZE: '2' }, /^IBM's jsrun .* one of 2 processes/],
  ])('%s', (_, env, expected) => {
    expect(signOfOthers(env)).toMatch(expected);
  });

  test.each([
    ['a job of one task', { SLURM_NTASKS: '1', SLURM_PROCID: '0' }],
    ['salloc', { SLURM_NTASKS: '4' }],
    ['a task of srun', TASK],
    ['one process of Flux', { FLUX_JOB_SIZE: '1' }],
    ["one process of Open MPI's mpirun", { OMPI_COMM_WORLD_SIZE: '1', OMPI_COMM_WORLD_RANK: '0', PMIX_RANK: '0' }],
    ['nothing', {}],
  ])('not that of %s', (_, env) => {
    expect(signOfOthers(env)).toBeUndefined();
  });
});
