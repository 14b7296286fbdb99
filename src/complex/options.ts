/** Checks the options of operators of complex matrices. */
import type { Products } from '../choice/choose.js';
import { integer, knownKeys, oneOf, text } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { AUTO, expectedProducts } from '../operators/operator-options.js';

/** `c128` has pairs of f64, 16 bytes; `c64` has pairs of f32, whose sums are f64. */
export type ComplexDtype = 'c128' | 'c64';

/** The type of the two numbers of a pair. */
export const PARTS: Readonly<Record<ComplexDtype, 'f64' | 'f32'>> = { c128: 'f64', c64: 'f32' };

/** `complexOperator` takes these options. */
export interface ComplexOperatorOptions {
  /** `csr`, `csrk`, `coo`, `ell`, `sell`, `hyb`, `dia` or `bsr`, with parameters. Default `auto`: the format expected to be fastest; on a GPU `csr`. */
  readonly format?: string;
  /** Expected number of products, for `auto`. `many`: conversions do not count, and plans are `patient` (`OperatorOptions`). Default 1000. */
  readonly products?: Products;
  /** Default `c128`, whose vectors are of f64; those of `c64` are of f32. */
  readonly dtype?: ComplexDtype;
  /** As in `OperatorOptions`. */
  readonly padding?: boolean;
  /** Parts of the product, 1 to 1024. */
  readonly parts?: number;
}

const OPTIONS = { format: true, products: true, dtype: true, padding: true, parts: true } satisfies Record<
  keyof ComplexOperatorOptions,
  true
>;

/** Options that have been checked. Those for which everything else asks have their defaults. */
export type ComplexRequest = ComplexOperatorOptions &
  Required<Pick<ComplexOperatorOptions, 'format' | 'products' | 'dtype'>>;

/** Returns the options with their defaults. @throws SparlaneError `argument` for a wrong one */
export function checkComplexOptions(options: ComplexOperatorOptions): ComplexRequest {
  knownKeys('options', options, OPTIONS);
  const dtype = oneOf('dtype', options.dtype ?? 'c128', ['c128', 'c64']);
  const format = text('format', options.format ?? AUTO);
  if (format !== AUTO && options.products !== undefined)
    throw mismatch('argument', 'products', `none for a format by name`, options.products);
  const products = expectedProducts(options.products);
  if (options.parts !== undefined) integer('parts', options.parts, 1);
  return { ...options, dtype, format, products };
}
