/** Peers in separate processes. Their sources describe them. */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compile, prebuiltFile, SETUP } from './compile.mjs';
import { openProcess } from './process.mjs';

/** The compiled peers: what `prebuild.mjs` builds. */
export const HOWS = [];

export const NATIVE = [
  compiled('gcc -O3', { source: 'csr.c', flags: ['-O3'] }),
  compiled('gcc -O3 -march=native', { source: 'csr.c', flags: ['-O3', '-march=native'] }),
  // Sums in any order, so rows are vectorized: with gathers where the processor has them.
  compiled('gcc -Ofast -march=native', { source: 'csr.c', flags: ['-Ofast', '-march=native'] }),
  compiled('SIMD CSR', { source: 'simd-csr.c', flags: ['-O3', '-march=native'] }),
  compiled('SIMD SELL', { source: 'simd-sell.c', flags: ['-O3', '-march=native'] }),
  compiled('Eigen', { source: 'eigen.cpp', flags: ['-O3', '-march=native', '-DNDEBUG'], packages: ['eigen3'] }),
  compiled('librsb', { source: 'rsb.c', flags: ['-O3'], libraries: ['-lrsb'] }),
  compiled('SuiteSparse:GraphBLAS', {
    source: 'graphblas.c',
    flags: ['-O3', '-I/usr/include/suitesparse'],
    libraries: ['-lgraphblas'],
  }),
  petsc('PETSc', 'petsc.c'),
  compiled(
    'Kokkos Kernels',
    {
      source: 'kokkos.cpp',
      flags: ['-O3', '-march=native', '-DNDEBUG', '-I/usr/include/trilinos'],
      libraries: ['-ltrilinos_kokkoskernels', '-ltrilinos_kokkoscore'],
    },
    { threads: 'one' },
  ),
  compiled('AOCL-Sparse', {
    source: 'aocl.c',
    flags: ['-O3', ...ofFolder('AOCL_SPARSE', (folder) => [`-I${folder}/include`])],
    // An RPATH, unlike a RUNPATH, also finds the libraries that the library needs.
    libraries: [
      ...ofFolder('AOCL_SPARSE', (folder) => [`-L${folder}/lib`, `-Wl,-rpath,${folder}/lib,--disable-new-dtags`]),
      '-laoclsparse',
    ],
    remedy:
      'git clone https://github.com/amd/aocl-sparse; with aocl-utils, BLIS and libflame of AMD installed in FOLDER, cmake -S aocl-sparse -B build ' +
      '-DCMAKE_AOCL_ROOT=FOLDER -DCMAKE_INSTALL_PREFIX=FOLDER -DBUILD_CLIENTS_SAMPLES=OFF && cmake --build build --target install, and set the ' +
      'environment variable AOCL_SPARSE to FOLDER',
  }),
  scipy('scipy_peer.py'),
];

/** Not a product but a solve, by as many iterations as CG_ITERATIONS of the environment says. */
export const PETSC_CG = petsc('PETSc KSPCG', 'petsc-cg.c');

/** Whole solves, set-up included, by the solver that the environment names; see their sources. */
export const PETSC_SOLVE = petsc('PETSc', 'petsc-solve.c', { tellsSetup: true });
export const EIGEN_SOLVE = compiled(
  'Eigen',
  { source: 'eigen-solve.cpp', flags: ['-O3', '-march=native', '-DNDEBUG'], packages: ['eigen3'] },
  { dtypes: ['f64'] },
);

/** Direct solvers of SuiteSparse and Eigen. OpenBLAS has as many threads as OpenMP. */
export const DIRECT_SOLVE = compiled(
  'SuiteSparse, Eigen',
  {
    source: 'direct-solve.cpp',
    flags: ['-O3', '-march=native', '-DNDEBUG', '-I/usr/include/suitesparse'],
    libraries: ['-lcholmod', '-lumfpack', '-lklu', '-lopenblas'],
    packages: ['eigen3'],
  },
  { dtypes: ['f64'], tellsSetup: true },
);

/** AMGCL is not in Debian, and has only headers. */
export const AMGCL_SOLVE = compiled(
  'AMGCL',
  {
    source: 'amgcl-solve.cpp',
    // Its options as property trees would need Boost.
    flags: ['-O3', '-march=native', '-DNDEBUG', '-DAMGCL_NO_BOOST', ...ofFolder('AMGCL', (folder) => [`-I${folder}`])],
    remedy: 'git clone https://github.com/ddemidov/amgcl, and set the environment variable AMGCL to that folder',
  },
  { dtypes: ['f64'], tellsSetup: true },
);

/** METIS finds parts of a graph. */
export const METIS = { source: 'metis.c', flags: ['-O3'], libraries: ['-lmetis'] };
HOWS.push({ how: METIS, dtypes: ['f64'] });

export const SCIPY_SOLVE = scipy('scipy_solve.py');

/** Whole searches for eigenpairs or singular triplets, as the environment says; see their sources. */
export const SCIPY_EIGS = scipy('scipy_eigs.py');
export const SLEPC = compiled(
  'SLEPc',
  { source: 'slepc.c', flags: ['-O3'], packages: ['SLEPc', 'PETSc', 'ompi-c'] },
  { dtypes: ['f64'] },
);

/** Products with blocks of vectors, row-major; the number of columns is a constant of the compiler. */
export function blockPeers(columns) {
  const flags = ['-O3', '-march=native', `-DCOLUMNS=${columns}`];
  return [
    compiled('gcc -O3 -march=native', { source: 'csr-blocks.c', flags }),
    compiled('Eigen', { source: 'eigen-blocks.cpp', flags: [...flags, '-DNDEBUG'], packages: ['eigen3'] }),
    compiled('librsb', { source: 'rsb-blocks.c', flags: ['-O3', `-DCOLUMNS=${columns}`], libraries: ['-lrsb'] }),
    scipy('scipy_peer.py', { PEER_COLUMNS: String(columns) }),
  ];
}

/** Flags for a library that is not in Debian, by the folder that an environment variable names; without it the compiler looks where it always does. */
function ofFolder(variable, flagsOf) {
  const { [variable]: folder = '' } = process.env;
  return folder === '' ? [] : flagsOf(folder);
}

/**
 * `launcher`: the command before the program for that many threads; `threads`: whether it has more than one; `tellsSetup`: whether it answers
 * `setup` of peer.h.
 */
function compiled(
  name,
  how,
  { dtypes = ['f64', 'f32'], threads = 'many', launcher = () => [], tellsSetup = false } = {},
) {
  HOWS.push({ how, dtypes });
  return {
    ...{ name, language: 'native', dtypes, threads, tellsSetup },
    missing: () => compile(how, dtypes[0]).missing,
    async open({ matrixFile, dtype, threads: number, x, tune = false, env = {} }) {
      const { program, missing } = compile(how, dtype);
      if (missing) throw new Error(`${name}: ${missing}`);
      return openProcess({
        ...{ name, dtype, threads: number, x },
        env: { ...(tune && { RSB_TUNE: '1' }), ...env },
        command: (vectorFile) => [...launcher(number), program, matrixFile, vectorFile, String(number)],
      });
    },
  };
}

function petsc(name, source, more = {}) {
  const how = { source, flags: ['-O3'], packages: ['PETSc', 'ompi-c'] };
  return compiled(name, how, { dtypes: ['f64'], launcher: mpirun, ...more });
}

/** Ranks are bound where the system can, like threads by OMP_PROC_BIND. Open MPI needs flags to accept root and more ranks than cores. */
function mpirun(ranks) {
  if (ranks === 1) return [];
  const binding =
    ranks > availableParallelism()
      ? ['--oversubscribe']
      : ['--use-hwthread-cpus', '--bind-to', 'hwthread:if-supported'];
  return [prebuiltFile('mpirun') ?? 'mpirun', '--allow-run-as-root', ...binding, '-n', String(ranks)];
}

/** Debian's SciPy belongs to Debian's Python, which may not be the first in PATH. */
const PYTHONS = ['python3', '/usr/bin/python3'];

/** @param always added to the environment */
function scipy(source, always = {}) {
  const name = 'SciPy';
  let python;
  const find = () => {
    python ??= PYTHONS.find(hasScipy);
    return python;
  };
  return {
    ...{ name, language: 'native', dtypes: ['f64', 'f32'], threads: 'one' },
    missing: () => (find() === undefined ? `no python3 with scipy: ${SETUP}` : undefined),
    open: ({ matrixFile, dtype, x, env }) => {
      const script = fileURLToPath(new URL(source, import.meta.url));
      const command = (vectorFile) => [find(), script, matrixFile, vectorFile, dtype === 'f64' ? 'float64' : 'float32'];
      // Its modules lie in the repository, which shall stay as it is.
      const quiet = { PYTHONDONTWRITEBYTECODE: '1', ...always, ...env };
      return openProcess({ name, dtype, threads: 1, x, command, env: quiet });
    },
  };
}

function hasScipy(python) {
  try {
    execFileSync(python, ['-c', 'import scipy.sparse'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
