/**
 * Compiles the peers for a machine that has neither a compiler nor their libraries: the programs, the shared libraries that they
 * load, and the dynamic linker. There, SPARLANE_PEERS=FOLDER makes the benchmarks use them.
 *
 * usage: npx bench peers/prebuild FOLDER [MARCH]      MARCH replaces `native`; default x86-64-v4. SciPy and ranks of MPI are not included
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { compile, prebuiltName } from './compile.mjs';
import { HOWS } from './native.mjs';

const [folder = '', march = 'x86-64-v4'] = process.argv.slice(2);
if (folder === '') throw new Error('usage: npx bench peers/prebuild FOLDER [MARCH]');
const libraries = join(resolve(folder), 'lib');
mkdirSync(libraries, { recursive: true });

for (const { how, dtypes } of HOWS) {
  for (const dtype of dtypes) {
    const flags = how.flags.map((flag) => (flag === '-march=native' ? `-march=${march}` : flag));
    const { program, missing } = compile({ ...how, flags }, dtype);
    if (missing) {
      process.stderr.write(`${how.source} ${dtype}: ${missing}\n`);
      continue;
    }
    const name = prebuiltName(how, dtype);
    copyFileSync(program, join(libraries, `${name}.bin`));
    for (const library of librariesOf(program)) copyFileSync(library, join(libraries, basename(library)));
    // The linker beside the libraries: the ones of the other machine may be older.
    const script = `#!/bin/sh\nlib="$(dirname "$0")/lib"\nexec "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$lib/${name}.bin" "$@"\n`;
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
}

function librariesOf(program) {
  const text = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...text.matchAll(/(\/\S+)(?= \()/g)].map(([path]) => path);
}
