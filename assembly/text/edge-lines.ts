/**
 * Lines `source target`, or `source target weight`, of a list of edges → entries: nodes are integers from 0, and one byte separates fields, or
 * any run of blanks. Stops at a line of another form: with quotes, a name, a comment, a zero in front, another number of fields.
 */
import { after, digitCount, digitsValue, eightBytes, scanDecimal, shifted } from './decimal';
import { COLS, MOST_ENTRIES, ROWS, VALUES } from './usual-lines';

const SPACE: u32 = 0x20;
const TAB: u32 = 0x09;
const ZERO: u32 = 0x30;
const RETURN: u32 = 0x0d;
const NEWLINE: u32 = 0x0a;
/** One more than a node may be. */
const NODES: u64 = 0xffffffff;
const MAX_DIGITS: usize = 10;
/** Of a line with its newline, at most. */
const MAX_LINE_BYTES: usize = 1 << 16;

/** Where the last call stopped: the begin of the first line of another form, or the end. */
export let edgeStop: usize = 0;
/** One more than the greatest source and target of the last call, f64: at most 2³² − 1. */
export let sources: f64 = 0;
export let targets: f64 = 0;

/** The byte behind the last node that was read; 0 without one. */
let behind: usize = 0;

@inline
function scanNode(at: usize): u64 {
  let bytes = eightBytes(at);
  let count = digitCount(bytes);
  behind = 0;
  if (count === 0) return 0;
  let node = digitsValue(bytes, count);
  let end = at + count;
  if (count === 8) {
    bytes = eightBytes(end);
    count = digitCount(bytes);
    if (count > 0) {
      node = shifted(node, count) + digitsValue(bytes, count);
      end += count;
    }
  }
  const digits = end - at;
  if (digits > MAX_DIGITS || node >= NODES || (load<u8>(at) === ZERO && digits > 1)) return 0;
  behind = end;
  return node;
}

/** Skips spaces, and tabs unless they separate fields. */
@inline
function skipBlanks(at: usize, separator: u32): usize {
  let byte: u32 = load<u8>(at);
  while (byte === SPACE || (byte === TAB && separator !== TAB)) byte = load<u8>(++at);
  return at;
}

/** The begin of the next field; 0 if there is none. */
@inline
function nextField(at: usize, separator: u32): usize {
  const mark = skipBlanks(at, separator);
  if (separator === SPACE) return mark === at ? 0 : mark;
  return load<u8>(mark) === separator ? skipBlanks(mark + 1, separator) : 0;
}

/**
 * Reads the lines from `begin` to `end`, where the last one ends, until `most` entries are read, at most `MOST_ENTRIES`, and returns their
 * number. They are in `ROWS`, `COLS` and `VALUES`. Reads up to 24 bytes behind the text.
 *
 * @param separator tab, comma, or a space for any run of blanks
 */
export function readEdges(begin: usize, end: usize, separator: u32, hasWeights: bool, most: u32): u32 {
  const last = min(most, MOST_ENTRIES);
  let used: u32 = 0;
  let start = begin;
  let rows: u64 = 0;
  let cols: u64 = 0;
  while (start < end && used < last) {
    const source = scanNode(skipBlanks(start, separator));
    if (behind === 0) break;
    let at = nextField(behind, separator);
    if (at === 0) break;
    const target = scanNode(at);
    if (behind === 0) break;
    at = behind;
    let weight: f64 = 1;
    if (hasWeights) {
      at = nextField(at, separator);
      if (at === 0) break;
      weight = scanDecimal(at);
      at = after;
      if (at === 0) break;
    }
    at = skipBlanks(at, separator);
    if (load<u8>(at) === RETURN) at++;
    if (load<u8>(at) !== NEWLINE || at - start > MAX_LINE_BYTES) break;
    store<u32>((<usize>used) << 2, u32(source), ROWS);
    store<u32>((<usize>used) << 2, u32(target), COLS);
    if (hasWeights) store<f64>((<usize>used) << 3, weight, VALUES);
    rows = max(rows, source + 1);
    cols = max(cols, target + 1);
    used++;
    start = at + 1;
  }
  edgeStop = start;
  sources = f64(rows);
  targets = f64(cols);
  return used;
}
