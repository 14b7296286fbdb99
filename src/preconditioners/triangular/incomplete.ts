/** Incomplete factors without fill-in, and the way in which they are solved with. */
import type { ParameterValues } from '../../core/parameters.js';
import type { TriangularForm } from '../../kernels/abi.js';
import type { Engine } from '../../operators/engine.js';
import type { Preconditioner, Preparation } from '../preconditioner.js';
import { incompleteFactors, TriangularPreconditioner } from './factors.js';
import { SweptPreconditioner } from './sweeps.js';

/**
 * @param values those of FACTOR_PARAMETERS
 * @param isDefinite whether M is symmetric positive definite
 * @throws as `PreconditionerKind.prepare`
 */
export function incomplete(
  engine: Engine,
  preparation: Preparation,
  values: ParameterValues,
  form: TriangularForm,
  isDefinite: boolean,
): Preconditioner {
  const refactor = incompleteFactors(preparation.spec, preparation.matrix, isDefinite);
  const onDevice = engine.space.heap === undefined;
  const solve = values.solve === 'auto' ? (onDevice ? 'sweeps' : 'blocks') : values.solve!;
  if (solve === 'sweeps')
    return SweptPreconditioner.make(engine, preparation, values, { isSymmetric: isDefinite, refactor });
  const how = { form, isSymmetric: isDefinite, refactor };
  return TriangularPreconditioner.make(engine, preparation, { ...values, solve }, how);
}
