/** What `run.mjs` wrote, asked for times. */
import { readFileSync } from 'node:fs';
import { MATRICES } from './matrices.mjs';

export function readResults(paths) {
  const texts = paths.flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'));
  return new Results(texts.filter(Boolean).map((text) => JSON.parse(text)));
}

export class Results {
  /** Those that were measured, in order of importance, each with its line. */
  matrices;
  #lines;

  constructor(lines) {
    this.#lines = lines;
    const described = lines.filter(({ kind }) => kind === 'matrix');
    this.matrices = MATRICES.flatMap((entry) => {
      const line = described.findLast(({ matrix }) => matrix === entry.name);
      return line === undefined ? [] : [{ ...entry, ...line }];
    });
  }

  of(kind) {
    return this.#lines.filter((line) => line.kind === kind);
  }

  get dtypes() {
    return [...new Set(this.of('product').map(({ dtype }) => dtype))];
  }

  /** The fastest of the products that are wanted, cold; undefined where there is none. */
  best({ name }, dtype, isWanted) {
    const found = this.of('product').filter((line) => line.matrix === name && line.dtype === dtype && isWanted(line));
    return found.reduce((a, b) => (a !== undefined && a.coldUs <= b.coldUs ? a : b), undefined);
  }
}

/** Ours in one of these formats, as it was asked for, by any method; none named: in any. */
export const ours =
  (...formats) =>
  ({ library, requested }) =>
    library === 'sparlane' && (formats.length === 0 || formats.includes(requested.split(' ')[0]));

/** A product of cuSPARSE, as cusparse.cu calls it; none named: any. */
export const cusparse =
  (...products) =>
  ({ library, requested }) =>
    library === 'cuSPARSE' && (products.length === 0 || products.includes(requested));

export const PREPROCESSED = 'csr ALG1 preprocess';
