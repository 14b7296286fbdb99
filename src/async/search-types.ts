/** Searches for eigenvalues and singular values in the engine's worker: their options as they are sent, and their answers. */
import type { EigsGeneralOptions, GeneralEigenSolution } from '../eigen/general/eigs-general.js';
import type { LeftEigenvectors } from '../eigen/general/left-vectors.js';
import type { EigenSolution, EigenStep, EigsOptions } from '../eigen/method.js';
import type { SvdsOptions, SvdsSolution, SvdsStep } from '../eigen/singular/singular.js';

/** `eigs` in a worker returns this: the eigenvectors are in the caller's own memory. */
export interface AsyncEigenSolution extends Omit<EigenSolution, 'vectors'> {
  /** In the caller's own memory: one vector after the other, in the order of `values`. */
  readonly vectors: Float64Array;
  /** Time of reading or generating the matrices. */
  readonly sourceMs: number;
}

/** Left eigenvectors in the caller's own memory. */
export interface AsyncLeftEigenvectors extends Omit<LeftEigenvectors, 'vectors'> {
  /** In the caller's own memory: one vector after the other, in the order of the values. */
  readonly vectors: { readonly real: Float64Array; readonly imaginary: Float64Array };
}

/** `eigsGeneral` in a worker returns this: the eigenvectors are in the caller's own memory. */
export interface AsyncGeneralEigenSolution extends Omit<GeneralEigenSolution, 'vectors' | 'left'> {
  /** The left eigenvectors are there with the option `left`. */
  readonly left?: AsyncLeftEigenvectors;
  /** In the caller's own memory: one vector after the other, in the order of `values`. */
  readonly vectors: { readonly real: Float64Array; readonly imaginary: Float64Array };
  /** Time of reading or generating the matrices. */
  readonly sourceMs: number;
}

/** `svds` in a worker returns this: the singular vectors are in the caller's own memory. */
export interface AsyncSvdsSolution extends Omit<SvdsSolution, 'U' | 'V'> {
  /** In the caller's own memory: one vector after the other, in the order of `values`. */
  readonly U: Float64Array;
  /** V has the same layout as U. */
  readonly V: Float64Array;
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

/** What is sent apart from the other options, or not at all. */
type Apart = 'B' | 'start' | 'preconditioner' | 'signal' | 'onProgress';

/** All searches: options, steps and answers. */
export interface SearchTypes {
  eigs: {
    options: Omit<EigsOptions, Apart> & { readonly preconditioner?: string };
    step: EigenStep;
    result: AsyncEigenSolution;
  };
  eigsGeneral: { options: Omit<EigsGeneralOptions, Apart>; step: EigenStep; result: AsyncGeneralEigenSolution };
  svds: { options: Omit<SvdsOptions, Apart>; step: SvdsStep; result: AsyncSvdsSolution };
}

export type SearchName = keyof SearchTypes;
