/*
 * CSR with hand-written SIMD: the limit on this CPU, not an existing library. The fastest of three loops, by trial on the matrix:
 * one element at a time, which hides latency behind other rows if rows are short; four separate sums, for long rows; vectors of
 * gathered elements, the last of a row under a mask (Zen 4 gathers in microcode, no faster than it loads). The protocol is that
 * of peer.h, and the trial a part of the setup.
 */
#include "peer.h"
#include "simd.h"

static void single(uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    real sum = 0;
    for (uint32_t k = rowPtr[i], last = rowPtr[i + 1]; k < last; k++) sum += values[k] * x[colIdx[k]];
    y[i] = sum;
  }
}

static void fourSums(uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    uint32_t k = rowPtr[i], last = rowPtr[i + 1];
    real a = 0, b = 0, c = 0, d = 0;
    for (; k + 4 <= last; k += 4) {
      a += values[k] * x[colIdx[k]];
      b += values[k + 1] * x[colIdx[k + 1]];
      c += values[k + 2] * x[colIdx[k + 2]];
      d += values[k + 3] * x[colIdx[k + 3]];
    }
    for (; k < last; k++) a += values[k] * x[colIdx[k]];
    y[i] = (a + b) + (c + d);
  }
}

static void gathered(uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    uint32_t k = rowPtr[i], last = rowPtr[i + 1];
    vec sum = {0};
    for (; k + LANES <= last; k += LANES) sum += *(const vec *)(values + k) * gather(colIdx + k, x);
    if (k < last) sum += first(last - k, values + k, colIdx + k, x);
    y[i] = sumOf(sum);
  }
}

static void prepare(void) {
  const struct loop loops[] = {{"one element", single}, {"four sums", fourSums}, {"gathers", gathered}};
  bounds = room((threads + 1) * sizeof *bounds);
  for (int t = 0; t <= threads; t++) bounds[t] = split(t, threads);
  choose(loops, 3);
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){.version = version, .prepare = prepare, .multiply = multiply});
  return 0;
}
