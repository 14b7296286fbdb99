/**
 * A reader of lists of edges for tests: the rules of `docs/files.md` on a whole text, one after the other, without regard to time. Whether
 * the first line names the columns is told.
 */

export interface Edges {
  entries: [number, number, number][];
  names: string[] | undefined;
  isWeighted: boolean;
}

/** Undefined for a text that is refused. */
export function edgesIn(text: string, hasHeader: boolean): Edges | undefined {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => !/^[ \t]*([#%].*)?$/.test(line));
  if (lines.length === 0) return undefined;
  const separator = separatorOf(lines[0]!);
  const rows = lines.map((line) => fieldsOf(line, separator));
  if (rows.some((row) => row === undefined || row.length !== rows[0]!.length)) return undefined;
  const texts = (rows as Field[][]).map((row) => row.map((field) => field.text));
  const quoted = (rows as Field[][]).map((row) => row.map((field) => field.isQuoted));
  const isClosed = texts[0]!.length > 2 && texts[0]!.at(-1) === '';
  if (isClosed && texts.some((row) => row.at(-1) !== '')) return undefined;
  if (isClosed) for (const row of texts) row.pop();
  if (hasHeader) {
    quoted.shift();
    const names = texts.shift()!;
    // The tests have no other names.
    if (names.length < 2 || names.some((name, k) => name !== ['source', 'target', 'weight'][k])) return undefined;
  }
  const [first] = texts;
  if (first === undefined) return { entries: [], names: undefined, isWeighted: false };
  if (first.length < 2 || first.length > 3) return undefined;
  const column = first.length === 3 ? 2 : undefined;

  let weights: (number | undefined)[] = texts.map(() => 1);
  let isWeighted = column !== undefined;
  if (column !== undefined && first[2]!.startsWith('{')) {
    const dictionaries = texts.map((row) => dictionaryOf(row[2]!));
    if (dictionaries.includes(undefined)) return undefined;
    const has = dictionaries.filter((dictionary) => dictionary!.weight !== undefined).length;
    // A column with the name has a weight on each line.
    if (has !== texts.length && (has > 0 || hasHeader)) return undefined;
    isWeighted = has > 0;
    if (isWeighted) weights = dictionaries.map((dictionary) => numberOf(dictionary!.weight!, ','));
  } else if (column !== undefined) {
    weights = texts.map((row) => numberOf(row[2]!, separator));
    const marks = separator === ';' ? texts.flatMap((row) => /[,.]/.exec(row[2]!)?.[0] ?? []) : [];
    if (new Set(marks).size > 1) return undefined;
  }
  if (weights.includes(undefined)) return undefined;

  const nodes = texts.map((row, line) => [0, 1].map((k) => nodeOf(row[k]!, quoted[line]![k]!)));
  if (nodes.flat().includes(undefined)) return undefined;
  const isIndex = nodes.flat().every((node) => /^(0|[1-9]\d*)$/.test(node!));
  const names = [...new Set(nodes.flat() as string[])];
  const sums = new Map<string, number>();
  nodes.forEach((ends, line) => {
    const key = ends.map((node) => (isIndex ? Number(node) : names.indexOf(node!))).join();
    sums.set(key, isWeighted ? (sums.get(key) ?? 0) + weights[line]! : 1);
  });
  const entries = [...sums].map(([key, sum]) => [...key.split(',').map(Number), sum] as [number, number, number]);
  entries.sort(([a, b], [c, d]) => a - c || b - d);
  return { entries, names: isIndex ? undefined : names, isWeighted };
}

function separatorOf(line: string): string {
  const bare = line
    .replace(/"([^"]|"")*"/g, '')
    .replace(/([\s,;])\{.*/, '$1')
    .trim();
  if (bare.includes('\t')) {
    const isMixed = bare.split('\t').some((field) => / /.test(field.trim())) && !/[^\d.eE+\s-]/.test(bare);
    return isMixed ? ' ' : '\t';
  }
  return bare.includes(';') ? ';' : bare.includes(',') ? ',' : ' ';
}

interface Field {
  text: string;
  isQuoted: boolean;
}

function fieldsOf(line: string, separator: string): Field[] | undefined {
  const isSeparator = (character: string) => (separator === ' ' ? /[ \t]/.test(character) : character === separator);
  const fields: Field[] = [];
  let rest = line.replace(/ +$/, '');
  for (;;) {
    rest = separator === ' ' ? rest.replace(/^[ \t]+/, '') : rest.replace(separator === '\t' ? /^ +/ : /^[ \t]+/, '');
    if (rest.startsWith('"')) {
      const [all, text] = /^"((?:[^"]|"")*)"/.exec(rest) ?? [];
      if (all === undefined) return undefined;
      fields.push({ text: text!.replaceAll('""', '"'), isQuoted: true });
      rest = rest.slice(all.length);
      if (separator !== ' ') rest = rest.replace(separator === '\t' ? /^ +/ : /^[ \t]+/, '');
      if (rest !== '' && !isSeparator(rest[0]!)) return undefined;
    } else if (rest.startsWith('{') && fields.length > 1) {
      fields.push({ text: rest, isQuoted: false });
      rest = '';
    } else {
      let end = 0;
      while (end < rest.length && !isSeparator(rest[end]!)) end++;
      fields.push({ text: rest.slice(0, end).replace(/[ \t]+$/, ''), isQuoted: false });
      rest = rest.slice(end);
    }
    if (rest === '' || (separator === ' ' && rest.trim() === '')) return fields;
    rest = rest.slice(1);
  }
}

function numberOf(text: string, separator: string): number | undefined {
  const plain = separator === ';' && !text.includes('.') ? text.replace(',', '.') : text;
  if (/^[+-]?(nan)$/i.test(plain)) return NaN;
  if (/^[+-]?inf(inity)?$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)([ed][+-]?\d+)?$/i.test(plain) ? Number(plain.replace(/d/i, 'e')) : undefined;
}

function nodeOf(text: string, isQuoted: boolean): string | undefined {
  if (text === '') return undefined;
  if (!isQuoted && /^[+-]?[\d.]+([\s,;]+[+-]?[\d.]+)+$/.test(text)) return undefined;
  if (/^\d+\.0*$/.test(text)) return text.replace(/\.0*$/, '');
  return /^[+-]?(\d+\.\d*|\.\d+|nan|inf(inity)?)$/i.test(text) ? undefined : text;
}

/** A dictionary whose texts have no quotes in them. */
function dictionaryOf(text: string): { weight?: string } | undefined {
  const [, inner] = /^\{(.*)\}$/.exec(text) ?? [];
  if (inner === undefined) return undefined;
  const pairs = inner.match(/'[^']*': ('[^']*'|[^,']+)/g) ?? [];
  if (pairs.join(', ') !== inner) return undefined;
  const weight = pairs.findLast((pair) => pair.startsWith("'weight': "))?.slice(10);
  return weight === undefined ? {} : { weight };
}
