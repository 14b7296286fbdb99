/** Loops that divide rows by columns; their TypeScript, which defines them, is `src/ranks/division-loops.ts`. */
import { CountOwnHeader, DivideRowsHeader, FindPlacesHeader } from '../../build/headers';
import { Operands } from '../operands';
import { lowerBound, word } from '../word';

/** Units: rows. */
export function rows_count_own(header: CountOwnHeader, operands: Operands, begin: u32, end: u32): void {
  const first = header.first;
  const behind = first + header.count;
  let at = word(header.colIdx, load<u32>(word(header.rowPtr, begin)));
  for (let i = begin; i < end; i++) {
    const start = at;
    const last = word(header.colIdx, load<u32>(word(header.rowPtr, i), 4));
    while (at < last && load<u32>(at) < first) at += 4;
    let to = last;
    while (at < to && load<u32>(to - 4) >= behind) to -= 4;
    const own = <u32>(to - at) >> 2;
    store<u32>(word(header.before, i), <u32>(at - start) >> 2);
    store<u32>(word(header.own, i), own);
    store<u32>(word(header.ghosts, i), (<u32>(last - start) >> 2) - own);
    at = last;
  }
}

/** Elements of four bytes. Units: rows. */
export function rows_divide_words(header: DivideRowsHeader, operands: Operands, begin: u32, end: u32): void {
  divide<u32>(header, begin, end);
}

/** Elements of eight bytes. Units: rows. */
export function rows_divide_doubles(header: DivideRowsHeader, operands: Operands, begin: u32, end: u32): void {
  divide<u64>(header, begin, end);
}

/** Own elements of rows that follow one another are moved together, up to the next ghost. */
function divide<T>(header: DivideRowsHeader, begin: u32, end: u32): void {
  const first = header.first;
  let own = element<T>(header.own, load<u32>(word(header.ownPtr, begin)));
  let ghost = element<T>(header.ghost, load<u32>(word(header.ghostPtr, begin)));
  let start = element<T>(header.source, load<u32>(word(header.rowPtr, begin)));
  let from = start;
  for (let i = begin; i < end; i++) {
    const last = element<T>(header.source, load<u32>(word(header.rowPtr, i), 4));
    const ghosts = load<u32>(word(header.ghostPtr, i), 4) - load<u32>(word(header.ghostPtr, i));
    if (ghosts > 0) {
      const before = element<T>(start, load<u32>(word(header.before, i)));
      if (before > start) {
        own = move<T>(from, start, own, first);
        ghost = move<T>(start, before, ghost, 0);
        from = before;
      }
      const count = load<u32>(word(header.ownPtr, i), 4) - load<u32>(word(header.ownPtr, i));
      const behind = element<T>(before, count);
      if (behind < last) {
        own = move<T>(from, behind, own, first);
        ghost = move<T>(behind, last, ghost, 0);
        from = last;
      }
    }
    start = last;
  }
  move<T>(from, start, own, first);
}

/** The address of an element of an array. */
@inline
function element<T>(array: usize, index: u32): usize {
  return array + ((<usize>index) << alignof<T>());
}

/** Moves elements, less a number. Returns the end of the target. */
function move<T>(from: usize, to: usize, target: usize, less: u32): usize {
  const taken = i32x4.splat(less);
  for (; from + 16 <= to; from += 16, target += 16) {
    const elements = v128.load(from);
    v128.store(target, sizeof<T>() === 4 ? i32x4.sub(elements, taken) : elements);
  }
  for (; from < to; from += sizeof<T>(), target += sizeof<T>()) store<T>(target, sizeof<T>() === 4 ? load<T>(from) - <T>less : load<T>(from));
  return target;
}

/** The units of the loop are entries. */
export function columns_find(header: FindPlacesHeader, operands: Operands, begin: u32, end: u32): void {
  const numbers = header.numbers;
  const count = header.count;
  let place: u32 = 0;
  const last = word(header.colIdx, end);
  for (let at = word(header.colIdx, begin); at < last; at += 4) {
    const column = load<u32>(at);
    // In a row, the next column is often the next number.
    if (place + 1 < count && load<u32>(word(numbers, place + 1)) === column) place++;
    else place = lowerBound(numbers, count, column);
    store<u32>(at, place);
  }
}
