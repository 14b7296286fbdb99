/** Lists of edges, and tables of numbers, as text. */
import { FieldSplitter, separatorOf } from '../edge-list/fields.js';
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

const INTEGER = /^\d+$/;

/** Whether the first two lines with content have equally many fields, two at least: between spaces, two integers. */
function hasColumns(text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  const rows: string[][] = [];
  for (let begin = 0; begin < bytes.length && rows.length < 2; ) {
    const newline = bytes.indexOf(0x0a, begin);
    const end = newline < 0 ? bytes.length : newline;
    if (!FieldSplitter.isIdle(bytes, begin, end)) {
      const separator = separatorOf(new TextDecoder().decode(bytes.subarray(begin, end)));
      const splitter = new FieldSplitter(separator);
      if (!splitter.split(bytes, begin, end)) return false;
      const fields = Array.from({ length: splitter.count }, (_, field) => splitter.text(bytes, field));
      if (fields.length < 2) return false;
      if (separator === ' ' && !fields.slice(0, 2).every((field) => INTEGER.test(field))) return false;
      rows.push(fields);
    }
    begin = end + 1;
  }
  return rows.length > 0 && rows.every(({ length }) => length === rows[0]!.length);
}
