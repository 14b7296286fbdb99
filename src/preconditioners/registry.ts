/**
 * All preconditioners, in the order of the printed tables. A preconditioner is added to the library by its line here.
 */
import { asFloats, type NumberArray } from '../core/arrays.js';
import { callback, finite, knownKeys, list, oneOf } from '../core/checks.js';
import { type ComplexMatrix, isComplexMatrix, realMatrix } from '../core/complex.js';
import type { CsrMatrix, MatrixInput } from '../core/csr.js';
import { checkSignal, drain, drainInSlices, untilAborted } from '../core/drain.js';
import { mismatch } from '../core/errors.js';
import { formatSpec, type ParameterValues, parseSpec, resolveParameters } from '../core/parameters.js';
import { DTYPES, type Dtype } from '../core/types.js';
import { Engine } from '../engine/engine.js';
import { Vector } from '../memory/vector.js';
import { AMG } from './amg.js';
import { BLOCK_JACOBI } from './block-jacobi.js';
import { CHEBYSHEV } from './chebyshev.js';
import { CLASSICAL_AMG } from './classical-amg.js';
import { DIRECT } from './direct.js';
import { FSAI } from './fsai.js';
import { IC0 } from './ic0.js';
import { ILU0 } from './ilu0.js';
import { JACOBI } from './jacobi.js';
import {
  type Preconditioner,
  type PreconditionerKind,
  type Preparation,
  preparing,
  type SetupStep,
} from './preconditioner.js';
import { SCHUR } from './schur.js';
import { SPAI0 } from './spai0.js';
import { SSOR } from './ssor.js';

/** All preconditioners, in the order of the printed tables. */
export const PRECONDITIONERS: readonly PreconditionerKind[] = [
  JACOBI,
  BLOCK_JACOBI,
  SPAI0,
  SSOR,
  IC0,
  ILU0,
  FSAI,
  CHEBYSHEV,
  AMG,
  CLASSICAL_AMG,
  SCHUR,
  DIRECT,
];

/** `precondition` takes these options. */
export interface PreconditionOptions {
  /**
   * `f32`: for vectors of f32. `mixed`: factors are stored as f32, for vectors of f64. Default `f64`; `mixed` for `ic0` and `ilu0` in blocks,
   * which store f64 if f32 has not the range.
   */
  readonly dtype?: Dtype;
  /**
   * Of `amg`: vectors that A maps to almost 0, each of length rows. Default: the constant, for each unknown of a node (`block`, found in the pattern by default). Elasticity needs
   * its rigid body modes (`rigidBodyModes`). Of `schur`: for the `amg` of the first field; numbers in rows of the second one are not used.
   */
  readonly nearNullSpace?: readonly (Vector | NumberArray)[];
}

/** `preconditionAsync` takes these options. */
export interface PreconditionAsyncOptions extends PreconditionOptions {
  /** An abort ends the set-up between two steps; the promise rejects with the reason of the signal, and nothing stays allocated. */
  readonly signal?: AbortSignal;
  /** Called about every 50 ms. */
  readonly onProgress?: (step: SetupStep) => unknown;
}

const OPTIONS: Record<keyof PreconditionOptions, true> = { dtype: true, nearNullSpace: true };
const ASYNC_OPTIONS: Record<keyof PreconditionAsyncOptions, true> = { ...OPTIONS, signal: true, onProgress: true };

/**
 * A preconditioner for A x = b: z ← M⁻¹ r by `apply(r, z)`.
 *
 * @param engine its vectors live where the engine computes
 * @param matrix A, square: a matrix of the library, or arrays, which must not change while the preconditioner is in use. Of a complex matrix M is made of its
 *   real equivalent, for vectors of pairs: `ilu0`, and `jacobi`, which is `block-jacobi?size=2` of it, are those of the complex matrix
 * @param spec kind and parameters: `jacobi`, `ic0`, `ic0?blocks=4096`. `PRECONDITIONERS` lists them
 * @throws SparlaneError `argument` for an unknown kind, parameter or option; `shape` or `structure` for a matrix that is invalid or that
 *   the kind cannot be made of; `heap` if it does not fit; `backend` if the engine cannot compute it. Nothing stays allocated
 *
 * @example
 * using M = precondition(engine, matrix, 'ic0');
 * const { x } = cg(A, b, { preconditioner: M });
 */
export function precondition(
  engine: Engine,
  matrix: MatrixInput | ComplexMatrix,
  spec: string,
  options: PreconditionOptions = {},
): Preconditioner {
  knownKeys<PreconditionOptions>('options', options, OPTIONS);
  return drain(preconditionSteps(engine, matrix, spec, options));
}

/**
 * The same without blocking the event loop, in slices of some 50 ms. `amg`, `classical-amg`, `schur` and `direct` have many steps, the other kinds one.
 *
 * @throws never; the promise rejects with the errors of `precondition`, or with the reason of the signal
 */
export async function preconditionAsync(
  engine: Engine,
  matrix: MatrixInput | ComplexMatrix,
  spec: string,
  options: PreconditionAsyncOptions = {},
): Promise<Preconditioner> {
  knownKeys<PreconditionAsyncOptions>('options', options, ASYNC_OPTIONS);
  const { signal, onProgress, ...others } = options;
  checkSignal(signal);
  if (onProgress !== undefined) callback('onProgress', onProgress);
  return drainInSlices(untilAborted(preconditionSteps(engine, matrix, spec, others), signal), onProgress);
}

/** `precondition` step by step. @param known what the caller knows of the matrix @throws as `precondition` */
export function* preconditionSteps(
  engine: Engine,
  matrix: MatrixInput | ComplexMatrix,
  asked: string,
  options: PreconditionOptions,
  known: Pick<Preparation, 'isKnownSymmetric'> = {},
): Generator<SetupStep, Preconditioner> {
  const start = performance.now();
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  const spec = isComplexMatrix(matrix) ? specOfPairs(asked) : asked;
  preconditionerOf(spec);
  const csr = realMatrix(matrix);
  const { rows, cols } = csr;
  if (rows !== cols) throw mismatch('shape', 'matrix', 'as many rows as columns', `${rows} × ${cols}`, { rows, cols });
  const { kind, values, ...request } = requestOf(engine, spec, options, rows);
  return yield* preparing(kind, engine, { ...request, ...known, matrix: csr, start }, values);
}

/** Returns the preconditioner of the real equivalent that is the one asked for of a complex matrix, whose diagonal is blocks there. */
export function specOfPairs(asked: string): string {
  return asked === 'jacobi' ? 'block-jacobi?size=2' : asked;
}

/** A kind, its parameters and options, checked. */
export interface PreconditionRequest extends NamedPreconditioner, Pick<Preparation, 'dtype' | 'nearNullSpace'> {}

/** @param rows of the near-null space @throws SparlaneError `argument` or `shape` */
export function requestOf(
  engine: Engine,
  spec: string,
  options: PreconditionOptions,
  rows: number,
): PreconditionRequest {
  const named = preconditionerOf(spec);
  const { kind, values } = named;
  const dtype = oneOf('dtype', options.dtype ?? kind.dtypeFor?.(engine, values) ?? 'f64', DTYPES);
  return { ...named, dtype, ...nearNullSpaceOf(named, options.nearNullSpace, rows) };
}

/** @throws SparlaneError `argument` or `shape` for vectors that are none, of another length, or not finite, or a kind that uses none */
function nearNullSpaceOf(
  { kind, spec, values }: NamedPreconditioner,
  given: PreconditionOptions['nearNullSpace'],
  rows: number,
): Pick<Preparation, 'nearNullSpace'> {
  if (given === undefined) return {};
  if (kind.usesNearNullSpace?.(values) !== true)
    throw mismatch('argument', 'nearNullSpace', 'a preconditioner that uses it, such as amg', spec);
  const modes = list('nearNullSpace', given).length;
  if (modes === 0) throw mismatch('argument', 'nearNullSpace', 'at least one vector', 'none');
  const numbers = new Float64Array(rows * modes);
  given.forEach((vector, mode) => {
    const column = vector instanceof Vector ? vector.toArray() : asFloats(`nearNullSpace[${mode}]`, vector);
    const { length } = column;
    if (length !== rows) throw mismatch('shape', `nearNullSpace[${mode}]`, `length ${rows}`, length, { length });
    for (let i = 0; i < rows; i++) numbers[i * modes + mode] = finite(`nearNullSpace[${mode}][${i}]`, column[i]!);
  });
  return { nearNullSpace: { modes, numbers } };
}

export interface NamedPreconditioner {
  readonly kind: PreconditionerKind;
  /** The name, with the parameters that differ from their defaults. */
  readonly spec: string;
  readonly values: ParameterValues;
}

/** @throws SparlaneError `argument` for a name, a parameter or a value that does not exist */
export function preconditionerOf(spec: string): NamedPreconditioner {
  const { name, given } = parseSpec('preconditioner', spec);
  const kind = PRECONDITIONERS.find((candidate) => candidate.name === name);
  if (kind === undefined)
    throw mismatch('argument', 'preconditioner', PRECONDITIONERS.map((known) => known.name).join(' | '), name);
  const values = resolveParameters(`preconditioner ${name}`, kind.parameters, given);
  return { kind, spec: formatSpec(name, kind.parameters, values, given), values };
}

/** Whether a preconditioner, or `auto` or `none`, tells the rows of a matrix apart by their places. @throws SparlaneError `argument` as `preconditionerOf` */
export function knowsPlaces(spec: string, matrix: CsrMatrix): boolean {
  const { name } = parseSpec('preconditioner', spec);
  const kind = PRECONDITIONERS.find((candidate) => candidate.name === name);
  return kind?.knowsPlaces?.(preconditionerOf(spec).values, matrix) ?? false;
}
