/** Incomplete factors without fill-in, and the way in which they are solved with. */
import type { ParameterValues } from '../../core/parameters.js';
import type { Dtype } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { TriangularForm } from '../../kernels/abi.js';
import type { Preconditioner, Preparation } from '../preconditioner.js';
import { incompleteFactors, StagedPreconditioner } from './factors.js';
import { DeviceTriangularPreconditioner } from './on-device.js';
import { SlicedPreconditioner } from './sliced.js';
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
  const refactor = incompleteFactors(engine.context, preparation.spec, isDefinite);
  const solve = solveFor(engine, values);
  if (solve === 'sweeps')
    return SweptPreconditioner.make(engine, preparation, values, { isSymmetric: isDefinite, refactor });
  if (engine.space.heap === undefined && solve !== 'blocks')
    return new DeviceTriangularPreconditioner(engine, preparation, { ...values, solve }, isDefinite, refactor);
  const how = { form, isSymmetric: isDefinite, refactor };
  if (solve === 'blocks') return SlicedPreconditioner.make(engine, preparation, values, how);
  return StagedPreconditioner.make(engine, preparation, { ...values, solve }, how);
}

function solveFor({ space }: Engine, { solve }: ParameterValues) {
  return solve === 'auto' ? (space.heap === undefined ? 'sweeps' : 'blocks') : solve!;
}

/** Solves in blocks are limited by reading the factors, and f32 costs no iterations: rounding errors are far below what fill-in is worth. */
export function incompleteDtype(engine: Engine, values: ParameterValues): Dtype {
  return solveFor(engine, values) === 'blocks' ? 'mixed' : 'f64';
}
