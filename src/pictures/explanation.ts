/** The parts of an explained choice of format, which a page and a terminal show each in their way. */
import type { Decision, RankedFormat } from '../choice/choose.js';
import { type Features, MANY } from '../features/features.js';
import { formatCount, formatFigure } from './figures.js';

export interface Explanation {
  /** Name and figures of each part of the features. */
  readonly features: readonly (readonly [name: string, text: string])[];
  /** The ranking as a table; the cells of all columns but the first are figures. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Numbers, computer and expected products. */
  readonly circumstances: string;
  /** Name and text. */
  readonly conclusions: readonly (readonly [name: string, text: string])[];
  readonly times: string;
}

/** @param gpu its name, if one computes */
export function explanationOf(decision: Decision, gpu?: string, reordered = false): Explanation {
  const { features, dtype, threads, products, ranking, chosen, reason, multipliesPadding } = decision;
  const csr = ranking.find(({ spec }) => spec === 'csr') ?? chosen;
  const isMeasured = ranking.some(({ measuredMs }) => measuredMs !== undefined);
  const columns = COLUMNS.filter(
    ({ ofThreads, isOptional }) => !(ofThreads && gpu !== undefined) && (isMeasured || !isOptional),
  );
  const computer = gpu ?? `${threads} thread${threads === 1 ? '' : 's'}`;
  return {
    features: describe(features),
    heads: columns.map(({ head }) => head),
    rows: ranking.map((format) => columns.map(({ cell }) => cell(format, csr, features))),
    circumstances: `${dtype}, ${computer}, ${products} products expected${reordered ? ', reordered' : ''}`,
    conclusions: [
      ['chosen', `${chosen.spec}: ${reason}`],
      ...(multipliesPadding ? ([['padding', PADDED]] as const) : []),
    ],
    times: `examined in ${formatFigure(decision.examineMs)} ms, chosen in ${formatFigure(decision.chooseMs)} ms${tried(decision)}`,
  };
}

function tried({ tuneMs }: Decision): string {
  return tuneMs === 0 ? '' : `, trials took ${formatFigure(tuneMs)} ms`;
}

const PADDED =
  'multiplied, so NaN and infinities of x spread to rows that do not use them (the option padding: false avoids it)';

function describe(features: Features): [string, string][] {
  const { rows, cols, nnz, field, symmetry, longestRow, lengthVariance } = features;
  const percent = (share: number) => `${formatFigure(100 * share)} %`;
  const upTo = (count: number) => (count >= MANY ? 'many' : formatCount(count));
  return [
    ['matrix', `${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} entries, ${field}, ${symmetry}`],
    [
      'rows',
      `${formatFigure(nnz / Math.max(rows, 1))} entries, variance ${formatFigure(lengthVariance)}, longest ${formatCount(longestRow)}; ${percent(features.unsteady)} differ in length from the row before, ${percent(features.repeated)} have its columns`,
    ],
    [
      'columns',
      `${percent(features.adjacent)} follow the column before; ${upTo(features.diagonals)} diagonals; mean distance ${formatFigure(features.offDiagonal)} from the main one`,
    ],
    [
      'x',
      `${percent(features.scattered)} of the gathers are scattered, over ${formatCount(Math.round(features.reach))} columns; clustering ${formatFigure(features.clustering)}`,
    ],
    ['values', `${upTo(features.differentValues)} different`],
  ];
}

interface Column {
  readonly head: string;
  readonly cell: (format: RankedFormat, csr: RankedFormat, features: Features) => string;
  /** Only where threads compute. */
  readonly ofThreads?: boolean;
  /** Only if formats were measured. */
  readonly isOptional?: boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'format', cell: ({ spec }) => spec },
  { head: 'threads', cell: ({ threads }) => `${threads}`, ofThreads: true },
  { head: 'bytes per entry', cell: ({ bytes }, _, { nnz }) => (bytes / Math.max(nnz, 1)).toFixed(1) },
  { head: 'predicted ms', cell: ({ productMs }) => formatFigure(productMs) },
  { head: '× csr', cell: ({ productMs }, csr) => (csr.productMs / productMs).toFixed(2) },
  { head: 'conversion', cell: ({ conversionMs }, csr) => (conversionMs / csr.productMs).toFixed(1) },
  {
    head: 'measured ms',
    cell: ({ measuredMs }) => (measuredMs === undefined ? '' : formatFigure(measuredMs)),
    isOptional: true,
  },
];
