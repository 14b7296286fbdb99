/**
 * Everything the kernels' module exports. One source, two binaries: see `asconfig.json`.
 *
 * The rules of this folder: raw pointers and `@unmanaged` headers only; no static data, no string, no throw, no start
 * function, no function references. With a shared memory each thread's instantiation would write static data over live
 * memory; a test asserts that the module imports exactly `env.memory` and has no data section.
 */
export {
  bsr2_spmv_f32,
  bsr2_spmv_f64,
  bsr2_spmv_mixed,
  bsr3_spmv_f32,
  bsr3_spmv_f64,
  bsr3_spmv_mixed,
  bsr4_spmv_f32,
  bsr4_spmv_f64,
  bsr4_spmv_mixed,
  bsr5_spmv_f32,
  bsr5_spmv_f64,
  bsr5_spmv_mixed,
  bsr6_spmv_f32,
  bsr6_spmv_f64,
  bsr6_spmv_mixed,
  bsr7_spmv_f32,
  bsr7_spmv_f64,
  bsr7_spmv_mixed,
  bsr8_spmv_f32,
  bsr8_spmv_f64,
  bsr8_spmv_mixed,
} from './bsr';
export {
  bsr_reduce_spmv_f32,
  bsr_reduce_spmv_f64,
  bsr_reduce_spmv_f64 as bsr_reduce_spmv_mixed,
  bsr_spmv_f32,
  bsr_spmv_f64,
  bsr_spmv_mixed,
} from './bsr-panels';
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
export { inode_spmv_f32, inode_spmv_f64, inode_spmv_mixed } from './inode';
export { stream_read } from './stream';
