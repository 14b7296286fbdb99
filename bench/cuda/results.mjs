/** The results of `run.mjs` and `limits.cu`, with queries for times. */
import { readLines } from '../results-file.mjs';
import { MATRICES } from './matrices.mjs';

/** @param paths as of `readLines` */
export function readResults(paths) {
  return new Results(readLines(paths));
}

export class Results {
  /** The measured matrices, in order of importance, each with its line; and with those that are only for claims. */
  matrices;
  everyMatrix;
  #lines;

  constructor(lines) {
    this.#lines = lines;
    const described = lines.filter(({ kind }) => kind === 'matrix');
    this.everyMatrix = MATRICES.flatMap((entry) => {
      const line = described.findLast(({ matrix }) => matrix === entry.name);
      return line === undefined ? [] : [{ ...entry, ...line }];
    });
    this.matrices = this.everyMatrix.filter(({ isForClaims }) => !isForClaims);
  }

  of(kind) {
    return this.#lines.filter((line) => line.kind === kind);
  }

  get dtypes() {
    return [...new Set(this.of('product').map(({ dtype }) => dtype))];
  }

  /** The limits of the device, by limits.cu; undefined if not measured. */
  get limits() {
    return this.of('limits').at(-1);
  }

  productsOf({ name }, dtype) {
    return this.of('product').filter((line) => line.matrix === name && line.dtype === dtype);
  }

  /** The fastest of the wanted products, cold; undefined if there is none. */
  best(matrix, dtype, isWanted) {
    return fastest(this.productsOf(matrix, dtype).filter(isWanted), 'coldUs');
  }
}

/** By `coldUs` or `warmUs`; of equal times the first. */
export function fastest(products, us) {
  return products.reduce((a, b) => (a !== undefined && a[us] <= b[us] ? a : b), undefined);
}

/** The name of one of our products in results: its format, and its method unless that is the default, ''. */
export const requestOf = (format, method) => (method === '' ? format : `${format} ${method}`);

/** Our products in one of these formats, as requested, by any method; without formats: in any. */
export const ours =
  (...formats) =>
  ({ library, requested }) =>
    library === 'sparlane' && (formats.length === 0 || formats.includes(requested.split(' ')[0]));

/** Our products in the automatically chosen format, by its default method. */
export const byDefault = ({ library, requested }) => library === 'sparlane' && requested === 'auto';

/** A product of cuSPARSE, by its name in cusparse.cu; without names: any. */
export const cusparse =
  (...products) =>
  ({ library, requested }) =>
    library === 'cuSPARSE' && (products.length === 0 || products.includes(requested));

export const PREPROCESSED = 'csr ALG1 preprocess';
