/** All direct methods. One is added to the library by its line here. */
import { LU } from './lu/lu.js';
import type { DirectMethod } from './method.js';
import { CHOLESKY, LDLT } from './symmetric/methods.js';

export const DIRECT_METHODS: readonly DirectMethod[] = [CHOLESKY, LDLT, LU];
