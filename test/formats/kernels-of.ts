/** The kernels of a product, in order: `sell16_table_spmv`. */
import { layoutName, type StoredMatrix } from '#dist/formats/format.js';

export function kernelsOf({ stages }: Pick<StoredMatrix, 'stages'>): string[] {
  return stages.spmv.map(({ kernel }) => `${layoutName(kernel)}_${kernel.verb}`);
}
