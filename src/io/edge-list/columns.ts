/** What the columns of a list of edges mean, from its first lines. */
import type { EdgeListOptions } from '../kinds/kind.js';
import { attributesOf } from './attributes.js';
import type { Separator } from './fields.js';
import { isIndex } from './nodes.js';
import { numberIn } from './numbers.js';

/** Names of the columns of sources and targets. */
const PAIRS: readonly (readonly [source: RegExp, target: RegExp])[] = [
  [/^(source|src)$/i, /^(target|dst|dest|destination)$/i],
  [/^from$/i, /^to$/i],
  [/^tail$/i, /^head$/i],
  [/^start$/i, /^end$/i],
  [/^row$/i, /^col(umn)?$/i],
  [/^node_?1$/i, /^node_?2$/i],
  [/^id_?1$/i, /^id_?2$/i],
  [/^user_?id$/i, /^item_?id$/i],
];
const WEIGHT = /^(weight|value|w|count|rating)$/i;
const MISSING = /^(|#?n\/?a|null|none|nil|missing|unknown|undefined|[-?.*]+)$/i;

/** Whether text stands where a value is missing: it is no name of a column. */
export function isMissing(text: string): boolean {
  return MISSING.test(text);
}

/** The first two lines with content, as fields; the second one is undefined at the end of the file. */
export interface FirstLines {
  readonly first: readonly string[];
  readonly second: readonly string[] | undefined;
  readonly separator: Separator;
}

export interface EdgeColumns {
  readonly source: number;
  readonly target: number;
  /** Undefined without weights. */
  readonly weight: number | undefined;
  /** Where weights would be; undefined if they are there, or if the columns end before. */
  readonly weightless: number | undefined;
  /** Weights are attributes of networkx. */
  readonly hasAttributes: boolean;
  /** The last column, if there is nothing behind the last separator. */
  readonly empty: number | undefined;
}

/** What the first line of edges should have, and what it has. */
export interface ColumnsError {
  readonly expected: string;
  /** Undefined: the whole line. */
  readonly got: string | undefined;
}

/** The columns of sources and targets by their names; undefined where no names of `PAIRS` are. */
function namedPair(names: readonly string[]): readonly [number, number] | undefined {
  for (const [source, target] of PAIRS) {
    const pair = [names.findIndex((name) => source.test(name)), names.findIndex((name) => target.test(name))] as const;
    if (pair[0] >= 0 && pair[1] >= 0) return pair;
  }
  return undefined;
}

/** A number with a sign, a currency or a unit, such as `5kg`: it is the weight of an edge, not the name of a column. */
const QUANTITY = /^[^\p{L}_]*\d/u;

/**
 * Whether the first line names the columns. It has the names of both columns of nodes above integers; or it has no number, and these names, unless they
 * are nodes of the next line, too; or words above integers; or words that are no nodes of the next line, and one of them above a number.
 */
export function isHeader({ first, second, separator }: FirstLines): boolean {
  const isNumber = (text: string | undefined) => text !== undefined && numberIn(text, separator) !== undefined;
  const isWord = (text: string | undefined) => !isNumber(text) && !isMissing(text ?? '');
  const pair = namedPair(first);
  if (pair?.every((column) => isIndex(second?.[column] ?? ''))) return true;
  if (first.some(isNumber)) return false;
  if (pair !== undefined) return !pair.some((column) => pair.some((other) => first[column] === second?.[other]));
  const names = first.slice(0, 2);
  if (second === undefined || !names.every(isWord)) return false;
  const nodes = second.slice(0, 2);
  if (nodes.every(isIndex)) return true;
  if (names.some((name) => nodes.includes(name))) return false;
  return first.some((name, k) => k > 1 && isWord(name) && !QUANTITY.test(name) && isNumber(second[k]));
}

/** The columns of sources and targets: by their names, or else the first two, if these have names at all. */
export function pairOf(header: readonly string[]): readonly [source: number, target: number] | undefined {
  return namedPair(header) ?? (header[0] && header[1] ? [0, 1] : undefined);
}

/** @param line the first line of edges; undefined if a header is all that there is */
export function columnsOf(
  [source, target]: readonly [number, number],
  header: readonly string[] | undefined,
  line: readonly string[] | undefined,
  separator: Separator,
  { weights }: EdgeListOptions,
): EdgeColumns | ColumnsError {
  const behind = Math.max(source, target) + 1;
  const first = (header ?? line)!;
  const last = first.length - 1;
  const isEmpty = last >= behind && first[last] === '';
  const empty = isEmpty ? last : undefined;
  const none = { source, target, weight: undefined, weightless: undefined, hasAttributes: false, empty };
  if (weights === false) return { ...none, empty: undefined };

  const named = header?.findIndex((name, k) => k !== source && k !== target && WEIGHT.test(name)) ?? -1;
  const column = named >= 0 ? named : behind;
  const count = isEmpty ? last : last + 1;
  if (weights && column >= count) return { expected: 'source, target and weight on a line', got: undefined };
  if (header === undefined && !weights && count > behind + 1)
    return {
      expected:
        'source, target and perhaps a weight on a line (of more columns, names in the first line or edges.weights say what they are)',
      got: undefined,
    };
  const text = line?.[column];
  if (column >= count || text === undefined) return none;
  const attributes = text.startsWith('{') ? attributesOf(text) : undefined;
  const hasAttributes = attributes !== undefined;
  const isWeight = hasAttributes ? attributes.has('weight') : numberIn(text, separator) !== undefined;
  if (weights || named >= 0 || isWeight) return { ...none, weight: column, hasAttributes };
  if (header !== undefined || hasAttributes) return { ...none, weightless: column, hasAttributes };
  return { expected: 'a weight (unless edges.weights is false)', got: text };
}
