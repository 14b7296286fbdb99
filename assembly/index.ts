/**
 * All exports of the kernels' module. One source, two binaries: see `asconfig.json`.
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
// With values as codes or as a pattern, `mixed` is f64: the table already has f64 values.
export {
  components_pattern_spmv_f32,
  components_pattern_spmv_f64,
  components_pattern_spmv_f64 as components_pattern_spmv_mixed,
  components_spmv_f32,
  components_spmv_f64,
  components_spmv_mixed,
  components_table_spmv_f32,
  components_table_spmv_f64,
  components_table_spmv_f64 as components_table_spmv_mixed,
} from './components';
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
  coo_atomic_pattern_spmv_f32,
  coo_atomic_pattern_spmv_f64,
  coo_atomic_pattern_spmv_f64 as coo_atomic_pattern_spmv_mixed,
  coo_atomic_spmv_f32,
  coo_atomic_spmv_f64,
  coo_atomic_spmv_mixed,
  coo_atomic_table_spmv_f32,
  coo_atomic_table_spmv_f64,
  coo_atomic_table_spmv_f64 as coo_atomic_table_spmv_mixed,
} from './coo-atomic';
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
export { csr5_spmv_f32, csr5_spmv_f64, csr5_spmv_mixed } from './csr5';
export {
  csrk_pattern_spmv_f32,
  csrk_pattern_spmv_f64,
  csrk_pattern_spmv_f64 as csrk_pattern_spmv_mixed,
  csrk_spmv_f32,
  csrk_spmv_f64,
  csrk_spmv_mixed,
  csrk_table_spmv_f32,
  csrk_table_spmv_f64,
  csrk_table_spmv_f64 as csrk_table_spmv_mixed,
  csrk16_pattern_spmv_f32,
  csrk16_pattern_spmv_f64,
  csrk16_pattern_spmv_f64 as csrk16_pattern_spmv_mixed,
  csrk16_spmv_f32,
  csrk16_spmv_f64,
  csrk16_spmv_mixed,
  csrk16_table_spmv_f32,
  csrk16_table_spmv_f64,
  csrk16_table_spmv_f64 as csrk16_table_spmv_mixed,
} from './csrk';
export { dia_spmv_f32, dia_spmv_f64, dia_spmv_mixed } from './dia';
export { inode_spmv_f32, inode_spmv_f64, inode_spmv_mixed } from './inode';
export { pkt_spmv_f32, pkt_spmv_f64, pkt_spmv_mixed } from './pkt';
export { scale_spmv_f32, scale_spmv_f64, scale_spmv_f64 as scale_spmv_mixed } from './scale';
export {
  sell_spmv_f32,
  sell_spmv_f64,
  sell_spmv_mixed,
  sell_table_spmv_f32,
  sell_table_spmv_f64,
  sell_table_spmv_f64 as sell_table_spmv_mixed,
  sell16_spmv_f32,
  sell16_spmv_f64,
  sell16_spmv_mixed,
  sell16_table_spmv_f32,
  sell16_table_spmv_f64,
  sell16_table_spmv_f64 as sell16_table_spmv_mixed,
} from './sell';
export {
  sss_halos_spmv_f32,
  sss_halos_spmv_f64,
  sss_halos_spmv_f64 as sss_halos_spmv_mixed,
  sss_spmv_f32,
  sss_spmv_f64,
  sss_spmv_mixed,
  sss16_spmv_f32,
  sss16_spmv_f64,
  sss16_spmv_mixed,
} from './sss';
export { stream_read, stream_triad } from './stream';
export { vector_program_f32, vector_program_f64 } from './vector';
