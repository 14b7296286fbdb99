/** "Did you mean": the nearest of the names that an error lists. For commands and options, Commander does the same. */

/** In these forms the library and Commander list the names, and what came instead. */
const LISTS = [
  /expected (?:only the parameters )?(?<names>.+), got '(?<typed>.*)'/,
  /argument '(?<typed>.*)' is invalid\. Allowed choices are (?<names>.+)\./,
];

/** The greatest share of wrong letters in a name that is suggested. Chosen. */
const NEAR = 0.4;

/** Returns a message; if it lists names of which one is near what was typed, with that name. */
export function withSuggestion(message: string): string {
  for (const list of LISTS) {
    const { names, typed } = list.exec(message)?.groups ?? {};
    if (names === undefined || typed === undefined) continue;
    const nearest = nearestOf(typed, names.split(/ \| |, /));
    if (nearest !== undefined) return `${message} (Did you mean ${nearest}?)`;
  }
  return message;
}

function nearestOf(typed: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = NEAR;
  for (const name of names) {
    const share = distance(typed.toLowerCase(), name.toLowerCase()) / Math.max(typed.length, name.length);
    if (share < least) [nearest, least] = [name, share];
  }
  return nearest;
}

/** Returns the number of letters to insert, remove, replace or exchange with the next one (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
