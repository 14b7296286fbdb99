/**
 * What a family of gallery matrices is: a name, parameters with ranges, the size they lead to, and the structure they
 * stand for. The values are not the family's business (values.ts), except where they are part of its definition, as
 * with a stencil. A new family is one `family({…})` and one entry in the registry.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { NumberParameter, Parameters, ParameterValues, WordParameter } from '../core/parameters.js';
import type { RandomStream } from './draw.js';
import { SEEDED_VALUES } from './values.js';

/** What a family knows of its matrix before it allocates anything. */
export interface GallerySize {
  readonly rows: number;
  readonly cols: number;
  /** Entries: exact where the structure is known, expected where it is drawn. */
  readonly entries: number;
}

/** Canonical CSR without values. */
export interface Structure {
  readonly rows: number;
  readonly cols: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** The pattern equals its transpose, and so do `values`. */
  readonly symmetric: boolean;
  /** Where the values are part of the definition; integers. */
  readonly values?: Float64Array;
}

/** What a builder has built, its values aside. */
export function structureOf({ rows, cols, rowPtr, colIdx, symmetry }: CsrMatrix): Structure {
  return { rows, cols, rowPtr, colIdx, symmetric: symmetry === 'symmetric' };
}

export interface GalleryFamily {
  readonly name: string;
  readonly summary: string;
  /** The paper, or the rule, that the matrix follows. */
  readonly source: string;
  /** The family's own parameters, then those that every family has: `values`, `seed`, `block`. */
  readonly parameters: Parameters;
  readonly size: (values: ParameterValues) => GallerySize;
  readonly structure: (values: ParameterValues, random: RandomStream) => Structure;
}

type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { readonly allowed: readonly (infer Word)[] } ? Word : number;
};

interface FamilyDefinition<P extends Parameters> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  readonly parameters: P;
  /** The structure comes with values of its own; they are the default. */
  readonly ownValues?: 'stencil';
  readonly size: (values: ValuesOf<P>) => GallerySize;
  readonly structure: (values: ValuesOf<P>, random: RandomStream) => Structure;
}

export function family<const P extends Parameters>(definition: FamilyDefinition<P>): GalleryFamily {
  const { name, summary, source, ownValues } = definition;
  const words = ownValues === undefined ? SEEDED_VALUES : ([ownValues, ...SEEDED_VALUES] as const);
  const parameters: Parameters = {
    ...definition.parameters,
    values: word(words, `${ownValues === undefined ? '' : 'stencil: those of the definition; '}${VALUES_DOC}`),
    seed: integer(1, 0, 0xffff_ffff, 'of the structure, where it is drawn, and, independently, of the values'),
    block: integer(1, 1, 256, 'every entry becomes a dense block of this many rows and columns'),
  };
  // The registry resolves the parameters before it calls these: the one place where the types cannot follow.
  const { size, structure } = definition as unknown as Pick<GalleryFamily, 'size' | 'structure'>;
  return { name, summary, source, parameters, size, structure };
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
 * More entries than this do not fit the 4 GiB of one memory in any format (f32 values without indices fill it), so
 * asking for them is a slip of the keyboard.
 */
const MAX_ENTRIES: number = 2 ** 30;

/** Refuses sizes that are absurd, before anything is allocated. */
export function checkSize(what: string, { rows, cols, entries }: GallerySize): void {
  if (rows > MAX_ROWS) throw mismatch('argument', `${what} rows`, `at most ${MAX_ROWS}`, rows, { rows });
  if (cols > MAX_ROWS) throw mismatch('argument', `${what} columns`, `at most ${MAX_ROWS}`, cols, { cols });
  if (entries > MAX_ENTRIES) {
    throw mismatch('argument', `${what} entries`, `at most ${MAX_ENTRIES}`, Math.round(entries), { entries });
  }
}
