/** The C peer of the suite `cores` (`bench/peers/cores.c`): a static program, so that it runs on a machine without a compiler. */
import { copyFileSync } from 'node:fs';
import { compile } from '../peers/compile.mjs';
import { openProcess } from '../peers/process.mjs';

const HOW = { source: 'cores.c', flags: ['-O3', '-march=x86-64-v3', '-static'] };

/** Contenders: OpenMP's threads where the system moves them, and each pinned to a core. */
export const C = 'gcc';
export const PINNED_C = 'gcc, pinned';

/** `{ program }`, or `{ missing }` with the reason. */
export const compilePeer = () => compile(HOW, 'f64');

/** Writes the program to a file. @throws if it cannot be compiled */
export function buildPeer(path) {
  const { program, missing } = compilePeer();
  if (missing !== undefined) throw new Error(`${path}: expected a C program, got ${missing}`);
  copyFileSync(program, path);
}

/** Resolves to a process as in `peers/index.mjs`, which has `read(reads)` too: the milliseconds of reads of `readBytes`. */
export function openPeer(program, name, { matrixFile, threads, x, readBytes }) {
  return openProcess({
    ...{ name, dtype: 'f64', threads, x },
    env: { OMP_PROC_BIND: String(name === PINNED_C), READ_BYTES: String(readBytes) },
    command: (vectorFile) => [program, matrixFile, vectorFile, String(threads)],
  });
}
