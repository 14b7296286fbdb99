/** What started this process as one of several, by what it sets in the environment. */

/** The implementations of MPI that differ in how a program is started and linked. */
export type MpiLibrary = 'openmpi' | 'mpich';

/** The mpirun of an implementation; srun of Slurm; another launcher with PMIx. */
export type MpiLauncher = MpiLibrary | 'srun' | 'pmix';

export interface Launched {
  readonly by: MpiLauncher;
  /** The MPI whose programs it starts. */
  readonly library: MpiLibrary;
  /** The number of processes, if the launcher says it. */
  readonly size: number | undefined;
  readonly rank: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** As errors and hints call a launcher, and what they advise where ranks do not find each other, or have few cores. */
export const LAUNCHERS: Readonly<Record<MpiLauncher, { name: string; advice: string; unbound: string }>> = {
  openmpi: {
    name: "Open MPI's mpirun",
    advice: 'build @sparlane/mpi for Open MPI',
    unbound: 'mpirun --bind-to none, or --map-by node:PE=n for n cores a rank',
  },
  mpich: {
    name: "MPICH's mpirun",
    advice: 'build @sparlane/mpi for MPICH',
    unbound: 'mpirun -bind-to none',
  },
  srun: {
    name: 'srun',
    advice: 'srun --mpi=pmix for Open MPI, srun --mpi=pmi2 for MPICH',
    unbound: 'srun -c n for n cores a rank',
  },
  pmix: {
    name: 'a launcher with PMIx',
    advice: 'build @sparlane/mpi for an MPI with PMIx',
    unbound: '--bind-to none',
  },
};

/**
 * Undefined: nothing, or srun with one task, as of any program in a job.
 *
 * The launcher that is nearest comes first: mpirun may itself have been started by srun, which then sets its variables, too.
 */
export function launchedBy(env: Environment = process.env): Launched | undefined {
  const number = (name: string) => (env[name] === undefined ? undefined : Number(env[name]));
  const [ofOpenMpi, ofPmi, pmixRank] = ['OMPI_COMM_WORLD_SIZE', 'PMI_SIZE', 'PMIX_RANK'].map(number);
  if (ofOpenMpi !== undefined)
    return { by: 'openmpi', library: 'openmpi', size: ofOpenMpi, rank: number('OMPI_COMM_WORLD_RANK') ?? 0 };
  const tasks = tasksOfStep(env);
  if (ofPmi !== undefined && ofPmi !== tasks)
    return { by: 'mpich', library: 'mpich', size: ofPmi, rank: number('PMI_RANK') ?? 0 };
  if (tasks !== undefined) {
    if (tasks === 1) return undefined;
    const library = pmixRank === undefined ? 'mpich' : 'openmpi';
    return { by: 'srun', library, size: tasks, rank: number('SLURM_PROCID') ?? 0 };
  }
  if (pmixRank === undefined) return undefined;
  return { by: 'pmix', library: 'openmpi', size: number('PMIX_SIZE'), rank: pmixRank };
}

/** Tasks that srun started together with this process. The script of a batch job, which is none, has the number of its job's tasks and is task 0. */
function tasksOfStep(env: Environment): number | undefined {
  const { SLURM_PROCID: task, SLURM_STEP_NUM_TASKS: ofStep, SLURM_NTASKS: ofJob, PMIX_RANK, PMI_RANK } = env;
  if (task === undefined) return undefined;
  if (ofStep !== undefined) return Number(ofStep);
  const isTask = task !== '0' || PMIX_RANK !== undefined || PMI_RANK !== undefined;
  return isTask && ofJob !== undefined ? Number(ofJob) : undefined;
}

/** Launchers whose processes are not found as ranks, each with the variable by which it tells a process how many there are. */
const FOREIGN: readonly (readonly [name: string, variable: string])[] = [
  ['MVAPICH', 'MV2_COMM_WORLD_SIZE'],
  ['Flux', 'FLUX_JOB_SIZE'],
  ["IBM's jsrun", 'JSM_NAMESPACE_SIZE'],
];

/** What suggests that a process without other ranks was meant to have some: the beginning of a sentence. Undefined if nothing does. */
export function signOfOthers(env: Environment = process.env): string | undefined {
  const launched = launchedBy(env);
  if (launched !== undefined) {
    const { name } = LAUNCHERS[launched.by];
    return launched.size === undefined ? `${name} started this program, and MPI finds no other process` : undefined;
  }
  const tasks = Number(env.SLURM_NTASKS ?? 1);
  // The script of a batch job is task 0 of a job, and no task of a step.
  if (tasks > 1 && env.SLURM_PROCID === '0' && tasksOfStep(env) === undefined)
    return `a job of ${tasks} tasks started this program without srun`;
  const found = FOREIGN.find(([, variable]) => Number(env[variable]) > 1);
  return found && `${found[0]} started this program as one of ${env[found[1]]} processes, and its ranks are not found`;
}

/** That a launcher started several processes, for a program that does not join ranks: on the first one, undefined on others. */
export function signOfRepetition(env: Environment = process.env): string | undefined {
  const { by, size = 1, rank } = launchedBy(env) ?? {};
  return by === undefined || size === 1 || rank !== 0
    ? undefined
    : `${LAUNCHERS[by].name} started ${size} processes, each of which solves the whole system`;
}
