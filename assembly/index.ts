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
export { bsr_count, bsr_place_f32, bsr_place_f64, bsr_place_mixed, bsr_place_widened } from './bsr-layout';
export {
  bsr_reduce_f32,
  bsr_reduce_f64,
  bsr_reduce_f64 as bsr_reduce_mixed,
  bsr_spmv_f32,
  bsr_spmv_f64,
  bsr_spmv_mixed,
} from './bsr-panels';
export { bsr_spmv_t_f32, bsr_spmv_t_f64, bsr_spmv_t_mixed } from './bsr-scatter';
export {
  bsr_spmm_f32,
  bsr_spmm_f64,
  bsr_spmm_mixed,
} from './bsr-spmm';
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
  components_count,
  components_place_codes,
  components_place_f32,
  components_place_f64,
  components_place_mixed,
  components_place_widened,
} from './components-layout';
export {
  components_pattern_spmm_f32,
  components_pattern_spmm_f64,
  components_pattern_spmm_f64 as components_pattern_spmm_mixed,
  components_spmm_f32,
  components_spmm_f64,
  components_spmm_mixed,
  components_table_spmm_f32,
  components_table_spmm_f64,
  components_table_spmm_f64 as components_table_spmm_mixed,
} from './components-spmm';
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
  coo_pattern_spmv_t_f32,
  coo_pattern_spmv_t_f64,
  coo_pattern_spmv_t_f64 as coo_pattern_spmv_t_mixed,
  coo_spmv_t_f32,
  coo_spmv_t_f64,
  coo_spmv_t_mixed,
  coo_table_spmv_t_f32,
  coo_table_spmv_t_f64,
  coo_table_spmv_t_f64 as coo_table_spmv_t_mixed,
} from './coo-scatter';
export {
  coo_pattern_spmm_f32,
  coo_pattern_spmm_f64,
  coo_pattern_spmm_f64 as coo_pattern_spmm_mixed,
  coo_spmm_f32,
  coo_spmm_f64,
  coo_spmm_mixed,
  coo_table_spmm_f32,
  coo_table_spmm_f64,
  coo_table_spmm_f64 as coo_table_spmm_mixed,
} from './coo-spmm';
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
  csr_pattern_spmv_t_f32,
  csr_pattern_spmv_t_f64,
  csr_pattern_spmv_t_f64 as csr_pattern_spmv_t_mixed,
  csr_spmv_t_f32,
  csr_spmv_t_f64,
  csr_spmv_t_mixed,
  csr_table_spmv_t_f32,
  csr_table_spmv_t_f64,
  csr_table_spmv_t_f64 as csr_table_spmv_t_mixed,
  csrk16_pattern_spmv_t_f32,
  csrk16_pattern_spmv_t_f64,
  csrk16_pattern_spmv_t_f64 as csrk16_pattern_spmv_t_mixed,
  csrk16_spmv_t_f32,
  csrk16_spmv_t_f64,
  csrk16_spmv_t_mixed,
  csrk16_table_spmv_t_f32,
  csrk16_table_spmv_t_f64,
  csrk16_table_spmv_t_f64 as csrk16_table_spmv_t_mixed,
} from './csr-scatter';
export {
  csr_pattern_spmm_f32,
  csr_pattern_spmm_f64,
  csr_pattern_spmm_f64 as csr_pattern_spmm_mixed,
  csr_spmm_f32,
  csr_spmm_f64,
  csr_spmm_mixed,
  csr_table_spmm_f32,
  csr_table_spmm_f64,
  csr_table_spmm_f64 as csr_table_spmm_mixed,
  csrk_pattern_spmm_f32,
  csrk_pattern_spmm_f64,
  csrk_pattern_spmm_f64 as csrk_pattern_spmm_mixed,
  csrk_spmm_f32,
  csrk_spmm_f64,
  csrk_spmm_mixed,
  csrk_table_spmm_f32,
  csrk_table_spmm_f64,
  csrk_table_spmm_f64 as csrk_table_spmm_mixed,
  csrk16_pattern_spmm_f32,
  csrk16_pattern_spmm_f64,
  csrk16_pattern_spmm_f64 as csrk16_pattern_spmm_mixed,
  csrk16_spmm_f32,
  csrk16_spmm_f64,
  csrk16_spmm_mixed,
  csrk16_table_spmm_f32,
  csrk16_table_spmm_f64,
  csrk16_table_spmm_f64 as csrk16_table_spmm_mixed,
} from './csr-spmm';
export { csr5_spmv_f32, csr5_spmv_f64, csr5_spmv_mixed } from './csr5';
export {
  csr5_count,
  csr5_mark,
  csr5_transpose_f32,
  csr5_transpose_f64,
  csr5_transpose_mixed,
  csr5_transpose_widened,
} from './csr5-layout';
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
export { dia_count, dia_mark, dia_place_f32, dia_place_f64, dia_place_mixed, dia_place_widened } from './dia-layout';
export { dia_compare, dia_hash } from './dia-repeats';
export {
  dia_spmm_f32,
  dia_spmm_f64,
  dia_spmm_mixed,
} from './dia-spmm';
export {
  cholesky_factor_f64,
  lu_factor_f32,
  lu_factor_f64,
  lu_factor_mixed,
} from './factor-pieces';
export {
  gather_f32,
  gather_f64,
  gather_negated_f32,
  gather_negated_f64,
  pivots_f32,
  pivots_f64,
} from './gather';
export { groups_fill, groups_find, groups16_fill } from './group-layout';
export { inode_spmv_f32, inode_spmv_f64, inode_spmv_mixed } from './inode';
export {
  inode_count,
  inode_place_f32,
  inode_place_f64,
  inode_place_mixed,
  inode_place_widened,
  inode_repeated,
} from './inode-layout';
export {
  inode_spmm_f32,
  inode_spmm_f64,
  inode_spmm_mixed,
} from './inode-spmm';
export { columns_bases, columns_place } from './layout-columns';
export {
  counts_place,
  counts_sum,
  rows_disorder,
  rows_measure,
  rows_place,
  rows_steady,
} from './layout-rows';
export {
  lines_columns_f32,
  lines_columns_f64,
  lines_diagonal_f32,
  lines_diagonal_f64,
  lines_join,
  lines_rows_f32,
  lines_rows_f64,
  lines_scale_f32,
  lines_scale_f64,
} from './lines';
export { lu_again } from './lu-again';
export { lu_columns, lu_settle } from './lu-columns';
export { lu_solve } from './lu-solve';
export {
  ordered_factor_f32,
  ordered_factor_f64,
  ordered_factor_mixed,
  ordered_trsv_f32,
  ordered_trsv_f64,
  ordered_trsv_mixed,
} from './ordered';
export {
  panels_pattern_spmv_f32,
  panels_pattern_spmv_f64,
  panels_pattern_spmv_f64 as panels_pattern_spmv_mixed,
  panels_spmv_f32,
  panels_spmv_f64,
  panels_spmv_mixed,
  panels_table_spmv_f32,
  panels_table_spmv_f64,
  panels_table_spmv_f64 as panels_table_spmv_mixed,
} from './panels';
export {
  panels_count,
  panels_place_codes,
  panels_place_f32,
  panels_place_f64,
  panels_place_mixed,
  panels_place_widened,
} from './panels-layout';
export { pkt_spmv_f32, pkt_spmv_f64, pkt_spmv_mixed } from './pkt';
export { add_count, add_fill_f32, add_fill_f64, kronecker_fill_f32, kronecker_fill_f64 } from './row-pairs';
export { y_scale_f32, y_scale_f64, y_scale_f64 as y_scale_mixed } from './scale';
export { y_reduce_f32, y_reduce_f64, y_reduce_f64 as y_reduce_mixed } from './scatter';
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
export { sell_cut, sell_lengths, sell_measure } from './sell-chunk-layout';
export {
  sell_place_codes,
  sell_place_f32,
  sell_place_f64,
  sell_place_mixed,
  sell_place_widened,
  sell16_place_codes,
  sell16_place_f32,
  sell16_place_f64,
  sell16_place_mixed,
  sell16_place_widened,
} from './sell-layout';
export {
  sell_spmv_t_f32,
  sell_spmv_t_f64,
  sell_spmv_t_mixed,
  sell_table_spmv_t_f32,
  sell_table_spmv_t_f64,
  sell_table_spmv_t_f64 as sell_table_spmv_t_mixed,
  sell16_spmv_t_f32,
  sell16_spmv_t_f64,
  sell16_spmv_t_mixed,
  sell16_table_spmv_t_f32,
  sell16_table_spmv_t_f64,
  sell16_table_spmv_t_f64 as sell16_table_spmv_t_mixed,
} from './sell-scatter';
export {
  sell_spmm_f32,
  sell_spmm_f64,
  sell_spmm_mixed,
  sell_table_spmm_f32,
  sell_table_spmm_f64,
  sell_table_spmm_f64 as sell_table_spmm_mixed,
  sell16_spmm_f32,
  sell16_spmm_f64,
  sell16_spmm_mixed,
  sell16_table_spmm_f32,
  sell16_table_spmm_f64,
  sell16_table_spmm_f64 as sell16_table_spmm_mixed,
} from './sell-spmm';
export {
  groups_backward_f32,
  groups_backward_f64,
  groups_backward_mixed,
  groups_forward_f32,
  groups_forward_f64,
  groups_forward_mixed,
  groups16_backward_f32,
  groups16_backward_f64,
  groups16_backward_mixed,
  groups16_forward_f32,
  groups16_forward_f64,
  groups16_forward_mixed,
} from './slice-groups';
export {
  slices_backward_f32,
  slices_backward_f64,
  slices_backward_mixed,
  slices_forward_f32,
  slices_forward_f64,
  slices_forward_mixed,
  slices16_backward_f32,
  slices16_backward_f64,
  slices16_backward_mixed,
  slices16_forward_f32,
  slices16_forward_f64,
  slices16_forward_mixed,
} from './slice-lanes';
export { slices_fill, slices_place, slices16_fill } from './slice-layout';
export {
  rows_backward_f32,
  rows_backward_f64,
  rows_backward_mixed,
  rows_forward_f32,
  rows_forward_f64,
  rows_forward_mixed,
  rows16_backward_f32,
  rows16_backward_f64,
  rows16_backward_mixed,
  rows16_forward_f32,
  rows16_forward_f64,
  rows16_forward_mixed,
} from './slice-rows';
export { slices_schedule } from './slice-schedule';
export {
  spgemm_count,
  spgemm_fill_f32,
  spgemm_fill_f64,
  spgemm_pack,
  spgemm_weigh,
} from './spgemm';
export { pieces_shift, split_count, split_fill, split_turn } from './split';
export {
  sss_add_halos_f32,
  sss_add_halos_f64,
  sss_add_halos_f64 as sss_add_halos_mixed,
  sss_spmv_f32,
  sss_spmv_f64,
  sss_spmv_mixed,
  sss16_spmv_f32,
  sss16_spmv_f64,
  sss16_spmv_mixed,
} from './sss';
export {
  sss_compare_f32,
  sss_compare_f64,
  sss_compare_mixed,
  sss_compare_widened,
  sss_place_f32,
  sss_place_f64,
  sss_place_mixed,
  sss_place_widened,
} from './sss-layout';
export { stream_read, stream_triad } from './stream';
export { supernodes_cholesky_f64, supernodes_indefinite_f64 } from './supernodes';
export { supernodes_solve_f64 } from './supernodes-solve';
export { supernodes_solve4_f64 } from './supernodes-solve4';
export {
  transpose_count,
  transpose_place,
  transpose_total,
} from './transpose';
export {
  transpose_buckets,
  transpose_settle_f32,
  transpose_settle_f64,
} from './transpose-buckets';
export {
  transpose_fill_f32,
  transpose_fill_f64,
  transpose_spread_f32,
  transpose_spread_f64,
} from './transpose-move';
export { vector_program_f32, vector_program_f64 } from './vector';
export { windows_reach } from './windows';
