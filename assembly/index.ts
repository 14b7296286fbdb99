/**
 * Everything the kernels' module exports. One source, two binaries: see `asconfig.json`.
 *
 * The rules of this folder: raw pointers and `@unmanaged` headers only; no static data, no string, no throw, no start
 * function, no function references. With a shared memory each thread's instantiation would write static data over live
 * memory; a test asserts that the module imports exactly `env.memory` and has no data section.
 */
// Where values are codes or none at all, `mixed` is f64: what is looked up is wide already.
export {
  csr_pattern_spmv_f32,
  csr_pattern_spmv_f64,
  csr_pattern_spmv_f64 as csr_pattern_spmv_mixed,
  csr_spmv_f32,
  csr_spmv_f64,
  csr_spmv_mixed,
  csr_table_spmv_f32,
  csr_table_spmv_f64,
  csr_table_spmv_f64 as csr_table_spmv_mixed,
} from './csr';
export {
  csr_merge_pattern_spmv_f32,
  csr_merge_pattern_spmv_f64,
  csr_merge_pattern_spmv_f64 as csr_merge_pattern_spmv_mixed,
  csr_merge_spmv_f32,
  csr_merge_spmv_f64,
  csr_merge_spmv_mixed,
  csr_merge_table_spmv_f32,
  csr_merge_table_spmv_f64,
  csr_merge_table_spmv_f64 as csr_merge_table_spmv_mixed,
} from './csr-merge';
export {
  csrk16_pattern_spmv_f32,
  csrk16_pattern_spmv_f64,
  csrk16_pattern_spmv_f64 as csrk16_pattern_spmv_mixed,
  csrk16_spmv_f32,
  csrk16_spmv_f64,
  csrk16_spmv_mixed,
  csrk16_table_spmv_f32,
  csrk16_table_spmv_f64,
  csrk16_table_spmv_f64 as csrk16_table_spmv_mixed,
  csrk_pattern_spmv_f32,
  csrk_pattern_spmv_f64,
  csrk_pattern_spmv_f64 as csrk_pattern_spmv_mixed,
  csrk_spmv_f32,
  csrk_spmv_f64,
  csrk_spmv_mixed,
  csrk_table_spmv_f32,
  csrk_table_spmv_f64,
  csrk_table_spmv_f64 as csrk_table_spmv_mixed,
} from './csrk';
export { dia_spmv_f32, dia_spmv_f64, dia_spmv_mixed } from './dia';
export {
  sss16_spmv_f32,
  sss16_spmv_f64,
  sss16_spmv_mixed,
  sss_halos_spmv_f32,
  sss_halos_spmv_f64,
  sss_halos_spmv_f64 as sss_halos_spmv_mixed,
  sss_spmv_f32,
  sss_spmv_f64,
  sss_spmv_mixed,
} from './sss';
export { stream_read } from './stream';
