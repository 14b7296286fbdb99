/**
 * Reads the cache lines [begin, end) of a buffer and keeps their exclusive or: what the memory bus can deliver to the
 * threads that run it, the yardstick of every product. Exclusive or, because sums of arbitrary bits meet slow denormals.
 */
@unmanaged
class StreamHeader {
  buffer!: usize;
  sink!: usize;
}

export function stream_read(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  const stream = changetype<StreamHeader>(header);
  const last = stream.buffer + (<usize>end << 6);
  let bits0 = i64x2.splat(0);
  let bits1 = i64x2.splat(0);
  let bits2 = i64x2.splat(0);
  let bits3 = i64x2.splat(0);
  for (let line = stream.buffer + (<usize>begin << 6); line < last; line += 64) {
    bits0 = v128.xor(bits0, v128.load(line));
    bits1 = v128.xor(bits1, v128.load(line, 16));
    bits2 = v128.xor(bits2, v128.load(line, 32));
    bits3 = v128.xor(bits3, v128.load(line, 48));
  }
  v128.store(stream.sink, v128.xor(v128.xor(bits0, bits1), v128.xor(bits2, bits3)));
}
