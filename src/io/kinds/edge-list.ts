/** Lists of edges, and tables of numbers, as text. */
import { FieldSplitter, separatorOf } from '../edge-list/fields.js';
import { isIndex } from '../edge-list/nodes.js';
import { extensionOf, type FileKind } from './kind.js';
import { textOf } from './text.js';

const EXTENSIONS = ['csv', 'tsv', 'edges', 'edgelist', 'el', 'txt'];

export const edgeList: FileKind = {
  name: 'edge-list',
  summary: 'CSV, TSV or spaces: source, target, perhaps a weight; a table of numbers for a vector',
  source: 'RFC 4180; SNAP, KONECT, networkrepository.com',
  extensions: EXTENSIONS,
  matches: (head, name) => {
    const text = textOf(head);
    return text !== undefined && (EXTENSIONS.includes(extensionOf(name)) || hasColumns(text));
  },
  read: async (file, options) => (await import('../edge-list/edge-list.js')).readEdgeList(file, options),
  readBlock: async (file, columns) => (await import('../edge-list/table.js')).readTable(file, columns),
};

/** Whether the first two lines with content have equally many fields, two at least: between spaces, two integers. */
function hasColumns(text: string): boolean {
  const rows: string[][] = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const bytes = new TextEncoder().encode(`${line}\n`);
    const end = bytes.length - 1;
    if (FieldSplitter.isIdle(bytes, 0, end)) continue;
    const separator = separatorOf(line);
    const splitter = new FieldSplitter(separator);
    if (!splitter.split(bytes, 0, end)) return false;
    const fields = Array.from({ length: splitter.count }, (_, field) => splitter.text(bytes, field)!);
    if (fields.length < 2 || (separator === ' ' && !fields.slice(0, 2).every(isIndex))) return false;
    rows.push(fields);
    if (rows.length === 2) break;
  }
  return rows.length > 0 && rows.every(({ length }) => length === rows[0]!.length);
}
