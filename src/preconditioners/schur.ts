/**
 * Block preconditioners of saddle points K = [A, B₁; B₂, −C], such as the equations of Stokes, of mixed elements, and of constraints.
 *
 *     diagonal      M = [M_A, 0; 0, |Ŝ|]       symmetric positive definite if M_A is: for minres
 *     triangular    M = [M_A, 0; B₂, Ŝ]        for gmres and bicgstab, in some half of the iterations
 *
 * M_A is a preconditioner of A, and Ŝ the diagonal of −C − B₂ diag(A)⁻¹ B₁, which stands for the Schur complement −C − B₂ A⁻¹ B₁.
 *
 * Source: Elman, Silvester & Wathen, Finite Elements and Fast Iterative Solvers, 2014, §4.2; Murphy, Golub & Wathen 2000; Benzi, Golub & Liesen 2005, §10.
 * Differs: the fields are found by the signs of the diagonal unless `split` names them, so the rows may be in any order.
 * For: a definite A, and a Schur complement that its diagonal resembles, as that of Stokes does, whose operator has order 0. Iterations then hardly grow with the size.
 * Cost: a solve takes as long as one with M_A, and two permutations of the vector; `triangular` takes a product with B₂ more.
 */

import type { CsrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { parseInnerSpec, resolveParameters } from '../core/parameters.js';
import type { FloatArray } from '../core/types.js';
import type { Vector } from '../memory/vector.js';
import { AMG } from './amg.js';
import { CHEBYSHEV } from './chebyshev.js';
import { type Composition, compose, type Parts } from './composed.js';
import { DIRECT } from './direct.js';
import { FSAI } from './fsai.js';
import { IC0 } from './ic0.js';
import { ILU0 } from './ilu0.js';
import { JACOBI } from './jacobi.js';
import {
  inSteps,
  type NearNullSpace,
  type Preconditioner,
  type PreconditionerKind,
  preparing,
} from './preconditioner.js';
import { blockOf, type Fields, fieldsOf, schurDiagonal, valuesAt } from './saddle-point.js';
import { SSOR } from './ssor.js';

/** What may be the preconditioner of A. */
const FIRST: readonly PreconditionerKind[] = [AMG, JACOBI, SSOR, IC0, ILU0, FSAI, CHEBYSHEV, DIRECT];

const FORMS = ['diagonal', 'triangular'] as const;

interface SchurParameters {
  readonly split: number;
  readonly first: string;
  readonly form: (typeof FORMS)[number];
}

export const SCHUR: PreconditionerKind = {
  name: 'schur',
  summary: 'two fields, one of which is a constraint: a preconditioner for each',
  source: 'Elman, Silvester & Wathen 2014, §4.2',
  suits: 'saddle points, with minres',
  parameters: {
    split: {
      kind: 'integer',
      default: 0,
      min: 0,
      max: 2 ** 32 - 1,
      doc: 'rows of the first field; 0: those with a positive diagonal',
    },
    first: {
      kind: 'spec',
      default: AMG.name,
      doc: `for the first field: ${FIRST.map(({ name }) => name).join(', ')}`,
    },
    form: { kind: 'word', default: 'diagonal', allowed: FORMS, doc: 'of M, in blocks' },
  },
  matrices: 'square',
  isSymmetric: true,
  usesNearNullSpace({ first }) {
    const { kind, values } = firstOf(first as string);
    return kind.usesNearNullSpace?.(values) === true;
  },
  knowsPlaces(values, matrix) {
    const { split, first: spec } = values as unknown as SchurParameters;
    const { kind, values: inner } = firstOf(spec);
    if (split > 0 || kind.knowsPlaces === undefined) return split > 0;
    const { first } = fieldsOf(matrix, split);
    return kind.knowsPlaces(inner, blockOf(matrix, first, first).matrix);
  },
  ...inSteps(function* (engine, preparation, values) {
    const given = values as unknown as SchurParameters;
    const { matrix } = preparation;
    const { rows } = matrix;
    if (given.split > rows) throw mismatch('argument', 'schur split', `an integer from 0 to ${rows} rows`, given.split);
    if (given.split > 0 && engine.space.ranks !== undefined)
      throw mismatch(
        'backend',
        'schur split',
        '0 where ranks share the vectors: the signs of the diagonal tell',
        given.split,
      );
    const { kind, values: inner } = firstOf(given.first);
    const fields = fieldsOf(matrix, given.split);
    if (fields.first.length === 0 && rows > 0)
      throw new SparlaneError(
        'structure',
        'matrix: expected rows with a positive diagonal, which are the first field, got none',
      );
    const a = blockOf(matrix, fields.first, fields.first);
    const near = preparation.nearNullSpace && rowsOf(preparation.nearNullSpace, fields.first);
    // A block may be far from symmetric beside its own entries.
    const { isKnownSymmetric: _, ...ofBlock } = preparation;
    const wish = { ...ofBlock, matrix: a.matrix, spec: given.first, ...(near && { nearNullSpace: near }) };
    const M = yield* preparing(kind, engine, wish, inner);
    return compose(engine, preparation, true, (parts) =>
      blocks(matrix, given.form, fields, { M: parts.preconditioner(M), places: a.places }, parts),
    );
  }),
};

/** What approximates A: its preconditioner, and the places of its entries among those of K. */
interface FirstField {
  readonly M: Preconditioner;
  readonly places: Uint32Array;
}

function firstOf(spec: string) {
  const what = 'schur first';
  const { name, given } = parseInnerSpec(what, spec);
  const kind = FIRST.find((candidate) => candidate.name === name);
  if (kind === undefined) throw mismatch('argument', what, FIRST.map((known) => known.name).join(' | '), name);
  return { kind, values: resolveParameters(`${what} ${name}`, kind.parameters, given) };
}

function blocks(
  matrix: CsrMatrix,
  form: SchurParameters['form'],
  fields: Fields,
  { M, places }: FirstField,
  parts: Parts,
): Composition {
  const { first, second } = fields;
  const isSymmetric = form === 'diagonal' && M.isSymmetric;
  const update = (numbers: FloatArray) => M.update(valuesAt(places, numbers));
  if (second.length === 0)
    return {
      compute: (x, y) => M.apply(x, y),
      refill: update,
      entries: M.explain().entries,
      isSymmetric,
      report: () => reportOf(M, fields),
    };

  const diagonalFrom = schurDiagonal(matrix, fields);
  const b = form === 'triangular' ? blockOf(matrix, second, first) : undefined;
  const B = b && parts.operator(b.matrix);
  const order = new Uint32Array(matrix.rows);
  order.set(first);
  order.set(second, first.length);
  const shuffle = parts.shuffle(order);
  const [x, z] = parts.vectors(2) as [Vector, Vector];
  const lengths = [first.length, second.length];
  const [x1, x2] = parts.slices(x, lengths) as [Vector, Vector];
  const [z1, z2] = parts.slices(z, lengths) as [Vector, Vector];
  const [, inverse] = parts.slices(parts.vectors(1)[0]!, lengths) as [Vector, Vector];
  const setInverse = (numbers: FloatArray) =>
    inverse.set(diagonalFrom(numbers).map((value) => 1 / (form === 'diagonal' ? Math.abs(value) : value)));
  setInverse(matrix.values);
  return {
    compute(r, y) {
      shuffle.gather(r, x);
      M.apply(x1, z1);
      B?.operator.apply(z1, x2, -1, 1);
      z2.multiply(inverse, x2);
      shuffle.scatter(z, y);
    },
    refill(numbers) {
      update(numbers);
      if (b !== undefined) B!.refill(valuesAt(b.places, numbers));
      setInverse(numbers);
    },
    entries: M.explain().entries + second.length + (b?.matrix.nnz ?? 0),
    isSymmetric,
    report: () => reportOf(M, fields),
  };
}

function rowsOf({ modes, numbers }: NearNullSpace, rows: Uint32Array): NearNullSpace {
  const some = new Float64Array(rows.length * modes);
  rows.forEach((row, i) => {
    some.set(numbers.subarray(row * modes, (row + 1) * modes), i * modes);
  });
  return { modes, numbers: some };
}

function reportOf(M: Preconditioner, { first }: Fields) {
  const { blockRows, levels } = M.explain();
  return { firstRows: first.length, ...(blockRows && { blockRows }), ...(levels && { levels }) };
}
