/** Units in order, such as rows, and their work. Parts of equal work are cut from them. */

export interface Span {
  readonly units: number;
  /** Work of the units before `unit`, in entries or their equivalent: ascends from 0; `workBefore(units)` is the total. */
  workBefore(unit: number): number;
}

/** The work of all units of some spans. */
export function workOf(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.workBefore(span.units), 0);
}

/** Units of equal work. */
export function evenly(units: number, workPerUnit = 1): Span {
  return { units, workBefore: (unit) => unit * workPerUnit };
}

/** Returns the units `begin` … `end` − 1 of a span, counted from 0. */
export function unitsOf(span: Span, begin: number, end: number): Span {
  const before = span.workBefore(begin);
  return { units: end - begin, workBefore: (unit) => span.workBefore(begin + unit) - before };
}

/** The rows of a matrix in groups of `height`. The work of a row is one more than its entries. */
export function rowSpan({ rows, rowPtr }: { readonly rows: number; readonly rowPtr: Uint32Array }, height = 1): Span {
  const workBefore = (group: number) => {
    const row = Math.min(group * height, rows);
    return rowPtr[row]! + row;
  };
  return { units: Math.ceil(rows / height), workBefore };
}
