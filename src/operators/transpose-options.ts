/** Options of `MatrixOperator.transposed`, and their check. */
import type { Products } from '../choice/choose.js';
import { integer, knownKeys, oneOf, text } from '../core/checks.js';
import { mismatch } from '../core/errors.js';

/** `A.transposed` takes these options. */
export interface TransposeOptions {
  /** The format of Aᵀ. Default `auto`. */
  format?: string;
  /** With `auto`: the expected number of products. Default: that of A. */
  products?: Products;
  /**
   * `own`: Aᵀ is stored beside A, in a format of its own. `shared`: no second copy of the entries. Products then take about as long as
   * those of A on one thread, but gain less from several threads, and only some formats have kernels for them. On a GPU their adds are
   * atomic: the bits may differ from run to run. Default `own`.
   */
  memory?: 'own' | 'shared';
}

const OPTIONS = { format: true, products: true, memory: true } satisfies Record<keyof TransposeOptions, true>;

/** Checked, with the default of `memory`. */
export type CheckedTransposeOptions = TransposeOptions & { readonly memory: 'own' | 'shared' };

/** @throws SparlaneError `argument` */
export function checkTransposeOptions(options: TransposeOptions): CheckedTransposeOptions {
  knownKeys('options', options, OPTIONS);
  const { format, products } = options;
  if (format !== undefined) text('format', format);
  if (products !== undefined && products !== 'many') integer('products', products, 1);
  const memory = oneOf('memory', options.memory ?? 'own', ['own', 'shared']);
  for (const name of ['format', 'products'] as const)
    if (memory === 'shared' && options[name] !== undefined)
      throw mismatch('argument', name, "no value (only valid with memory 'own')", options[name]);
  return { ...options, memory };
}
