/**
 * Compiles the peers for a machine that has neither a compiler nor their libraries: the programs, the shared libraries that they
 * load, the dynamic linker, and for PETSc's ranks mpirun with Open MPI's plugins. There, SPARLANE_PEERS=FOLDER makes the benchmarks use them.
 *
 * usage: npx bench peers/prebuild FOLDER [MARCH]      MARCH replaces `native`; default x86-64-v4. SciPy is not included
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { compile, prebuiltName, whyNot } from './compile.mjs';
import { HOWS } from './native.mjs';

/** Plugins of Open MPI for networks between machines, whose libraries are large. */
const NETWORKS = /_(ofi|openib|psm2?|ucx)\.so$/;

const [folder = '', march = 'x86-64-v4'] = process.argv.slice(2);
if (folder === '') throw new Error('usage: npx bench peers/prebuild FOLDER [MARCH]');
const libraries = join(resolve(folder), 'lib');
mkdirSync(libraries, { recursive: true });

for (const { how, dtypes } of HOWS) {
  for (const dtype of dtypes) {
    const flags = how.flags.map((flag) => (flag === '-march=native' ? `-march=${march}` : flag));
    const { program, missing } = compile({ ...how, flags }, dtype);
    if (missing) report(`${how.source} ${dtype}`, missing);
    else carryProgram(program, prebuiltName(how, dtype));
  }
}
try {
  carryProgram(realpathSync(output('sh', ['-c', 'command -v mpirun'])), 'mpirun');
  carryPlugins(output('ompi_info', ['--parsable', '--path', 'pkglibdir']).split(':').at(-1), 'openmpi');
  carryPlugins(join(output('pkg-config', ['--variable=libdir', 'pmix']), 'pmix'), 'pmix');
} catch (error) {
  report('mpirun', whyNot(error));
}

function carryProgram(program, name) {
  copyFileSync(program, join(libraries, `${name}.bin`));
  carryLibraries(program);
  // The linker beside the libraries: the ones of the other machine may be older. Open MPI reads its variables; it needs neither ssh nor orted.
  const script = [
    '#!/bin/sh',
    `lib="$(cd "\${0%/*}" && pwd)/lib"`,
    'export OMPI_MCA_mca_base_component_path="$lib/openmpi" PMIX_MCA_mca_base_component_path="$lib/pmix"',
    'export OMPI_MCA_plm=isolated OMPI_MCA_ess_singleton_isolated=1',
    `exec "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$lib/${name}.bin" "$@"`,
  ];
  writeFileSync(join(folder, name), `${script.join('\n')}\n`);
  chmodSync(join(folder, name), 0o755);
}

function carryPlugins(from, name) {
  const to = join(libraries, name);
  mkdirSync(to, { recursive: true });
  for (const plugin of readdirSync(from).filter((file) => file.endsWith('.so') && !NETWORKS.test(file))) {
    copyFileSync(join(from, plugin), join(to, plugin));
    carryLibraries(join(from, plugin));
  }
}

function carryLibraries(binary) {
  const loaded = output('ldd', [binary]).matchAll(/(\/\S+)(?= \()/g);
  for (const [library] of loaded) copyFileSync(library, join(libraries, basename(library)));
}

function output(command, args) {
  return execFileSync(command, args, { stdio: 'pipe', encoding: 'utf8' }).trim();
}

function report(what, reason) {
  process.stderr.write(`${what}: ${reason}\n`);
}
