/** A and B as a caller gives them, as operators, with their entries if these are known. */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Owned } from '../core/owned.js';
import type { Engine } from '../engine/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator } from '../operators/operator.js';
import { checkPreconditioner } from '../solvers/arguments.js';
import type { EigenMatrix } from './method.js';

/** A search takes 20 to 400 products: no layout that costs more than it brings by then. Chosen. */
const PRODUCTS = 100;

/** An operator, and its entries if they are known. */
export interface GivenOperator {
  readonly operator: LinearOperator;
  readonly matrix: CsrMatrix | undefined;
}

/** @param owned disposes what is made @throws SparlaneError `argument`, `shape` or `structure` */
export function takeOperator(engine: Engine, owned: Owned, name: string, input: EigenMatrix): GivenOperator {
  if (input instanceof MatrixOperator) return { operator: input, matrix: checkedMatrix(name, input.toCsr()) };
  if (input instanceof LinearOperator) return { operator: input, matrix: undefined };
  const matrix = checkedMatrix(name, csrMatrix(input));
  const operator = engine.operator(matrix, { products: PRODUCTS, tune: false, blockSums: 'fast' });
  return { operator: owned.own(operator), matrix };
}

/** B beside A. @throws as `takeOperator` */
export function takeMass(engine: Engine, owned: Owned, input: EigenMatrix, A: LinearOperator): GivenOperator {
  const given = takeOperator(engine, owned, 'B', input);
  checkPreconditioner(given.operator, A, 'square', 'B');
  return given;
}

/** @throws SparlaneError `shape` or `structure` */
function checkedMatrix(name: string, matrix: CsrMatrix): CsrMatrix {
  const { rows, cols, values } = matrix;
  if (rows !== cols) throw mismatch('shape', name, 'as many rows as columns', `${rows} × ${cols}`);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw new SparlaneError('structure', `${name}: expected finite numbers, got ${values[wrong]} as entry ${wrong}`, {
      entry: wrong,
    });
  return matrix;
}
