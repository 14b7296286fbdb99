/**
 * Everything the kernels' module exports. One source, two binaries: see `asconfig.json`.
 *
 * The rules of this folder: raw pointers and `@unmanaged` headers only; no static data, no string, no throw, no start
 * function, no function references. With a shared memory each thread's instantiation would write static data over live
 * memory; a test asserts that the module imports exactly `env.memory` and has no data section.
 */
export { csr_spmv_f32, csr_spmv_f64, csr_spmv_mixed } from './csr';
export { csrk_spmv_f32, csrk_spmv_f64, csrk_spmv_mixed } from './csrk';
export { stream_read } from './stream';
