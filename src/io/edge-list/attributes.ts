/** The attributes of an edge as networkx writes them, a dictionary of Python: `{'weight': 7, 'since': '1999'}`. An object of JSON is one, too. */

/** A text in quotes, a bracket that opens, one that closes, a colon or comma, a word. */
const TOKEN = /\s*(?:('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([{[(])|([}\])])|([:,])|([^\s'"{}[\](),:]+))/y;

/** The values as they are written, by name. Undefined if the text is no dictionary. */
export function attributesOf(text: string): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  const pattern = new RegExp(TOKEN);
  let depth = 0;
  let name: string | undefined;
  /** Where the value behind the colon begins. */
  let begin: number | undefined;
  do {
    const token = pattern.exec(text);
    if (token === null) return undefined;
    const [, quoted, open, close, mark, word] = token;
    if (open !== undefined) depth++;
    if (depth === 1 && (mark === ',' || close !== undefined)) {
      if (begin !== undefined) values.set(name!, text.slice(begin, pattern.lastIndex - 1).trim());
      else if (name !== undefined) return undefined;
      name = begin = undefined;
    } else if (depth === 1 && begin === undefined) {
      if (mark === ':') begin = name === undefined ? undefined : pattern.lastIndex;
      else name = quoted?.slice(1, -1) ?? word;
    }
    if (close !== undefined) depth--;
  } while (depth > 0);
  return text.startsWith('{') && text.slice(pattern.lastIndex).trim() === '' ? values : undefined;
}
