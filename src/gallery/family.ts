/**
 * A family of gallery matrices: a name, parameters with ranges, and the size and the structure that these define. Values
 * come from `values.ts`, unless they are part of the definition, as for a stencil. A new family is one `family({…})` and
 * one entry in the registry.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { NumberParameter, Parameters, ParameterValues, WordParameter } from '../core/parameters.js';
import type { RandomStream } from './draw.js';
import { SEEDED_VALUES } from './values.js';

/** The size of a matrix, computed before anything is allocated. */
export interface GallerySize {
  readonly rows: number;
  readonly cols: number;
  /** Entries: exact for a deterministic structure, expected for a random one. */
  readonly entries: number;
}

/** Canonical CSR without values. */
export interface Structure {
  readonly rows: number;
  readonly cols: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** Whether the pattern equals its transpose, and `values` too where nothing else is said. */
  readonly symmetric: boolean;
  /** The same of `values` alone. Default `symmetric`. */
  readonly symmetricValues?: boolean;
  /** Only if values are part of the definition. */
  readonly values?: Float64Array;
  /** Of these values. Default `integer`. */
  readonly field?: 'integer' | 'real';
}

/** The structure of a matrix, without its values. */
export function structureOf({ rows, cols, rowPtr, colIdx, symmetry }: CsrMatrix): Structure {
  return { rows, cols, rowPtr, colIdx, symmetric: symmetry === 'symmetric' };
}

/** A family of matrices of the gallery. */
export interface GalleryFamily {
  readonly name: string;
  readonly summary: string;
  /** The paper or the rule that defines the matrix. */
  readonly source: string;
  /** The family's own parameters, then those of every family: `values`, `seed`, `block`. */
  readonly parameters: Parameters;
  readonly size: (values: ParameterValues) => GallerySize;
  readonly structure: (values: ParameterValues, random: RandomStream) => Structure;
  /** Rows first … end − 1 of the structure, if they can be made without the others; with all columns. Multiples of `rowsTogether`. */
  readonly rowRange?: (values: ParameterValues, first: number, end: number) => Structure;
  /** Rows that are only made together. Default 1. */
  readonly rowsTogether?: number;
  /** Elements first … end − 1 of b in the system A x = b that the matrix belongs to, for `values=stencil` and blocks of 1. */
  readonly rightHandSide?: (values: ParameterValues, first: number, end: number) => Float64Array;
}

type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { readonly allowed: readonly (infer Word)[] } ? Word : number;
};

interface FamilyDefinition<P extends Parameters> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  readonly parameters: P;
  /** The structure defines values; they are the default. */
  readonly ownValues?: 'stencil';
  readonly size: (values: ValuesOf<P>) => GallerySize;
  readonly structure: (values: ValuesOf<P>, random: RandomStream) => Structure;
  readonly rowRange?: (values: ValuesOf<P>, first: number, end: number) => Structure;
  readonly rowsTogether?: number;
  readonly rightHandSide?: (
    values: ValuesOf<P> & { readonly seed: number },
    first: number,
    end: number,
  ) => Float64Array;
}

export function family<const P extends Parameters>(definition: FamilyDefinition<P>): GalleryFamily {
  const { name, summary, source, ownValues, rowsTogether } = definition;
  const words = ownValues === undefined ? SEEDED_VALUES : ([ownValues, ...SEEDED_VALUES] as const);
  const parameters: Parameters = {
    ...definition.parameters,
    values: word(words, `${ownValues === undefined ? '' : 'stencil: those of the definition; '}${VALUES_DOC}`),
    seed: integer(1, 0, 0xffff_ffff, 'of the structure, where it is drawn, and, independently, of the values'),
    block: integer(1, 1, 1024, 'every entry becomes a dense block of this many rows and columns'),
  };
  // The registry resolves the parameters before it calls these. This is the only place where the types do not express it.
  type Functions = Pick<GalleryFamily, 'size' | 'structure' | 'rowRange' | 'rightHandSide'>;
  const { size, structure, rowRange, rightHandSide } = definition as unknown as Functions;
  const optional = {
    ...(rowRange && { rowRange }),
    ...(rowsTogether !== undefined && { rowsTogether }),
    ...(rightHandSide && { rightHandSide }),
  };
  return { name, summary, source, parameters, size, structure, ...optional };
}

const VALUES_DOC = 'real: seeded, uniform in (−1, 1); integer: seeded, ±1 … ±4; ones: all 1';

export function integer(byDefault: number, min: number, max: number, doc: string): NumberParameter {
  return { kind: 'integer', default: byDefault, min, max, doc };
}

export function number(byDefault: number, min: number, max: number, doc: string): NumberParameter {
  return { kind: 'number', default: byDefault, min, max, doc };
}

/** A choice of words; the first is the default. */
export function word<const W extends readonly [string, ...string[]]>(
  allowed: W,
  doc: string,
): WordParameter & { readonly allowed: W } {
  return { kind: 'word', default: allowed[0], allowed, doc };
}

/** Rows and columns are 32-bit indices. */
export const MAX_ROWS = 0xffff_ffff;

/**
 * More entries than this do not fit into the 4 GiB of one memory in any format (f32 values without indices fill it): such
 * a request is taken as a typing error.
 */
const MAX_ENTRIES: number = 2 ** 30;

/** Refuses sizes beyond the limits, before anything is allocated. */
export function checkSize(what: string, { rows, cols, entries }: GallerySize): void {
  if (rows > MAX_ROWS) throw mismatch('argument', `${what} rows`, `at most ${MAX_ROWS}`, rows, { rows });
  if (cols > MAX_ROWS) throw mismatch('argument', `${what} columns`, `at most ${MAX_ROWS}`, cols, { cols });
  if (entries > MAX_ENTRIES) {
    throw mismatch('argument', `${what} entries`, `at most ${MAX_ENTRIES}`, Math.round(entries), { entries });
  }
}
