/** The records of `bench/results` as tables: lines of JSON, each of a kind. */
/// <reference types="vite/client" />

/** Where each record is, by its file name, newest first. */
export const RECORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(
    import.meta.glob<string>('../../../bench/results/*.jsonl.gz', { eager: true, query: '?url', import: 'default' }),
  )
    .map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url] as const)
    .reverse(),
);

export type Line = Readonly<Record<string, unknown>>;

/** Some records have lines without a kind of their own; these are shown under this name. */
export const NO_KIND = 'line';

/** @returns the lines of a record by their kind */
export async function readRecord(url: string): Promise<Map<string, Line[]>> {
  const kinds = new Map<string, Line[]>();
  for (const text of (await unpacked(await (await fetch(url)).blob())).split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as Line;
    const { kind: given } = line;
    const kind = typeof given === 'string' ? given : NO_KIND;
    const others = kinds.get(kind);
    if (others === undefined) kinds.set(kind, [line]);
    else others.push(line);
  }
  return kinds;
}

/** Some servers declare `.gz` as an encoding, and the browser unpacks it. */
async function unpacked(file: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first !== 0x1f || second !== 0x8b) return file.text();
  return new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

/** The columns of lines, in the order in which they first appear. */
export function columnsOf(lines: readonly Line[]): string[] {
  return [...new Set(lines.flatMap((line) => Object.keys(line)))].filter((name) => name !== 'kind');
}

/** Longer texts are cut, so that a row is one line. Chosen. */
const CELL = 60;

export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > CELL ? `${text.slice(0, CELL)}…` : text;
}

/** Numbers by size, others by their text; what is missing comes last. */
export function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return typeof a === 'number' && typeof b === 'number' ? a - b : cellOf(a).localeCompare(cellOf(b));
}
