/** The methods of `eigs`. A new one is a file and its line here. */
import { oneOf } from '../core/checks.js';
import { SHIFT_INVERT } from './inverse/shift-invert.js';
import { LANCZOS } from './lanczos/lanczos.js';
import { LOBPCG } from './lobpcg/lobpcg.js';
import type { EigenMethod } from './method.js';

export const EIGEN_METHODS: readonly EigenMethod[] = [SHIFT_INVERT, LANCZOS, LOBPCG];

/** @throws SparlaneError `argument` for a name that is not known */
export function eigenMethodOf(name: string): EigenMethod {
  const known = EIGEN_METHODS.map((method) => method.name);
  oneOf('method', name, ['auto', ...known]);
  return EIGEN_METHODS.find((method) => method.name === name)!;
}
