/**
 * Reads the cache lines [begin, end) of a buffer and keeps their exclusive or. It measures the memory bandwidth of the threads
 * that run it, the baseline of every product. Exclusive or is used because sums of arbitrary bits may have slow denormals.
 *
 * The range is read from several places in turn: a core that reads one place keeps too few cache lines in flight, most of all with pages
 * of 4 KiB (two cores of an Intel Xeon, GB/s from 1, 2, 4, 8 places: 10, 13, 12, 13; with pages of 2 MiB 15, 17, 14, 14).
 */
import { StreamHeader } from '../build/headers';
import { Operands } from './operands';

export function stream_read(header: StreamHeader, operands: Operands, begin: u32, end: u32): void {
  const places = header.places;
  const distance = (<usize>((end - begin) / places)) << 6;
  const first = header.buffer + ((<usize>begin) << 6);
  const last = header.buffer + ((<usize>end) << 6);
  let bits0 = i64x2.splat(0);
  let bits1 = i64x2.splat(0);
  for (let at = first; at < first + distance; at += 64) {
    for (let place: u32 = 0, line = at; place < places; place++, line += distance) {
      bits0 = v128.xor(bits0, v128.xor(v128.load(line), v128.load(line, 16)));
      bits1 = v128.xor(bits1, v128.xor(v128.load(line, 32), v128.load(line, 48)));
    }
  }
  for (let line = first + <usize>places * distance; line < last; line += 64) {
    bits0 = v128.xor(bits0, v128.xor(v128.load(line), v128.load(line, 16)));
    bits1 = v128.xor(bits1, v128.xor(v128.load(line, 32), v128.load(line, 48)));
  }
  v128.store(header.sink, v128.xor(bits0, bits1));
}

/** The triad y ← α x + z over the cache lines [begin, end), f64: two streams read, one written. z is the header's buffer. */
export function stream_triad(header: StreamHeader, operands: Operands, begin: u32, end: u32): void {
  const z = header.buffer;
  const x = operands.x;
  const y = operands.y;
  const factor = f64x2.splat(operands.alpha);
  for (let at = (<usize>begin) << 6, last = (<usize>end) << 6; at < last; at += 64) {
    v128.store(y + at, v128.add<f64>(v128.mul<f64>(factor, v128.load(x + at)), v128.load(z + at)));
    v128.store(y + at, v128.add<f64>(v128.mul<f64>(factor, v128.load(x + at, 16)), v128.load(z + at, 16)), 16);
    v128.store(y + at, v128.add<f64>(v128.mul<f64>(factor, v128.load(x + at, 32)), v128.load(z + at, 32)), 32);
    v128.store(y + at, v128.add<f64>(v128.mul<f64>(factor, v128.load(x + at, 48)), v128.load(z + at, 48)), 48);
  }
}
