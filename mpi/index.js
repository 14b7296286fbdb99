/** Loads the addon that was built for an MPI on this machine (`npm run build:mpi`): an MPI's binary interface is its own. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

const PLATFORM = `${process.platform}-${process.arch}`;

const LIBRARIES = ['openmpi', 'mpich'];

/**
 * @param library the MPI whose mpirun started the program: its addon, or if there is none, that of another MPI
 * @throws the error of `require` for the last one: it was not built, or cannot be loaded, and why
 */
export function loadAddon(library = LIBRARIES[0]) {
  // UCX, which may be under an MPI, patches the allocation of memory when it is loaded. In Node, which has threads of its own, a rank that ends
  // by an error then crashes now and then.
  process.env.UCX_MEM_EVENTS ??= 'n';
  const names = [library, ...LIBRARIES.filter((other) => other !== library)];
  for (const name of names.slice(0, -1)) {
    try {
      return require(pathOf(name));
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return require(pathOf(names.at(-1)));
}

function pathOf(name) {
  return `./${PLATFORM}/sparlane_mpi.${name}.node`;
}

/** The program that outlives ranks which are killed, and says so. */
export function guardPath() {
  return fileURLToPath(new URL(`./${PLATFORM}/sparlane_mpi_guard`, import.meta.url));
}
