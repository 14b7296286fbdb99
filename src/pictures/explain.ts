/** The choice of a format as HTML. */
import type { Decision } from '../choice/choose.js';
import { boolean, knownKeys, oneOf, text } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { explanationOf } from './explanation.js';
import { SCHEMES, type Scheme } from './scheme.js';
import { listOf, pageOf, paragraphOf, sheetOf, tableOf } from './sheet.js';

/** `explain` takes these options. */
export interface ExplainOptions {
  /** The heading. Default: none. */
  title?: string;
  /** The name of the GPU that computes. Default: threads compute. */
  gpu?: string;
  /** Whether the operator permutes the matrix (`operator.ordering`). Default false. */
  reordered?: boolean;
  /** Default `auto`, which follows the page. */
  scheme?: Scheme;
  /** Whether as a whole page, instead of an element. Default false. */
  page?: boolean;
}

/**
 * Shows why a format was chosen: the features of the matrix, all candidates with their predicted (and, with `tune`, measured)
 * times, and the reason.
 *
 * @param decision `operator.decision`, which is undefined, and an error here, where the caller named the format
 * @returns a `<section>` with its style, or a page
 * @throws SparlaneError `argument` for an invalid decision or option
 *
 * @example
 * document.body.innerHTML = explain(engine.operator(matrix).decision);
 */
export function explain(decision: Decision | undefined, options: ExplainOptions = {}): string {
  knownKeys<ExplainOptions>('options', options, OPTIONS);
  const { title = '', gpu, reordered = false, scheme = 'auto', page = false } = options;
  text('title', title);
  if (gpu !== undefined) text('gpu', gpu);
  oneOf('scheme', scheme, SCHEMES);
  boolean('reordered', reordered);
  if (!Array.isArray(decision?.ranking) || decision.features === undefined || decision.chosen === undefined)
    throw mismatch('argument', 'decision', 'that of an operator whose format was chosen', decision);
  const section = sectionOf(decision, { title, gpu, reordered, scheme });
  return boolean('page', page) ? pageOf(title === '' ? 'The choice of a format' : title, scheme, section) : section;
}

const OPTIONS = { title: true, gpu: true, reordered: true, scheme: true, page: true };

interface Shown {
  readonly title: string;
  readonly gpu: string | undefined;
  readonly reordered: boolean;
  readonly scheme: Scheme;
}

function sectionOf(decision: Decision, { title, gpu, reordered, scheme }: Shown): string {
  const { features, heads, rows, circumstances, conclusions, times } = explanationOf(decision, gpu, reordered);
  const slowest = Math.max(...decision.ranking.map(({ productMs }) => productMs));
  const table = {
    caption: circumstances,
    heads: [...heads, 'predicted'],
    rows: rows.map((cells, k) => {
      const { productMs, spec } = decision.ranking[k]!;
      return { cells, share: productMs / slowest, isMarked: spec === decision.chosen.spec };
    }),
  };
  const contents = [listOf(conclusions), tableOf('Candidates', table), listOf(features), paragraphOf(times)];
  return sheetOf('sparlane-explain', scheme, title, contents);
}
