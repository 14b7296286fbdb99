/** What the columns of a list of edges mean, from its first lines. */
import { parseNumber } from '../matrix-market/number.js';

const SOURCE = /^(source|src|from|start|tail|u|i|row|node_?1|id_?1|user_?id)$/i;
const TARGET = /^(target|dst|dest|destination|to|end|head|v|j|col|column|node_?2|id_?2|item_?id)$/i;
const WEIGHT = /^(weight|value|w|count|rating)$/i;
const INTEGER = /^\d+$/;

/**
 * Whether a line names the columns: two words that do so, a third column that is no number where the next line has one, or
 * words above integers.
 *
 * @param second the line behind it; undefined at the end of the file
 */
export function isHeader(first: readonly string[], second: readonly string[] | undefined): boolean {
  const [source = '', target = '', third] = first;
  if (SOURCE.test(source) && TARGET.test(target)) return true;
  if (second === undefined) return false;
  const isNumber = (text: string | undefined) => text !== undefined && parseNumber(text) !== undefined;
  if (third !== undefined && !isNumber(third) && isNumber(second[2])) return true;
  return [source, target].every((name) => !INTEGER.test(name)) && second.slice(0, 2).every((id) => INTEGER.test(id));
}

/** The column of the weights, from 0; undefined if there is none. */
export function weightColumn(header: readonly string[] | undefined, line: readonly string[]): number | undefined {
  const named = header?.findIndex((name, k) => k > 1 && WEIGHT.test(name)) ?? -1;
  if (named > 1) return named;
  return line.length > 2 && parseNumber(line[2]!) !== undefined ? 2 : undefined;
}
