/**
 * The operands of a kernel, other than the matrix: the vectors or blocks of vectors, the factors, and the part's carry slot.
 * Layout and meaning: `OPERANDS` in `src/kernels/abi.ts`. A kernel loads what it uses once per call, before its loops.
 *
 * The rules of this folder: raw pointers and `@unmanaged` headers only; no static data, no string, no throw, no start function, no function
 * references. With a shared memory each thread's instantiation would write static data over live memory; a test asserts that the module
 * imports exactly `env.memory` and has no data section. One source, two binaries: `asconfig.json`. The build makes the exports and the
 * classes of headers and operands (`build/index.ts`, `build/headers.ts`).
 */
export { Operands } from '../build/headers';
