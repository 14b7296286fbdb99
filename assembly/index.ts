/**
 * Everything the kernels' module exports. One source, two binaries: see `asconfig.json`.
 *
 * The rules of this folder: raw pointers and `@unmanaged` headers only; no static data, no string, no throw, no start
 * function, no function references. With a shared memory each thread's instantiation would write static data over live
 * memory; a test asserts that the module imports exactly `env.memory` and has no data section.
 */
// Where values are codes or none at all, `mixed` is f64: what is looked up is wide already.
export {
  coo_pattern_spmv_f32,
  coo_pattern_spmv_f64,
  coo_pattern_spmv_f64 as coo_pattern_spmv_mixed,
  coo_spmv_f32,
  coo_spmv_f64,
  coo_spmv_mixed,
  coo_table_spmv_f32,
  coo_table_spmv_f64,
  coo_table_spmv_f64 as coo_table_spmv_mixed,
} from './coo';
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
export { pkt_spmv_f32, pkt_spmv_f64, pkt_spmv_mixed } from './pkt';
export { stream_read } from './stream';
